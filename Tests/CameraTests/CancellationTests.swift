import Camera
import PTP
import TestSupport
import Testing

/// Several tasks share one camera; each may change its mind.
@Suite struct CancellationTests {
    @Test("taking back one task's call never takes back another's")
    func neighbours() async throws {
        let rig = try Rig()
        try await rig.connected { session in
            _ = try await session.device()
            var random = Seeded(7)
            for _ in 0..<400 {
                let fickle = Task { try await session.exchange(Call(.getNumObjects, [0xFFFF_FFFF])) }
                let steady = Task { try await session.exchange(Call(.getNumObjects, [0xFFFF_FFFF])) }
                for _ in 0..<Int.random(in: 0..<40, using: &random) { await Task.yield() }
                fickle.cancel()
                #expect(try await steady.value.code == .ok)
                // Either it was in time or it was not; nothing else can have happened to it.
                switch await fickle.result {
                case .success(let reply): #expect(reply.code == .ok)
                case .failure(let error as CameraError):
                    guard case .cancelled = error.problem else { throw error }
                case .failure(let error): throw error
                }
            }
        }
    }

    @Test("a photo that is taken back at any moment leaves the next one whole")
    func photos() async throws {
        let size: UInt64 = 1_500_000
        let rig = try Rig(photos: 1, size: size)
        let expected = try Rig.photo(1, size: size)
        let others = PhotoWorkers.start()
        defer { others.shutDown() }
        try await rig.connected { [workers = rig.workers] session in
            var random = Seeded(11)
            var takenBack = 0
            for _ in 0..<60 {
                let fickle = Task {
                    try await session.fetch(.firstPhoto, .whole, into: ArraySink(), workers: others)
                }
                for _ in 0..<Int.random(in: 0..<200, using: &random) { await Task.yield() }
                fickle.cancel()
                let sink = ArraySink()
                _ = try await session.fetch(.firstPhoto, .whole, into: sink, workers: workers)
                #expect(sink.bytes == expected)
                if case .failure(let error) = await fickle.result {
                    guard case .cancelled = (error as? CameraError)?.problem else { throw error }
                    takenBack += 1
                }
            }
            #expect(takenBack > 0)
        }
    }

    @Test("a call after the session has ended gets an error")
    func afterTheEnd() async throws {
        let rig = try Rig()
        let kept = Shared<CameraSession?>(nil)
        try await rig.connected { session in
            kept.change { $0 = session }
        }
        let session = try #require(kept.value)
        let error = await #expect(throws: CameraError.self) { try await session.storageIDs() }
        #expect(error?.ending == .closed)
    }

    @Test("a call while the session is ending gets an error")
    func duringTheEnd() async throws {
        for _ in 0..<50 {
            let rig = try Rig()
            let late = Shared<Task<Void, any Error>?>(nil)
            try await rig.connected { session in
                late.change { late in late = Task { while true { _ = try await session.storageIDs() } } }
            }
            let task = try #require(late.value)
            guard case .failure(let error as CameraError) = await task.result else { return }
            #expect(error.ending == .closed)
        }
    }
}
