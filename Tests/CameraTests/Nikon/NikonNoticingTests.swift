import Bridge
import PTP
import Testing

@testable import Camera

/// What a Nikon tells, event by event.
@Suite struct NikonNoticingTests {
    private static let handle: UInt32 = 0x0919_4A01
    private static let photo = PhotoReference("0x09194A01")

    private func device(_ model: String = "D7200", _ operations: [OperationCode] = [.nikonGetEvent])
        -> DeviceInfo
    {
        var device = DeviceInfo()
        device.manufacturer = "Nikon Corporation"
        device.model = model
        device.operations = operations
        return device
    }

    private func noticing(_ device: DeviceInfo? = nil) -> NikonNoticing {
        NikonNoticing(device ?? self.device(), onlyPushed: false, at: .zero)
    }

    private func list(_ records: (EventCode, [UInt32])...) -> NikonEventList {
        NikonEventList(records.map { NikonEventList.Record($0.0, $0.1) })
    }

    @Test(
        "a photo that is told by the list, by the list again and on the event link is told once, in any order"
    )
    func duplicates() {
        let added = EventPacket(code: .objectAdded, parameters: [Self.handle])
        let steps: [@Sendable (inout NikonNoticing) -> [CameraChange]] = [
            { $0.answered(NikonEventList([.init(.objectAdded, [Self.handle])]), at: .milliseconds(10)) },
            {
                $0.answered(
                    NikonEventList([.init(.objectAdded, [Self.handle]), .init(.objectAdded, [Self.handle])]),
                    at: .seconds(2))
            },
            { $0.pushed(added, at: .seconds(1)) },
        ]
        for order in [[0, 1, 2], [2, 0, 1], [1, 2, 0], [2, 1, 0]] {
            var noticing = noticing()
            let told = order.flatMap { steps[$0](&noticing) }
            #expect(told == [.added(Self.photo)], "\(order)")
        }
    }

    @Test(
        "a handle that is used again is another photo: after a card came, after a deletion, and after a while"
    )
    func usedAgain() {
        for event in [(EventCode.storeAdded, UInt32(0x0001_0001)), (.objectRemoved, Self.handle)] {
            var noticing = noticing()
            _ = noticing.answered(list((.objectAdded, [Self.handle])), at: .zero)
            _ = noticing.answered(list((event.0, [event.1])), at: .zero)
            #expect(noticing.answered(list((.objectAdded, [Self.handle])), at: .zero) == [.added(Self.photo)])
        }
        var noticing = noticing()
        _ = noticing.answered(list((.objectAdded, [Self.handle])), at: .zero)
        #expect(noticing.answered(list((.objectAdded, [Self.handle])), at: .milliseconds(9900)).isEmpty)
        #expect(
            noticing.answered(list((.objectAdded, [Self.handle])), at: .seconds(10)) == [.added(Self.photo)])
    }

    @Test("what else it tells is put into the words of everyone")
    func others() {
        var noticing = noticing()
        let told = noticing.answered(
            list(
                (.captureComplete, []), (.objectInfoChanged, [5]), (.objectRemoved, [6]),
                (.storeRemoved, [1]),
                (.unreportedStatus, []), (.devicePropChanged, [0x5001]), (.nikonCaptureCompleteInMemory, [])),
            at: .zero)
        #expect(
            told == [
                .mayHaveMore, .changed(PhotoReference("0x00000005")), .removed(PhotoReference("0x00000006")),
                .cardsChanged, .cardsChanged,
            ])
        // Without a handle there is something, and not what.
        #expect(noticing.answered(list((.objectAdded, [0])), at: .zero) == [.mayHaveMore])
        #expect(noticing.answered(list((.objectAdded, [])), at: .zero) == [.mayHaveMore])
    }

    @Test(
        "a photo in memory has the handle 0xFFFF0001 where it is told with 0, and the next one there is another"
    )
    func inMemory() throws {
        var noticing = noticing()
        let first = noticing.answered(list((.nikonObjectAddedInMemory, [0])), at: .zero)
        #expect(noticing.answered(list((.nikonObjectAddedInMemory, [0])), at: .seconds(1)).isEmpty)
        guard case .added(let one) = first.first else { return #expect(Bool(false), "\(first)") }
        #expect(noticing.inMemory == [one])
        // It lies there until it is released; then it is looked what came behind it.
        let second = noticing.released(one, .free, at: .seconds(2))
        guard case .added(let two) = second.first else { return #expect(Bool(false), "\(second)") }
        #expect(one != two && noticing.inMemory == [two])
        #expect(noticing.released(one, .free, at: .seconds(3)).isEmpty, "that was done")
        #expect(noticing.gone(two, at: .seconds(3)).isEmpty && noticing.inMemory.isEmpty)
        // Nothing lay there; the next shot is another one again, whatever handle it is told with.
        let third = noticing.answered(list((.nikonObjectAddedInMemory, [0xFFFF_0001])), at: .seconds(4))
        guard case .added(let three) = third.first else { return #expect(Bool(false), "\(third)") }
        #expect(![one, two].contains(three))
        #expect(NikonInMemory.handle(one) == .nikonInMemory && NikonInMemory.handle(two) == .nikonInMemory)
        #expect(NikonInMemory.handle(Self.photo) == nil)
        for odd in ["0xFFFF0001#", "#1", "0xFFFF0001#1#1", "0xFFFF0001#x"] {
            #expect(NikonInMemory.handle(PhotoReference(odd)) == nil, "\(odd)")
        }
    }

    @Test("each photo of a burst in memory is told, though the body tells all of them alike")
    func burstInMemory() {
        var noticing = noticing()
        let shot = NikonEventList.Record(.nikonObjectAddedInMemory, [0])
        var waiting = 3
        var changes = noticing.answered(NikonEventList([shot, shot, shot]), at: .zero)
        var brought: [PhotoReference] = []
        while let change = changes.popLast() {
            guard case .added(let reference) = change else { return #expect(Bool(false), "\(change)") }
            if waiting > 0 {
                waiting -= 1
                brought.append(reference)
                changes += noticing.released(reference, .free, at: .zero)
            } else {
                changes += noticing.gone(reference, at: .zero)
            }
        }
        #expect(Set(brought).count == 3 && noticing.inMemory.isEmpty)
    }

    @Test("a shot that comes while the body says that nothing lies in its memory is looked for again")
    func raceInMemory() {
        var noticing = noticing()
        let shot = EventPacket(code: .nikonObjectAddedInMemory, parameters: [0])
        guard case .added(let one) = noticing.pushed(shot, at: .zero).first,
            case .added(let two) = noticing.released(one, .free, at: .zero).first
        else { return #expect(Bool(false), "they are told") }
        #expect(noticing.pushed(shot, at: .zero).isEmpty, "that one may be there already")
        guard case .added(let three) = noticing.gone(two, at: .zero).first else {
            return #expect(Bool(false), "it is looked for again")
        }
        #expect(noticing.gone(three, at: .zero).isEmpty)
    }

    @Test("a body that does not free its memory, or always has another photo there, is not asked without end")
    func memoryWithoutEnd() {
        var noticing = noticing()
        let shot = EventPacket(code: .nikonObjectAddedInMemory, parameters: [0])
        guard case .added(let kept) = noticing.pushed(shot, at: .zero).first else {
            return #expect(Bool(false), "it is told")
        }
        #expect(noticing.released(kept, .notOffered, at: .zero).isEmpty && noticing.inMemory.isEmpty)
        var changes = noticing.pushed(shot, at: .zero)
        var count = 0
        while case .added(let reference)? = changes.first, count < 1000 {
            count += 1
            changes = noticing.released(reference, .free, at: .zero)
        }
        #expect(count == NikonNoticing.mostInMemory)
    }

    // MARK: What it is asked

    @Test(
        "it is asked with what it lists, the fuller operation first, and bodies with an unreliable list are not"
    )
    func questions() {
        #expect(noticing().question == .short)
        #expect(noticing(device("Z 8", [.nikonGetEvent, .nikonGetEventEx])).question == .extended)
        for silent in [device("J4"), device("V1"), device("D5300", [])] {
            #expect(noticing(silent).state == .listening)
        }
        #expect(NikonNoticing(device(), onlyPushed: true, at: .zero).question == nil)
    }

    @Test("answers without sense make it ask otherwise, then listen and list; being busy does not")
    func failures() {
        var noticing = noticing(device("Z 8", [.nikonGetEvent, .nikonGetEventEx]))
        for _ in 0..<10 { #expect(noticing.failed(.busy, at: .zero).isEmpty) }
        #expect(noticing.question == .extended)
        // A good answer in between makes up for those before.
        for _ in 0..<2 { #expect(noticing.failed(.malformed, at: .zero).isEmpty) }
        _ = noticing.answered(NikonEventList(), at: .zero)
        for _ in 0..<2 { #expect(noticing.failed(.malformed, at: .zero).isEmpty) }
        let first = noticing.failed(.malformed, at: .zero)
        #expect(first.last == .mayHaveMore && first.count == 2)
        #expect(noticing.question == .short)
        for _ in 0..<2 { #expect(noticing.failed(.refused, at: .zero).isEmpty) }
        #expect(noticing.failed(.refused, at: .seconds(1)).last == .mayHaveMore)
        #expect(noticing.state == .listening)
        // What it pushes still counts, and so does its list, every three seconds.
        let added = EventPacket(code: .objectAdded, parameters: [Self.handle])
        #expect(noticing.pushed(added, at: .seconds(1)) == [.added(Self.photo)])
        #expect(noticing.nextAt == .seconds(3))
        #expect(noticing.listIsDue(at: .seconds(3)) == [.mayHaveMore] && noticing.nextAt == .seconds(6))
    }

    @Test("an object that is not ready is asked for again every 250 ms, for five seconds after it was told")
    func readiness() {
        var noticing = noticing()
        _ = noticing.answered(list((.objectAdded, [Self.handle])), at: .seconds(1))
        let handle = ObjectHandle(rawValue: Self.handle)
        #expect(
            noticing.notReady(handle, at: .seconds(1))
                == RetryRule(.generalError, pause: .milliseconds(250), limit: .seconds(5)))
        #expect(noticing.notReady(handle, at: .seconds(5))?.limit == .seconds(1))
        #expect(noticing.notReady(handle, at: .seconds(6)) == nil)
        #expect(noticing.notReady(ObjectHandle(rawValue: 1), at: .seconds(1)) == nil)
    }

    @Test("a list that is full may have left something out")
    func fullList() {
        let records = [NikonEventList.Record](
            repeating: .init(.devicePropChanged, [0x5001]), count: NikonEventList.mostRecords)
        var noticing = noticing()
        #expect(noticing.answered(NikonEventList(records), at: .zero) == [.mayHaveMore])
        #expect(noticing.answered(NikonEventList(Array(records.dropLast())), at: .zero).isEmpty)
    }

    @Test("a flood of photos costs no more memory than some thousands")
    func flood() {
        var noticing = noticing()
        var told = 0
        for handle in 1...UInt32(20_000) {
            told += noticing.answered(list((.objectAdded, [handle])), at: .zero).count
        }
        #expect(told == 20_000)
        #expect(
            Mirror(reflecting: noticing).children.contains {
                ($0.value as? [ObjectHandle: Duration])?.count ?? .max <= 4096
            })
    }

    @Test("what is pushed while the body is greeted is told at once, and known to the driver that takes over")
    func early() async {
        let changes = CameraChanges()
        let pushed = PushedNotices(changes)
        let added = EventPacket(code: .objectAdded, parameters: [Self.handle])
        let inMemory = EventPacket(code: .nikonObjectAddedInMemory, parameters: [0])
        pushed.deliver(added)
        pushed.deliver(inMemory)
        #expect(pushed.take { _ in changes.push(.mayHaveMore) } == [added, inMemory])
        pushed.deliver(added)
        changes.finish()
        var told: [CameraChange] = []
        for await change in changes { told.append(change) }
        #expect(told == [.added(Self.photo), .mayHaveMore])
        #expect(pushed.take { _ in }.isEmpty)
    }

    // MARK: Jobs

    @Test(
        "a job is asked for, given, and its end is told with the next question; one that is left alone is given back"
    )
    func jobs() {
        let one = ObjectHandle(rawValue: 1)
        var jobs = NikonJobs()
        jobs.answered(NikonTransferJob(parameters: [1], data: []), at: .zero)
        #expect(!jobs.isLocked && jobs.handles.isEmpty, "it was not asked")
        jobs.locked()
        #expect(jobs.state == .asking(.none))
        jobs.answered(nil, at: .zero)
        jobs.timePassed(at: .milliseconds(2999))
        #expect(jobs.state == .pausing(until: .seconds(3), .none))
        jobs.timePassed(at: .seconds(3))
        jobs.answered(NikonTransferJob(parameters: [], data: [1, 0, 0, 0, 9]), at: .seconds(3))
        #expect(jobs.state == .given(one, until: .seconds(63)) && jobs.handles == [one])
        jobs.used(one, at: .seconds(60))
        jobs.came(ObjectHandle(rawValue: 2))
        jobs.timePassed(at: .seconds(63))
        #expect(jobs.state == .given(one, until: .seconds(120)))
        jobs.came(one)
        #expect(jobs.state == .asking(.taken))
        jobs.answered(NikonTransferJob(parameters: [2], data: []), at: .seconds(100))
        jobs.timePassed(at: .seconds(160))
        #expect(jobs.state == .asking(.notTaken))
        for (parameters, data) in [([0], []), ([], [1, 2, 3]), ([UInt32.max], []), ([], [0, 0, 0, 0])]
            as [([UInt32], [UInt8])]
        {
            #expect(NikonTransferJob(parameters: parameters, data: data[...]) == nil)
        }
    }

    // MARK: How often

    @Test(
        "it is asked every 50 ms while there is something, more and more seldom while there is not, up to 200 ms"
    )
    func pace() {
        var pace = PollPace(at: .zero)
        #expect(pace.next == .zero)
        var now = Duration.zero
        var pauses: [Int64] = []
        for outcome in [
            PollPace.Outcome.news, .news, .nothing, .nothing, .nothing, .nothing, .refused, .nothing, .news,
        ] {
            pace.answered(outcome, at: now)
            pauses.append((pace.next - now).components.attoseconds / 1_000_000_000_000_000)
            now = pace.next
        }
        #expect(pauses == [50, 50, 50, 100, 200, 200, 500, 200, 50])
    }

    @Test("what the body pushes brings the next question forward, and never puts it off")
    func hint() {
        var pace = PollPace(at: .zero)
        for _ in 0..<5 { pace.answered(.nothing, at: .seconds(1)) }
        pace.hint(at: .milliseconds(1010))
        #expect(pace.next == .milliseconds(1060))
        pace.hint(at: .milliseconds(1050))
        #expect(pace.next == .milliseconds(1060))
    }
}
