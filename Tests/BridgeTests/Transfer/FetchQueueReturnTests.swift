import Bridge
import TestSupport
import Testing

/// What comes again: put back, announced anew, or under a handle that another has.
@Suite struct FetchQueueReturnTests {
    private func capture(_ number: Int64) -> Capture {
        Capture(id: CaptureID(number), state: .announced)
    }

    private func offer(_ handle: UInt32, inMemory: Bool = false, size: UInt64 = 5) -> Offer {
        let identity = PhotoIdentity(
            manufacturer: "a", model: "b", body: "c", slot: 1, folders: [], name: "a.JPG", size: size,
            captureDate: "", format: 0x3000)
        var offer = Offer(identity: identity, reference: PhotoReference("\(handle)"))
        offer.isInMemory = inMemory
        return offer
    }

    /// Numbered from 1, each with its number for a handle.
    private func queue(_ count: Int64) -> FetchQueue {
        var queue = FetchQueue(jpegFirst: false)
        for number in 1...count { queue.add(capture(number), offer(UInt32(number)), at: .zero) }
        return queue
    }

    private func drained(_ queue: inout FetchQueue, at now: Duration) -> [Int64] {
        var order: [Int64] = []
        while let item = queue.next(at: now) { order.append(item.capture.id.number) }
        return order
    }

    @Test("what was announced again while it was fetched is put back as it was announced last")
    func newerOffer() {
        for withBlame in [true, false] {
            var queue = queue(2)
            guard let item = queue.next(at: .zero) else { return }
            queue.add(capture(1), offer(77, size: 99), at: .seconds(1))
            if withBlame {
                let isBack = queue.putBack(item, at: .seconds(1))
                #expect(isBack)
            } else {
                queue.putBack(item, notBefore: .zero)
            }
            #expect(queue.count == 2)
            #expect(queue.item(called: PhotoReference("\(1)")) == nil)
            #expect(queue.item(called: PhotoReference("\(77)"))?.offer.identity.size == 99)
            #expect(queue.item(called: PhotoReference("\(77)"))?.failures == (withBlame ? 1 : 0))
            let again = queue.next(at: .seconds(2))
            #expect(again?.capture.id == CaptureID(1) && again?.offer.reference == PhotoReference("77"))
            #expect(again?.due == (withBlame ? .milliseconds(1250) : .zero))
            #expect(drained(&queue, at: .seconds(2)) == [2])
        }
    }

    @Test("a photo that has failed too often is out, also when it was announced again meanwhile")
    func tooOften() {
        var queue = queue(1)
        var now = Duration.zero
        for failures in 1...FetchQueue.mostFailures {
            guard let item = queue.next(at: now) else { return #expect(Bool(false), "\(failures)") }
            queue.add(capture(1), offer(UInt32(failures)), at: now)
            let isBack = queue.putBack(item, at: now)
            #expect(isBack == (failures < FetchQueue.mostFailures))
            now += .seconds(8)
        }
        #expect(queue.isEmpty && queue.nextDue == nil)
        #expect(queue.item(called: PhotoReference("\(UInt32(FetchQueue.mostFailures))")) == nil)
    }

    @Test("a photo that was removed and comes again goes to the end")
    func readded() {
        var queue = queue(3)
        queue.remove(CaptureID(1))
        queue.add(capture(1), offer(1), at: .zero)
        #expect(drained(&queue, at: .zero) == [2, 3, 1])
    }

    @Test("of two photos with one handle, each is found when the other is gone")
    func oneHandle() {
        for (gone, left) in [(Int64(1), Int64(2)), (2, 1)] {
            var queue = FetchQueue(jpegFirst: false)
            for number in Int64(1)...2 { queue.add(capture(number), offer(7), at: .zero) }
            #expect(queue.item(called: PhotoReference("\(7)"))?.capture.id == CaptureID(2), "who got it last")
            queue.remove(CaptureID(gone))
            #expect(queue.item(called: PhotoReference("\(7)"))?.capture.id == CaptureID(left))
            queue.add(capture(left), offer(8), at: .zero)
            #expect(queue.item(called: PhotoReference("\(7)")) == nil)
            #expect(queue.item(called: PhotoReference("\(8)"))?.capture.id == CaptureID(left))
        }
    }

    @Test("what is described anew while it waits goes by its new rank when its time has come")
    func otherRankWhileWaiting() {
        var queue = queue(3)
        for number in Int64(1)...2 {
            guard let item = queue.next(at: .zero) else { return }
            #expect(item.capture.id == CaptureID(number))
            let isBack = queue.putBack(item, at: .zero)
            #expect(isBack)
        }
        queue.add(capture(2), offer(2, inMemory: true), at: .zero)
        #expect(queue.next(at: .seconds(1))?.capture.id == CaptureID(2))
        queue.add(capture(4), offer(4, inMemory: true), at: .zero)
        queue.add(capture(1), offer(1, inMemory: true), at: .zero)
        #expect(queue.nextDue == .zero)
        #expect(drained(&queue, at: .seconds(1)) == [1, 4, 3])
    }

    @Test("the next moment forgets what was removed or described anew")
    func nextDueForgets() {
        var queue = queue(2)
        guard let first = queue.next(at: .zero), let second = queue.next(at: .zero) else { return }
        _ = queue.putBack(first, at: .seconds(1))
        _ = queue.putBack(second, at: .seconds(2))
        #expect(queue.nextDue == .milliseconds(1250))
        queue.remove(CaptureID(1))
        #expect(queue.nextDue == .milliseconds(2250))
        queue.remove(CaptureID(2))
        #expect(queue.nextDue == nil)
    }

    @Test("ten thousand that wait are no burden to the others")
    func manyDelayed() {
        let count = Int64(10_000)
        var queue = queue(count)
        var failed: [FetchQueue.Item] = []
        while let item = queue.next(at: .zero) { failed.append(item) }
        var random = Seeded(3)
        failed.shuffle(using: &random)
        for (place, item) in failed.enumerated() {
            let isBack = queue.putBack(item, at: .milliseconds(Int64(place)))
            #expect(isBack)
        }
        for number in count + 1...2 * count { queue.add(capture(number), offer(UInt32(number)), at: .zero) }
        let clock = ContinuousClock()
        let span = clock.measure {
            #expect(drained(&queue, at: .zero) == Array(count + 1...2 * count))
            #expect(drained(&queue, at: .seconds(60)) == Array(1...count))
        }
        #expect(queue.isEmpty)
        #expect(span < .seconds(5), "the time of each grows with how many there are: \(span)")
    }
}
