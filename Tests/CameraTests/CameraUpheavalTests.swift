import Basics
import Camera
import PTP
import Simulator
import TestSupport
import Testing

/// What happens to the camera itself, and what a client makes of it.
@Suite struct CameraUpheavalTests {
    static let size: UInt64 = 4_000_000

    /// A photo that takes its time, and what happens while it is on its way; what has come is a true prefix.
    func interrupted(
        _ script: String = "", _ happening: @escaping @Sendable (SimulatedCamera) async -> Void
    ) async throws -> (rig: Rig, sink: ArraySink, error: CameraError?) {
        let rig = try Rig(script, photos: 1, size: Self.size) { settings, _ in settings.rate = 4_000_000 }
        let sink = ArraySink()
        let hasHappened = Shared(false)
        let error = await #expect(throws: CameraError.self) {
            try await rig.connected {
                [workers = rig.workers, camera = rig.camera, reactor = rig.reactor] session in
                _ = try await session.fetch(
                    .firstPhoto, .whole, into: sink, workers: workers,
                    onMoved: { _ in
                        if hasHappened.change({ happened in
                            defer { happened = true }
                            return !happened
                        }) {
                            Task(executorPreference: reactor) { await happening(camera) }
                        }
                    })
            }
        }
        let expected = try Rig.photo(1, size: Self.size)
        #expect(sink.bytes.count < expected.count && sink.bytes == Array(expected.prefix(sink.bytes.count)))
        return (rig, sink, error)
    }

    /// Fetches what is missing.
    func resume(_ rig: Rig, _ sink: ArraySink) async throws {
        try await rig.connected { [workers = rig.workers] session in
            _ = try await session.fetch(
                .firstPhoto, .parts(of: 1 << 20, from: UInt64(sink.bytes.count), size: Self.size), into: sink,
                workers: workers)
        }
        #expect(try await sink.bytes == rig.camera.photos()[0].bytes())
    }

    @Test("a card that is pulled under a photo ends that photo; put in again, it gives the rest")
    func pulledCard() async throws {
        let (rig, sink, error) = try await interrupted { await $0.pullCard() }
        #expect(error?.response == .storeNotAvailable)
        await rig.camera.insertCard()
        try await resume(rig, sink)
    }

    @Test("a camera whose battery is changed under a photo gives the rest afterwards")
    func battery() async throws {
        let (rig, sink, error) = try await interrupted { await $0.powerOff() }
        guard case .linkLost = error?.ending else {
            Issue.record("\(String(describing: error))")
            return
        }
        await rig.camera.powerOn()
        try await resume(rig, sink)
    }

    @Test("a camera that hangs is given up, and found again when it was switched off and on")
    func hanging() async throws {
        let rig = try Rig("hang operation=0x1009 times=1")
        let error = await #expect(throws: CameraError.self) {
            try await rig.connected {
                $0.timeouts.noProgress = .milliseconds(50)
            } _: { [workers = rig.workers] session in
                _ = try await session.fetch(.firstPhoto, .whole, into: ArraySink(), workers: workers)
            }
        }
        #expect(error?.ending == .stalled(after: .milliseconds(50)))
        await rig.camera.powerOff()
        await rig.camera.powerOn()
        try await rig.connected { session in _ = try await session.list() }
    }

    @Test(
        "one photo whose data is out of step takes no other with it",
        arguments: ["no-start", "start-twice", "unknown-packet", "wrong-transaction"])
    func outOfStep(kind: String) async throws {
        let rig = try Rig("out-of-step kind=\(kind) object=0x00010003", photos: 2)
        let sink = ArraySink()
        do {
            try await rig.connected { [workers = rig.workers] session in
                _ = try await session.fetch(.firstPhoto, .whole, into: sink, workers: workers)
            }
            #expect(kind == "unknown-packet", "a whole packet of an unknown type is passed over")
            #expect(sink.bytes == (try Rig.photo(1)))
        } catch let error as CameraError {
            guard case .misbehaved(let conduct, .command) = error.ending else { throw error }
            switch (kind, conduct) {
            case ("no-start", .unexpectedPacket(.data, during: "the wait for GetObject")),
                ("no-start", .unexpectedPacket(.endData, during: "the wait for GetObject")),
                ("start-twice", .unexpectedPacket(.startData, during: "the data of GetObject")),
                ("wrong-transaction", .outOfStep(expected: .first, got: _)):
                break
            default: Issue.record("\(conduct)")
            }
            #expect(sink.bytes.isEmpty)
        }
        let other = ArraySink()
        try await rig.connected { [workers = rig.workers] session in
            _ = try await session.fetch(
                ObjectHandle(rawValue: 0x0001_0004), .whole, into: other, workers: workers)
        }
        #expect(other.bytes == (try Rig.photo(2)))
    }

    @Test("five parameters in every response are as good as those that mean something")
    func fiveParameters() async throws {
        let rig = try Rig("five-parameters")
        let sink = ArraySink()
        let count = try await rig.connected { [workers = rig.workers] session in
            _ = try await session.fetch(
                .firstPhoto, .parts(of: 30_000, from: 0, size: 200_000), into: sink, workers: workers)
            return try await session.list().objects.count
        }
        #expect(count == 5)
        #expect(sink.bytes == (try Rig.photo(1)))
    }

    @Test("photos come while news pour in", arguments: ["events", "objects"])
    func flood(kind: String) async throws {
        let rig = try Rig("flood kind=\(kind) rate=2000 for=1min")
        let sink = ArraySink()
        try await rig.connected { [workers = rig.workers] session in
            _ = try await session.list()
            _ = try await session.fetch(.firstPhoto, .whole, into: sink, workers: workers)
        }
        #expect(sink.bytes == (try Rig.photo(1)))
    }
}
