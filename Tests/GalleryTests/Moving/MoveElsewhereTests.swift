import Basics
import Database
import Digest
import S3
import TestSupport
import Testing

@testable import Gallery

/// Moves that go on where the bucket has not what a run before has brought: it is another, or has lost something.
@Suite(
    .onSQLite,
    .enabled(if: MoveGround.canRun, "SeaweedFS or PostgreSQL is not installed; tools/setup does it"),
    .timeLimit(.minutes(Cases.minutesOfHang)))
struct MoveElsewhereTests {
    private let ground: MoveGround

    init() throws {
        ground = try MoveGround(OldGallery(GallerySchema.migrations.version).folder)
        try ground.makeObjects()
    }

    /// Everything is at the target, and the source is as it was.
    private func moveBesideServer() async throws {
        guard case .isServed = try await ground.move(isLocked: false) else {
            throw Surprise("a gallery that is served was closed")
        }
        try await ground.expectSameObjects()
    }

    private func hasSaid(_ text: String) -> Bool { ground.said.value.contains { $0.contains(text) } }

    @Test(
        "a move that goes on with another bucket brings all objects there, also those of the run before",
        arguments: [false, true])
    func otherBucket(isBesideFirst: Bool) async throws {
        try await moveBesideServer()
        let other = try MoveGround.makeBucket()
        if isBesideFirst {
            _ = try await ground.move(isLocked: false, to: other)
            try await ground.expectSameObjects(in: other)
        }
        #expect(try await ground.move(to: other) == .moved)
        try await ground.expectSameObjects(in: other)
        #expect(hasSaid("are not in this bucket, and are taken over again"))
    }

    @Test(
        "what the bucket has lost between two runs, or holds cut, is brought again before the source is closed"
    )
    func lost() async throws {
        try await moveBesideServer()
        let source = try Connection(path: ground.path, .readOnly)
        let keys = try source.all(
            "SELECT original_key FROM photos WHERE deleted_at IS NULL ORDER BY original_key"
        ) { try $0.get(0, as: String.self) }
        let (first, last) = (try #require(keys.first), try #require(keys.last))
        try #require(first != last)
        try await ground.bucket.client.delete(ground.bucket.name(last))
        let folder = try TemporaryFolder()
        try folder.write([1], to: "cut")
        try await ground.bucket.put(
            folder.file("cut"), size: 1, sha256: SHA256.of([1]), type: "image/jpeg", as: first)
        #expect(try await ground.move() == .moved)
        try await ground.expectSameObjects()
        #expect(hasSaid("objects: 2 that were taken over before are not in this bucket"))
    }

    @Test("a folder that was closed by a run that did not end is not told as moved to another bucket")
    func closed() async throws {
        try await moveBesideServer()
        var batches = 1
        while try SQLiteGallery.closure(ground.path) == nil {
            try #require(try await ground.problem(dyingAfter: batches) == "killed")
            batches += 1
        }
        let problem = try await ground.problem(to: MoveGround.makeBucket())
        #expect(
            problem?.contains("Say the --storage that the run before had") == true, "\(problem ?? "moved")")
        #expect(try await ground.move() == .moved)
        try await ground.expectSameObjects()
    }
}
