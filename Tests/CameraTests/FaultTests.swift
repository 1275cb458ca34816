import Basics
import Camera
import Link
import PTP
import Posix
import Simulator
import TestSupport
import Testing

/// Every switch of the fault script, by what a client sees of it.
@Suite struct ConnectFaultTests {
    @Test("a camera that waits for a person is waited for, and the operator is told")
    func holdAck() async throws {
        // The person presses OK when the operator has been told, and no sooner.
        let clock = ManualClock()
        let rig = try Rig("hold-ack for=1h", clock: clock)
        try await rig.connected {
            $0.timeouts.beforeAskingForPerson = .milliseconds(10)
            let note = $0.onProgress
            $0.onProgress = { step in
                note(step)
                guard case .waitingForPerson = step else { return }
                Task {
                    await clock.waitForSleeper(until: .seconds(3600))
                    clock.advance(by: .seconds(3600))
                }
            }
        } _: { _ in
        }
        let told = rig.progress.value.contains { step in
            if case .waitingForPerson = step { true } else { false }
        }
        #expect(told)
        #expect(rig.progress.value.last == .sessionOpened)
    }

    @Test("a person who never comes is not waited for forever")
    func nobodyComes() async throws {
        let rig = try Rig("hold-ack for=1h")
        let error = await #expect(throws: CameraError.self) {
            try await rig.connected {
                $0.timeouts.person = .milliseconds(30)
            } _: { _ in
            }
        }
        #expect(error?.ending == .notConfirmed(after: .milliseconds(30)))
        #expect(error?.description.contains("Press OK on the camera") == true)
    }

    @Test("a refusal is told with its reason", arguments: [1, 2, 3, 4])
    func initFail(reason: UInt32) async throws {
        let rig = try Rig("init-fail reason=\(reason) times=1")
        let error = await #expect(throws: CameraError.self) { try await rig.connected { _ in } }
        #expect(error?.ending == .refused(InitFailReason(rawValue: reason), .command))
        try await rig.connected { _ in }
    }

    @Test("a refusal that only a Fujifilm in phone mode gives is told as such", arguments: [0x2019, 0x201D])
    func initFailOfFujifilm(reason: UInt32) async throws {
        let rig = try Rig("init-fail reason=\(reason) times=1")
        let error = await #expect(throws: CameraError.self) { try await rig.connected { _ in } }
        #expect(error?.ending == .foreign(.fujifilmPhone))
        #expect(error?.description.contains("wireless tether mode") == true)
        try await rig.connected { _ in }
    }

    @Test("an event link that is refused at first is tried again")
    func refuseEventLink() async throws {
        let rig = try Rig("refuse-event-link times=2")
        try await rig.connected { session in _ = try await session.device() }
    }

    @Test("connection number 0 is as good as any")
    func connectionNumber() async throws {
        let rig = try Rig("connection-number value=0")
        #expect(try await rig.connected { await $0.peer?.connectionNumber } == 0)
    }

    @Test("a camera that accepts and says nothing is given up")
    func silentAccept() async throws {
        let rig = try Rig("silent-accept")
        let error = await #expect(throws: CameraError.self) {
            try await rig.connected {
                $0.timeouts.person = .milliseconds(30)
            } _: { _ in
            }
        }
        #expect(error?.ending == .notConfirmed(after: .milliseconds(30)))
    }

    @Test("only the GUID that the camera knows is let in")
    func demandGUID() async throws {
        let known = String(repeating: "ab", count: 16)
        let rig = try Rig("demand-guid value=\(known)")
        let error = await #expect(throws: CameraError.self) { try await rig.connected { _ in } }
        #expect(error?.ending == .refused(.rejectedInitiator, .command))
        #expect(error?.description.contains("start pairing on the body") == true)
        let guid = try #require(GUID(text: known))
        try await rig.connected {
            $0.identity.guid = guid
        } _: { _ in
        }
    }

    @Test("a camera that will not wait for the event link hangs up")
    func dropLateEventLink() async throws {
        let clock = ManualClock()
        let rig = try Rig(
            "drop-late-event-link after=3s", clock: clock,
            wire: Rig.Wire(beforeOpening: { channel in
                // The camera's time passes while our event link is on its way.
                if channel == .event { clock.advance(by: .seconds(4)) }
            }))
        let error = await #expect(throws: CameraError.self) { try await rig.connected { _ in } }
        guard case .linkLost = error?.ending else {
            Issue.record("\(String(describing: error))")
            return
        }
    }

    @Test("Session_Already_Open is no obstacle")
    func sessionAlreadyOpen() async throws {
        let rig = try Rig("session-already-open")
        try await rig.connected { session in _ = try await session.list() }
    }

    @Test("a camera that sleeps hangs up, and the reason is told")
    func sleep() async throws {
        let rig = try Rig("sleep after=30ms")
        let error = await #expect(throws: CameraError.self) {
            try await rig.connected { session in
                let notices = session.notices.makeAsyncIterator()
                while await notices.next() != nil {}
                try await session.throwIfEnded()
            }
        }
        guard case .linkLost = error?.ending else {
            Issue.record("\(String(describing: error))")
            return
        }
    }

    @Test(
        "a camera that asks whether we are there gets its answer, on either channel",
        arguments: [
            "probe every=500ms within=3s", "probe-on-command every=500ms within=3s",
        ])
    func probes(script: String) async throws {
        let clock = ManualClock()
        let rig = try Rig(script, clock: clock)
        try await rig.connected { session in
            // Longer than an unanswered probe would be borne.
            while clock.now < .seconds(6) {
                clock.advance(by: .milliseconds(100))
                _ = try await session.list()
            }
        }
    }

    @Test("a camera out of range keeps its slot; a client that comes back waits and gets in")
    func lostFin() async throws {
        let rig = try Rig("lost-fin after=100000 hold=1500ms times=1")
        let error = await #expect(throws: CameraError.self) {
            try await rig.connected {
                $0.timeouts.noProgress = .milliseconds(30)
            } _: { [workers = rig.workers] session in
                _ = try await session.fetch(.firstPhoto, .whole, into: ArraySink(), workers: workers)
            }
        }
        #expect(error?.ending == .stalled(after: .milliseconds(30)))
        try await rig.connected { session in _ = try await session.list() }
    }
}

@Suite struct DataFaultTests {
    func fetched(_ script: String) async throws -> (bytes: [UInt8], announced: UInt64?) {
        let rig = try Rig(script)
        let sink = ArraySink()
        let fetched = try await rig.connected { [workers = rig.workers] session in
            try await session.fetch(.firstPhoto, .whole, into: sink, workers: workers)
        }
        return (sink.bytes, fetched.announced)
    }

    @Test(
        "a total that is unknown or wrong changes nothing but what was announced",
        arguments: [
            ("unknown-total", nil), ("unknown-total bits=32", nil), ("wrong-total by=-100", 199_900),
            ("wrong-total by=5000", 205_000), ("wrong-total by=-999999", 0),
        ] as [(String, UInt64?)])
    func totals(script: String, announced: UInt64?) async throws {
        let got = try await fetched(script)
        #expect(got.bytes == (try Rig.photo(1)))
        #expect(got.announced == announced)
    }

    @Test("bytes in any pieces are the same bytes", arguments: [1, 3, 8191])
    func splitWrites(bytes: Int) async throws {
        #expect(try await fetched("split-writes bytes=\(bytes)").bytes == (try Rig.photo(1)))
    }

    @Test("a pause in the middle is waited out")
    func shortStall() async throws {
        #expect(try await fetched("stall after=50000 for=30ms").bytes == (try Rig.photo(1)))
    }

    @Test(
        "a camera that stops for good is given up, and the prefix is kept",
        arguments: ["stall", "reset", "cut"])
    func forGood(fault: String) async throws {
        let rig = try Rig("\(fault) after=77777")
        let sink = ArraySink()
        await #expect(throws: CameraError.self) {
            try await rig.connected {
                $0.timeouts.noProgress = .milliseconds(50)
            } _: { [workers = rig.workers] session in
                _ = try await session.fetch(.firstPhoto, .whole, into: sink, workers: workers)
            }
        }
        // A reset may take with it what was still on its way.
        #expect(fault == "reset" ? sink.bytes.count <= 77_777 : sink.bytes.count == 77_777)
        #expect(sink.bytes == Array(try Rig.photo(1).prefix(sink.bytes.count)))
    }

    @Test("a wrong count in the response of a partial read is not believed")
    func wrongSentCount() async throws {
        let rig = try Rig("wrong-sent-count by=-17")
        let sink = ArraySink()
        _ = try await rig.connected { [workers = rig.workers] session in
            try await session.fetch(
                .firstPhoto, .parts(of: 30_000, from: 0, size: 200_000), into: sink, workers: workers)
        }
        #expect(sink.bytes == (try Rig.photo(1)))
    }

    @Test(
        "bytes behind a dataset, and strings missing at its end, do no harm",
        arguments: [
            "trailing-bytes bytes=9", "truncate-strings", "stale-response", "stale-response operation=0x1008",
        ])
    func datasets(script: String) async throws {
        let rig = try Rig(script)
        let listing = try await rig.connected { session in
            _ = try await session.device()
            return try await session.list()
        }
        #expect(listing.objects.count == 5 && listing.unreadable.isEmpty)
    }
}
