import Basics
import TestSupport
import Testing

@testable import Gallery

/// Whether a storage is the one that photos lie in, as a program that starts finds it out.
@Suite(.timeLimit(.minutes(Cases.minutesOfHang))) struct StorageProofTests {
    private let gallery: GalleryGround
    private let other: FolderStorage
    private let folder: TemporaryFolder

    init() throws {
        gallery = try GalleryGround(seed: 90)
        folder = try TemporaryFolder()
        other = try FolderStorage(
            path: folder.file("objects"), publicURL: "http://gallery.example",
            keys: KeyRing(AccountGround.secret), wall: gallery.wall, random: SeededSource(91)
        ) { _ in }
    }

    private func refusal(
        of storage: any ObjectStorage, time: any TimeSource = ManualClock()
    ) async throws -> String? {
        do {
            try await StorageProof(storage, gallery.ground.database.reader, time: time).require(
                named: "s3://b/x")
            return nil
        } catch let problem as StorageProof.Elsewhere {
            return problem.description
        }
    }

    @Test(
        "any storage will do before there are photos, and once they are deleted; between, only one that has some"
    )
    func photos() async throws {
        let host = try await gallery.host()
        #expect(try await refusal(of: other) == nil)
        for number in 1...6 { try await gallery.upload("photo-\(number)", for: host) }
        #expect(try await refusal(of: gallery.storage) == nil)
        let said = try await refusal(of: other)
        #expect(said?.contains("do not lie in s3://b/x: of 4 that were looked for") == true, "\(said ?? "")")
        let deleted = try await gallery.call(
            "DELETE", "/events/\(host.event)", token: gallery.token(host))
        #expect(deleted.status == 204, "\(deleted)")
        #expect(try await refusal(of: other) == nil)
    }

    @Test("some that are lost are not all: the newest and the oldest of several events are looked for")
    func some() async throws {
        let host = try await gallery.host()
        let first = try #require(try await gallery.upload("first", for: host))
        for number in 1...3 { try await gallery.upload("photo-\(number)", for: host) }
        let list = try await gallery.call("GET", "/events/\(host.event)/photos", token: gallery.token(host))
        for photo in list["photos"]?.array ?? [] where photo["id"] != first["id"] {
            try await gallery.storage.remove(try #require(photo["thumbKey"]?.string))
        }
        #expect(try await refusal(of: gallery.storage) == nil)
        try await gallery.storage.remove(try #require(first["thumbKey"]?.string))
        #expect(try await refusal(of: gallery.storage) != nil)
    }

    /// It answers nothing of its own.
    private struct Silent: ForwardingStorage {
        let base: FolderStorage
        let time: ManualClock

        func look(_ key: String) async throws(StorageProblem) -> StoredObject? {
            do {
                try await time.sleep(until: time.now + .seconds(1_000_000))
                return nil
            } catch {
                throw StorageProblem(.unavailable, "it was not waited for")
            }
        }
    }

    @Test("one that does not answer keeps no program from its start")
    func silent() async throws {
        let host = try await gallery.host()
        try await gallery.upload("photo", for: host)
        let clock = ManualClock()
        let storage = Silent(base: other, time: clock)
        let asking = Task { try await refusal(of: storage, time: clock) }
        await clock.waitForSleepers(2)
        clock.advance(by: .seconds(10))
        #expect(try await asking.value == nil)
    }
}
