import Basics
import Camera
import Digest
import Link
import PTP
import Posix
import Simulator
import TestSupport
import Testing

@Suite struct InterruptionTests {
    @Test(
        "a cut at any place leaves a true prefix, and the rest comes in parts",
        arguments: [
            0, 1, 11, 4095, 65_536, 100_000, 199_999,
        ])
    func cut(after: Int) async throws {
        let rig = try Rig("cut after=\(after) times=1")
        let expected = try Rig.photo(1)
        let sink = ArraySink()
        let error = await #expect(throws: CameraError.self) {
            try await rig.connected { [workers = rig.workers] session in
                _ = try await session.fetch(.firstPhoto, .whole, into: sink, workers: workers)
            }
        }
        guard case .linkLost = error?.ending else {
            Issue.record("\(String(describing: error))")
            return
        }
        #expect(sink.bytes.count == after)
        #expect(sink.bytes == Array(expected.prefix(after)))
        try await rig.connected { [workers = rig.workers] session in
            _ = try await session.fetch(
                .firstPhoto, .parts(of: 1 << 20, from: UInt64(after), size: 200_000), into: sink,
                workers: workers)
        }
        #expect(sink.bytes == expected)
    }

    @Test("a cancelled fetch ends, and the connection goes on")
    func cancel() async throws {
        // Slow enough that there is something to cancel.
        let rig = try Rig(photos: 2, size: 4_000_000) { settings, _ in settings.rate = 2_000_000 }
        try await rig.connected { [workers = rig.workers] session in
            let began = Shared(false)
            let task = Task {
                try await session.fetch(
                    .firstPhoto, .whole, into: ArraySink(), workers: workers,
                    onMoved: { _ in began.change { $0 = true } })
            }
            while !began.value { await Task.yield() }
            task.cancel()
            let error = await #expect(throws: CameraError.self) { try await task.value }
            guard case .cancelled = error?.problem else {
                Issue.record("\(String(describing: error))")
                return
            }
            let after = try await session.list()
            #expect(after.objects.count == 4)
        }
    }

    @Test("a sink that fails ends the fetch with its own error, and the connection goes on")
    func failingSink() async throws {
        let rig = try Rig(photos: 2, size: 20_000_000)
        try await rig.connected { [workers = rig.workers] session in
            let sink = ArraySink(limit: 600_000)
            let error = await #expect(throws: CameraError.self) {
                try await session.fetch(.firstPhoto, .whole, into: sink, hasher: SHA256(), workers: workers)
            }
            guard case .consumer(let reason) = error?.problem else {
                Issue.record("\(String(describing: error))")
                return
            }
            #expect(reason is ArraySink.Full)
            let info = try await session.info(of: .firstPhoto)
            #expect(info.compressedSize == 20_000_000)
        }
    }

    @Test("a slow sink slows the camera down and is not taken for the camera's fault")
    func slowSink() async throws {
        let rig = try Rig(photos: 1, size: 30_000_000)
        let sink = SlowSink(until: rig.reactor.now + .milliseconds(250), rig.reactor)
        try await rig.connected {
            // Less timeout with the camera than the sink takes.
            $0.timeouts.noProgress = .milliseconds(80)
        } _: { [workers = rig.workers] session in
            let fetched = try await session.fetch(.firstPhoto, .whole, into: sink, workers: workers)
            #expect(fetched.received == 30_000_000)
        }
    }

    @Test("the connection's loss fails the call under way and the next ones, each with the reason")
    func loss() async throws {
        let rig = try Rig(
            wire: Rig.Wire(plan: { channel in
                var plan = FaultPlan()
                if channel == .event { plan.receiving.faults = [(8, .reset)] }
                return plan
            }))
        let error = await #expect(throws: CameraError.self) {
            try await rig.connected { session in
                _ = try await session.list()
                // The event link breaks after its ack; the next call fails.
                while true { _ = try await session.list() }
            }
        }
        guard case .linkLost(.event, _) = error?.ending else {
            Issue.record("\(String(describing: error))")
            return
        }
        #expect(error?.description.contains("what has arrived is kept and resumed") == true)
    }

    @Test("a task that is cancelled while it connects ends at once")
    func cancelWhileConnecting() async throws {
        let rig = try Rig("silent-accept")
        let task = Task { try await rig.connected { _ in } }
        while rig.progress.value.isEmpty { await Task.yield() }
        task.cancel()
        await #expect(throws: (any Error).self) { try await task.value }
    }
}

/// Is busy with its first bytes until a moment, longer than any camera would be given.
private final class SlowSink: PayloadSink {
    private let end: Duration
    private let time: any TimeSource

    init(until end: Duration, _ time: any TimeSource) {
        self.end = end
        self.time = time
    }

    func write(_ bytes: UnsafeRawBufferPointer, at offset: UInt64) throws {
        while time.now < end { SHA256().update(bytes) }
    }
}
