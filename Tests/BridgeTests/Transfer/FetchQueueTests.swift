import Bridge
import TestSupport
import Testing

/// A queue that the macros of a test may change.
private final class Fetching {
    private var queue: FetchQueue

    init(jpegFirst: Bool) { queue = FetchQueue(jpegFirst: jpegFirst) }

    var count: Int { queue.count }
    var isEmpty: Bool { queue.isEmpty }
    var nextDue: Duration? { queue.nextDue }

    func add(_ capture: Capture, _ offer: Offer, at now: Duration) { queue.add(capture, offer, at: now) }
    func remove(_ number: Int64) { queue.remove(CaptureID(number)) }
    func item(called number: Int) -> FetchQueue.Item? { queue.item(called: PhotoReference("\(number)")) }
    func next(at now: Duration) -> FetchQueue.Item? { queue.next(at: now) }
    func putBack(_ item: FetchQueue.Item, at now: Duration) -> Bool { queue.putBack(item, at: now) }
    func putBack(_ item: FetchQueue.Item, notBefore due: Duration) { queue.putBack(item, notBefore: due) }

    func drained(at now: Duration = .zero) -> [Int64] {
        var order: [Int64] = []
        while let item = queue.next(at: now) { order.append(item.capture.id.number) }
        return order
    }
}

@Suite struct FetchQueueTests {
    private func capture(_ number: Int64) -> Capture {
        Capture(id: CaptureID(number), state: .announced)
    }

    private func offer(
        _ name: String, inMemory: Bool = false, handle: UInt32 = 1, size: UInt64 = 5
    ) -> Offer {
        let identity = PhotoIdentity(
            manufacturer: "a", model: "b", body: "c", slot: 1, folders: [], name: name, size: size,
            captureDate: "", format: 0x3000)
        var offer = Offer(identity: identity, reference: PhotoReference("\(handle)"))
        offer.isInMemory = inMemory
        return offer
    }

    /// Numbered from 1, each with its number for a handle; a `!` before the name stands for the memory.
    private func queue(_ names: [String], jpegFirst: Bool = false) -> Fetching {
        let queue = Fetching(jpegFirst: jpegFirst)
        for (number, name) in zip(Int64(1)..., names) {
            let isInMemory = name.hasPrefix("!")
            let plain = isInMemory ? String(name.dropFirst()) : name
            queue.add(
                capture(number), offer(plain, inMemory: isInMemory, handle: UInt32(number)), at: .zero)
        }
        return queue
    }

    @Test("what would be lost goes first, then by arrival; JPEG before RAW only when that is wanted")
    func order() {
        let names = ["a.NEF", "a.JPG", "!b.NEF", "c.MOV", "c.JPG", "!d.JPG", "d.NEF"]
        let cases: [(jpegFirst: Bool, expected: [Int64])] = [
            (false, [3, 6, 1, 2, 4, 5, 7]), (true, [3, 6, 2, 5, 1, 4, 7]),
        ]
        for (jpegFirst, expected) in cases {
            let queue = queue(names, jpegFirst: jpegFirst)
            #expect(queue.count == 7 && queue.nextDue == .zero)
            #expect(queue.drained() == expected)
            #expect(queue.isEmpty && queue.nextDue == nil)
        }
    }

    @Test("who comes while others are fetched takes the place of its rank")
    func laterArrivals() {
        let queue = queue(["a.NEF", "b.NEF"], jpegFirst: true)
        #expect(queue.next(at: .zero)?.capture.id == CaptureID(1))
        queue.add(capture(9), offer("c.JPG"), at: .zero)
        queue.add(capture(8), offer("d.NEF"), at: .zero)
        #expect(queue.drained() == [9, 2, 8])
        queue.add(capture(7), offer("e.NEF"), at: .zero)
        #expect(queue.drained() == [7])
    }

    @Test("a photo announced twice is fetched once, as the camera described it last")
    func twice() throws {
        let queue = queue(["a.JPG", "b.JPG"])
        queue.add(capture(1), offer("a.JPG", handle: 77, size: 99), at: .seconds(1))
        #expect(queue.count == 2)
        #expect(queue.item(called: 77)?.capture.id == CaptureID(1))
        #expect(queue.item(called: 1) == nil, "the name it had before is no name of it")
        let first = try #require(queue.next(at: .seconds(1)))
        #expect(first.capture.id == CaptureID(1))
        #expect(first.offer.reference == PhotoReference("77") && first.offer.identity.size == 99)
        #expect(queue.drained() == [2])
    }

    @Test("a photo whose new description changes its rank goes by the new one")
    func otherRank() {
        let queue = queue(["a.NEF", "b.NEF", "c.NEF"], jpegFirst: true)
        queue.add(capture(3), offer("c.NEF", inMemory: true, handle: 3), at: .zero)
        queue.add(capture(2), offer("b.JPG", handle: 2), at: .zero)
        #expect(queue.count == 3)
        #expect(queue.drained() == [3, 2, 1])
        #expect(queue.isEmpty && queue.nextDue == nil)
    }

    @Test("a photo that failed comes back after 250 ms, doubling to 8 s, and not for ever")
    func putBack() throws {
        let queue = queue(["a.JPG"])
        var now = Duration.seconds(100)
        for (failures, pause) in zip(1..., [250, 500, 1000, 2000, 4000, 8000, 8000]) {
            let item = try #require(queue.next(at: now))
            #expect(item.failures == failures - 1)
            #expect(queue.isEmpty)
            #expect(queue.putBack(item, at: now))
            #expect(queue.count == 1)
            #expect(queue.nextDue == now + .milliseconds(pause))
            #expect(queue.next(at: now + .milliseconds(pause - 1)) == nil)
            #expect(queue.count == 1)
            now += .milliseconds(pause)
        }
        let item = try #require(queue.next(at: now))
        #expect(item.failures == FetchQueue.mostFailures - 1)
        #expect(!queue.putBack(item, at: now))
        #expect(queue.isEmpty && queue.nextDue == nil)
    }

    @Test("a photo that waits holds up no other, and goes before its equals when its time has come")
    func otherGoOn() throws {
        let queue = queue(["a.JPG", "b.JPG", "c.JPG", "!d.JPG"])
        let memory = try #require(queue.next(at: .zero))
        let first = try #require(queue.next(at: .zero))
        #expect(queue.putBack(first, at: .zero))
        #expect(queue.putBack(memory, at: .zero))
        #expect(queue.nextDue == .zero)
        #expect(queue.next(at: .milliseconds(249))?.capture.id == CaptureID(2))
        #expect(queue.drained(at: .milliseconds(250)) == [4, 1, 3])
    }

    @Test("put back without blame a photo is due at once, and its failures stay what they were")
    func withoutBlame() throws {
        let queue = queue(["a.JPG", "b.JPG"])
        let fresh = try #require(queue.next(at: .zero))
        #expect(queue.putBack(fresh, at: .zero))
        let failed = try #require(queue.next(at: .seconds(1)))
        #expect(failed.failures == 1)
        for _ in 0..<20 {
            queue.putBack(failed, notBefore: .zero)
            #expect(queue.count == 2)
            #expect(queue.item(called: 1) == failed)
            #expect(queue.next(at: .seconds(1)) == failed)
        }
        #expect(queue.drained() == [2])
    }

    @Test("what is removed is not fetched, wherever it waited")
    func remove() throws {
        let queue = queue(["a.JPG", "b.JPG", "c.JPG"])
        let first = try #require(queue.next(at: .zero))
        #expect(queue.putBack(first, at: .zero))
        queue.remove(1)
        queue.remove(3)
        queue.remove(4)
        #expect(queue.count == 1)
        #expect(queue.item(called: 1) == nil && queue.item(called: 3) == nil)
        #expect(queue.item(called: 2)?.capture.id == CaptureID(2))
        #expect(queue.drained(at: .seconds(60)) == [2])
        #expect(queue.item(called: 2) == nil)
        #expect(queue.nextDue == nil)
    }

    @Test("the next moment is the earliest of those that wait, and at once while one could go")
    func nextDue() throws {
        let queue = queue(["a.JPG", "b.JPG"])
        let first = try #require(queue.next(at: .zero))
        let second = try #require(queue.next(at: .zero))
        #expect(queue.nextDue == nil)
        #expect(queue.putBack(first, at: .seconds(10)))
        #expect(queue.putBack(second, at: .seconds(9)))
        #expect(queue.nextDue == .milliseconds(9250))
        queue.add(capture(3), offer("c.JPG"), at: .seconds(9))
        #expect(queue.nextDue == .zero)
    }

    @Test("twenty thousand photos come out in order, and none twice")
    func many() {
        var random = Seeded(5)
        let queue = Fetching(jpegFirst: true)
        var pictures: [Int64] = []
        var raws: [Int64] = []
        for number in Int64(1)...20_000 {
            let isPicture = random.chance(50)
            let name = isPicture ? "a.JPG" : "a.NEF"
            if isPicture { pictures.append(number) } else { raws.append(number) }
            queue.add(capture(number), offer(name, handle: UInt32(number)), at: .zero)
        }
        #expect(queue.count == 20_000)
        #expect(queue.drained() == pictures + raws)
        #expect(queue.isEmpty)
    }
}
