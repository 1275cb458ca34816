import Basics
import TestSupport
import Testing

@testable import Gallery

/// A node that cannot work, among others that share a database with it and can.
@Suite(.timeLimit(.minutes(Cases.minutesOfHang))) struct GivingBackTests {
    /// What only this node cannot do.
    private struct Troubled: ForwardingStorage {
        let base: FolderStorage
        let meaning: Shared<StorageProblem.Meaning>

        func keep(_ file: String, as key: String, type: String) async throws(StorageProblem) {
            throw StorageProblem(meaning.value, "this node cannot keep it")
        }
    }

    private let gallery: GalleryGround
    private let meaning = Shared(StorageProblem.Meaning.noRoom)
    private let troubled: Processor

    init() throws {
        gallery = try GalleryGround()
        troubled = Self.node(gallery, meaning, sharesWork: true)
    }

    private static func node(
        _ gallery: GalleryGround, _ meaning: Shared<StorageProblem.Meaning>, sharesWork: Bool
    ) -> Processor {
        Processor(
            store: gallery.ground.database.store, storage: Troubled(base: gallery.storage, meaning: meaning),
            renderer: gallery.renderer, videos: VideoStudio(VideoThread()), time: gallery.wall.clock,
            executor: GalleryThreads.hasher, sharesWork: sharesWork, log: { _ in })
    }

    /// An upload whose bytes have come.
    private func landed(_ text: String, for host: GalleryGround.Host) async throws -> String {
        let bytes = Array(text.utf8)
        let place = try await gallery.place(text, bytes, for: host)
        try await gallery.fill(place, with: bytes)
        return try #require(place["uploadId"]?.string, "\(place)")
    }

    private func row(_ upload: String) async throws -> UploadRow {
        try #require(try await gallery.store.upload(upload))
    }

    @Test(
        "what a node cannot do for reasons of its own is free for others at once, and it rests",
        arguments: [StorageProblem.Meaning.noRoom, .unavailable, .refused])
    func given(meaning cause: StorageProblem.Meaning) async throws {
        meaning.change { $0 = cause }
        let upload = try await landed("kiss", for: try await gallery.host())
        #expect(try await troubled.workOnce())
        let left = try await row(upload)
        #expect(left.status == "processing" && left.starts == 0, "\(left)")
        #expect(await troubled.totals.failed == 0)
        // Others are slower than who fails.
        gallery.wall.go(Processor.restAfterTrouble - .milliseconds(1))
        #expect(try await !troubled.workOnce())
        gallery.wall.go(.milliseconds(1))
        #expect(try await troubled.workOnce())
        try await gallery.work()
        #expect(try await row(upload).status == "completed")
    }

    @Test("what no node could do for half an hour fails, and so does at once what is no node's fault")
    func failing() async throws {
        let host = try await gallery.host()
        let first = try await landed("kiss", for: host)
        gallery.wall.go(Processor.longestTrouble)
        #expect(try await troubled.workOnce())
        #expect(try await row(first).failure?.code == .storage)
        meaning.change { $0 = .taken }
        let second = try await landed("cake", for: host)
        gallery.wall.go(Processor.restAfterTrouble)
        #expect(try await troubled.workOnce())
        #expect(try await row(second).failure?.code == .storage)
        #expect(await troubled.totals.failed == 2)
    }

    @Test("where there is no other node, it fails and its host has it tried again")
    func alone() async throws {
        let upload = try await landed("kiss", for: try await gallery.host())
        #expect(try await Self.node(gallery, meaning, sharesWork: false).workOnce())
        #expect(try await row(upload).failure?.code == .storage)
    }
}
