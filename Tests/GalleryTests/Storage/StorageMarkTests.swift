import Basics
import HTTPClient
import Posix
import S3
import TestSupport
import Testing

@testable import Gallery

/// Whether nodes that share a database put photos to the same place, as each finds out when it starts.
@Suite(
    .timeLimit(.minutes(Cases.minutesOfHang)),
    .enabled(if: PostgresServer.isWanted, "of a database that nodes share"),
    .enabled(if: SeaweedFS.isThere, "SeaweedFS is not installed; tools/setup does it"))
struct StorageMarkTests {
    private let gallery: GalleryGround
    private let client: S3Client
    private let folder: TemporaryFolder
    private let warnings = Shared<[String]>([])

    init() throws {
        gallery = try GalleryGround(seed: 93)
        folder = try TemporaryFolder()
        let store = try SeaweedFS.shared.get()
        let keys = try S3Settings(S3Settings.Choice(), environment: store.environment).keys
        client = S3Client(
            site: try S3Site(bucket: store.makeBucket(), region: "us-east-1", endpoint: store.endpoint),
            keys: keys, http: try CurlClient(), wall: SystemWallTime())
    }

    private func place(_ prefix: String) -> BucketObjects {
        BucketObjects(client: client, prefix: "\(prefix)/")
    }

    /// What a node says that starts with that place, in which there are the photos of that storage.
    private func refusal(
        of place: any MarkedPlace, with storage: (any ObjectStorage)? = nil, adopts: Bool = false
    ) async throws -> String? {
        let database = gallery.ground.database
        let proof = StorageProof(storage ?? gallery.storage, database.reader, time: ManualClock())
        do {
            let warnings = warnings
            let mark = StorageMark(place, proof, database.store, time: ManualClock()) { line in
                warnings.change { $0.append(line) }
            }
            try await mark.require(named: "s3://b/x", adopts: adopts)
            return nil
        } catch let problem as StorageProof.Elsewhere {
            return problem.description
        }
    }

    @Test("before there are photos, the place of the first node is that of all, and another is refused")
    func first() async throws {
        #expect(try await refusal(of: place("here")) == nil)
        #expect(try await refusal(of: place("here")) == nil)
        let said = try await refusal(of: place("there"))
        #expect(said?.contains("s3://b/x lacks the mark") == true, "\(said ?? "")")
        #expect(said?.contains("Is --storage the same at all nodes?") == true, "\(said ?? "")")
        // What was refused is as it was.
        #expect(try await place("there").mark() == nil)
    }

    @Test("nodes that start at once agree on one mark; with two places, those of one do")
    func together() async throws {
        let refused = try await withThrowingTaskGroup(of: (String, Bool).self) { group in
            for number in 0..<8 {
                group.addTask {
                    let name = number % 2 == 0 ? "even" : "odd"
                    return (name, try await refusal(of: place(name)) != nil)
                }
            }
            return try await group.reduce(into: []) { $0.append($1) }
        }
        let out = Set(refused.filter(\.1).map(\.0))
        #expect(out.count == 1, "\(refused)")
        #expect(Set(refused.filter { !$0.1 }.map(\.0)).isDisjoint(with: out), "\(refused)")
    }

    @Test("a place without its mark has it again where all the photos that are looked for lie there")
    func withoutMark() async throws {
        let host = try await gallery.host()
        try await gallery.upload("photo", for: host)
        #expect(try await refusal(of: place("here")) == nil)
        let mark = try #require(try await place("here").mark())
        try await client.delete("here/gallery-mark")
        let other = try FolderStorage(
            path: folder.file("objects"), publicURL: "http://gallery.example",
            keys: KeyRing(AccountGround.secret), wall: gallery.wall, random: SeededSource(94)
        ) { _ in }
        #expect(try await refusal(of: place("here"), with: other) != nil)
        #expect(try await place("here").mark() == nil)
        #expect(try await refusal(of: place("here")) == nil)
        #expect(try await place("here").mark() == mark)
    }

    private static let other = String(repeating: "a1", count: 16)

    @Test("an operator who says so makes another place that of all", arguments: [false, true])
    func adopting(isMarked: Bool) async throws {
        #expect(try await refusal(of: place("here")) == nil)
        if isMarked { try await place("there").leave(Self.other) }
        let said = try await refusal(of: place("there"))
        #expect(said?.contains(isMarked ? "has another mark" : "lacks the mark") == true, "\(said ?? "")")
        #expect(try await refusal(of: place("there"), adopts: true) == nil)
        #expect(try await refusal(of: place("there")) == nil)
        #expect(try await refusal(of: place("here"))?.contains("has another mark") == true)
    }

    @Test("a database that was restored from before the mark goes by the one that is there")
    func restored() async throws {
        try await place("here").leave(Self.other)
        #expect(try await refusal(of: place("here")) == nil)
        #expect(try await place("here").mark() == Self.other)
        #expect(try await refusal(of: place("there")) != nil)
    }

    @Test("a mark is no photo for who lists them, and is never replaced, nor is another object of its name")
    func marks() async throws {
        let here = place("here")
        try await here.leave("one")
        await #expect(throws: StorageProblem.self) { try await here.leave("two") }
        #expect(try await here.mark() == "one")
        #expect(try await here.list(after: nil, limit: 10).isEmpty)
        for adopts in [false, true] {
            let said = try await refusal(of: here, adopts: adopts)
            #expect(said?.contains("is none that a gallery leaves there") == true, "\(said ?? "")")
        }
        #expect(try await here.mark() == "one")
    }

    @Test("a bucket that is not there keeps no node from its start")
    func nowhere() async throws {
        #expect(try await refusal(of: place("here")) == nil)
        let store = try SeaweedFS.shared.get()
        let keys = try S3Settings(S3Settings.Choice(), environment: store.environment).keys
        let site = try S3Site(bucket: "not-a-bucket-at-all", region: "us-east-1", endpoint: store.endpoint)
        let absent = S3Client(site: site, keys: keys, http: try CurlClient(), wall: SystemWallTime())
        #expect(try await refusal(of: BucketObjects(client: absent, prefix: "")) == nil)
    }

    /// It has the right mark, and takes nothing.
    private struct ReadOnly: MarkedPlace {
        let base: BucketObjects

        func mark() async throws(StorageProblem) -> String? { try await base.mark() }

        func leave(_ mark: String) async throws(StorageProblem) {
            throw StorageProblem(.refused, "403 AccessDenied: these keys may not write")
        }
    }

    @Test(
        "keys that may only read are told of at the start, with what the store says, and guests go on seeing photos"
    )
    func reading() async throws {
        #expect(try await refusal(of: place("here")) == nil)
        #expect(warnings.value.isEmpty, "\(warnings.value)")
        #expect(try await refusal(of: ReadOnly(base: place("here"))) == nil)
        let said = warnings.value
        #expect(said.count == 1 && said.first?.contains("may not write to s3://b/x") == true, "\(said)")
        #expect(said.first?.contains("AccessDenied") == true, "\(said)")
    }
}
