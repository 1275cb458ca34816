import Basics
import Glibc
import Posix
import S3
import TestSupport
import Testing

@testable import Gallery

/// Copies of a bucket's images on a node's own disk.
@Suite(.timeLimit(.minutes(Cases.minutesOfHang))) struct NearCopiesTests {
    private let folder: TemporaryFolder
    private let calendar = StandingCalendar(1_795_269_600)
    private let warnings = Shared<[String]>([])
    /// Of a disk of 1 TiB.
    private let free = Shared<UInt64>(1 << 39)
    private static let (one, two, three) = (key("1"), key("2"), key("3"))

    init() throws {
        folder = try TemporaryFolder(in: TemporaryFolder.memory)
    }

    private static func key(_ digit: String) -> String { String(repeating: digit, count: 32) }

    private func copies(most: UInt64 = CopyLimits.usualBytes) throws -> NearCopies {
        let (warnings, free) = (warnings, free)
        return try NearCopies(
            in: folder.file("copies"), most: most, wall: calendar,
            warn: { line in warnings.change { $0.append(line) } }, space: { _ in (free.value, 1 << 40) })
    }

    private func bytes(_ content: ObjectContent?) throws -> [UInt8]? {
        guard case .copy(let copy) = content else { return nil }
        let bytes = try readFile(copy.path)
        #expect(UInt64(bytes.count) == copy.size)
        return bytes
    }

    private func names() throws -> [String] { try Directory(path: folder.file("copies")).names(limit: 100) }

    @Test("what was fetched once is at hand from then on, of the size that was noted and of no other")
    func kept() async throws {
        let copies = try copies()
        #expect(copies.atHand(Self.one, size: 3) == nil)
        let content = try await copies.content(of: Self.one, size: 3) { () throws(StorageProblem) in
            [1, 2, 3]
        }
        #expect(try bytes(content) == [1, 2, 3])
        #expect(try bytes(copies.atHand(Self.one, size: 3)) == [1, 2, 3])
        #expect(copies.atHand(Self.one, size: 4) == nil && copies.atHand(Self.two, size: 3) == nil)
        #expect(copies.figures.fetched == 1 && copies.figures.bytes == 3)
    }

    @Test("clients that ask for the same object meanwhile wait for one fetch, and each of them gets it")
    func together() async throws {
        let copies = try copies()
        let (gate, fetches) = (AsyncStream.makeStream(of: Void.self), Shared(0))
        let found = try await withThrowingTaskGroup(of: [UInt8]?.self) { group in
            for _ in 0..<20 {
                group.addTask {
                    let content = try await copies.content(of: Self.one, size: 1) {
                        () throws(StorageProblem) in
                        fetches.change { $0 += 1 }
                        for await _ in gate.stream { break }
                        return [7]
                    }
                    return try bytes(content)
                }
            }
            // The first is under way before it may end.
            while fetches.value == 0 { await Task.yield() }
            gate.continuation.yield()
            return try await group.reduce(into: [[UInt8]?]()) { $0.append($1) }
        }
        #expect(found == Array(repeating: [7], count: 20))
        // Those that came after its end found the copy.
        #expect(fetches.value == 1 && copies.figures.fetched == 1)
    }

    @Test("what a fetch says that fails is said to who asked, and it is tried again by the next")
    func failed() async throws {
        let copies = try copies()
        await #expect(throws: StorageProblem.self) {
            try await copies.content(of: Self.one, size: 1) { () throws(StorageProblem) in
                throw StorageProblem(.unavailable, "the bucket does not answer")
            }
        }
        #expect(copies.atHand(Self.one, size: 1) == nil)
        let content = try await copies.content(of: Self.one, size: 1) { () throws(StorageProblem) in [1] }
        #expect(try bytes(content) == [1])
    }

    @Test("where there is no room for more, the one that was not asked for for longest goes, with its file")
    func surplus() async throws {
        let copies = try copies(most: 250)
        let large = [UInt8](repeating: 1, count: 100)
        for key in [Self.one, Self.two] {
            _ = try await copies.content(of: key, size: 100) { () throws(StorageProblem) in large }
            calendar.advance(by: .milliseconds(1))
        }
        #expect(copies.atHand(Self.one, size: 100) != nil)
        calendar.advance(by: .milliseconds(1))
        _ = try await copies.content(of: Self.three, size: 100) { () throws(StorageProblem) in large }
        // Room is made when it has been given out.
        while try names().count > 2 { await Task.yield() }
        #expect(copies.atHand(Self.two, size: 100) == nil)
        #expect(copies.atHand(Self.one, size: 100) != nil && copies.atHand(Self.three, size: 100) != nil)
        // What is larger than all of it is given out, and not kept.
        let huge = [UInt8](repeating: 2, count: 251)
        let content = try await copies.content(of: Self.two, size: 251) { () throws(StorageProblem) in huge }
        #expect(content == .bytes(huge))
        #expect(try names().count == 2)
    }

    @Test("what is deleted is forgotten with its file, also when it was being fetched")
    func forgotten() async throws {
        let copies = try copies()
        _ = try await copies.content(of: Self.one, size: 1) { () throws(StorageProblem) in [1] }
        await copies.forget(Self.one)
        #expect(copies.atHand(Self.one, size: 1) == nil)
        let content = try await copies.content(of: Self.one, size: 1) { () async throws(StorageProblem) in
            await copies.forget(Self.one)
            return [2]
        }
        #expect(content == .bytes([2]))
        #expect(copies.atHand(Self.one, size: 1) == nil)
        #expect(try names() == [])
    }

    @Test("a copy is good for an hour, and then its file goes, also where nothing new comes")
    func old() async throws {
        let copies = try copies()
        _ = try await copies.content(of: Self.one, size: 1) { () throws(StorageProblem) in [1] }
        calendar.advance(by: CopyLimits.life - .seconds(1))
        await copies.tidy()
        #expect(copies.atHand(Self.one, size: 1) != nil)
        calendar.advance(by: .seconds(1))
        #expect(copies.atHand(Self.one, size: 1) == nil)
        #expect(try names().count == 1)
        await copies.tidy()
        #expect(try names() == [])
    }

    @Test("a disk that takes nothing is said once; what was asked for is given out all the same")
    func troubled() async throws {
        let copies = try copies()
        #expect(rmdir(folder.file("copies")) == 0)
        for key in [Self.one, Self.two] {
            let content = try await copies.content(of: key, size: 1) { () throws(StorageProblem) in [1] }
            #expect(content == .bytes([1]))
        }
        #expect(warnings.value.count == 1, "\(warnings.value)")
        #expect(warnings.value.first?.contains("copies") == true, "\(warnings.value)")
    }

    @Test(
        "on a disk that is nearly full nothing is kept, it is said once, and what was kept before gives its room back"
    )
    func short() async throws {
        let copies = try copies()
        for key in [Self.one, Self.two] {
            _ = try await copies.content(of: key, size: 1) { () throws(StorageProblem) in [1] }
            calendar.advance(by: .milliseconds(1))
        }
        free.change { $0 = (1 << 30) - 1 }
        for _ in 0..<2 {
            let content = try await copies.content(of: Self.three, size: 1) { () throws(StorageProblem) in [1]
            }
            #expect(content == .bytes([1]))
        }
        #expect(warnings.value.count == 1, "\(warnings.value)")
        #expect(warnings.value.first?.contains("nearly full") == true, "\(warnings.value)")
        // Those that were asked for last may be on their way to clients.
        #expect(copies.atHand(Self.two, size: 1) != nil)
        await copies.tidy()
        #expect(copies.atHand(Self.one, size: 1) == nil && copies.atHand(Self.two, size: 1) != nil)
        #expect(try names().count == 1 && copies.figures.bytes == 1)
        await copies.tidy()
        #expect(try names() == [] && copies.figures.bytes == 0)
        free.change { $0 = 1 << 30 }
        let content = try await copies.content(of: Self.three, size: 1) { () throws(StorageProblem) in [1] }
        #expect(try bytes(content) == [1])
    }

    @Test("a file that something else has removed is fetched again")
    func removed() async throws {
        let copies = try copies()
        for byte in [UInt8(1), 2] {
            let content = try await copies.content(of: Self.one, size: 1) { () throws(StorageProblem) in
                [byte]
            }
            #expect(try bytes(content) == [byte])
            for name in try names() { #expect(unlink("\(folder.file("copies"))/\(name)") == 0) }
            // It is looked for once a second.
            calendar.advance(by: .seconds(1))
            #expect(copies.atHand(Self.one, size: 1) == nil)
        }
        #expect(copies.figures.fetched == 2 && copies.figures.bytes == 1)
        await copies.forget(Self.one)
        #expect(copies.figures.bytes == 0 && warnings.value == [])
    }

    @Test("a fetch ends with the last client that waits for it")
    func left() async throws {
        let copies = try copies()
        let (begun, ended) = (Shared(0), Shared(0))
        let clients = (0..<2).map { _ in
            Task {
                try await copies.content(of: Self.one, size: 1) { () async throws(StorageProblem) in
                    let (never, hold) = AsyncStream.makeStream(of: Void.self)
                    begun.change { $0 += 1 }
                    // Only being cancelled ends it.
                    for await _ in never {}
                    withExtendedLifetime(hold) {}
                    ended.change { $0 += 1 }
                    throw StorageProblem(.unavailable, "the client has gone")
                }
            }
        }
        while begun.value == 0 { await Task.yield() }
        for client in clients { client.cancel() }
        for client in clients {
            await #expect(throws: StorageProblem.self) { try await client.value }
        }
        #expect(ended.value == begun.value)
    }

    @Test(
        "a start begins with nothing, whatever a run before has left, also where no copies are kept any more")
    func emptied() async throws {
        _ = try await copies().content(of: Self.one, size: 1) { () throws(StorageProblem) in [1] }
        let next = try copies()
        #expect(next.atHand(Self.one, size: 1) == nil)
        #expect(try names() == [])
        _ = try await next.content(of: Self.one, size: 1) { () throws(StorageProblem) in [1] }
        try NearCopies.clear(folder.file("copies"))
        #expect(try names() == [])
        try NearCopies.clear(folder.file("never made"))
        // What an operator has there is no copy.
        folder.makeFolder("copies/2026")
        try folder.write([1], to: "copies/wedding.tar")
        try NearCopies.clear(folder.file("copies"))
        _ = try copies()
        #expect(try names().sorted() == ["2026", "wedding.tar"])
    }

    @Test(
        "a bucket's rendition is fetched once, an original is not kept, and what is deleted is missing",
        .enabled(if: SeaweedFS.isThere, "SeaweedFS is not installed; tools/setup does it"))
    func bucket() async throws {
        let place = try StoragePlace(.s3)
        let client = try #require(place.bucket)
        let storage = try S3Storage(
            BucketObjects(client: client, prefix: "a gallery/"), workshop: folder.file("workshop"),
            wall: calendar, random: SystemRandomSource(), copies: try copies())
        try folder.write([1, 2, 3], to: "made")
        try await storage.keep(folder.file("made"), as: Self.one, type: "image/jpeg")
        #expect(storage.contentAtHand(of: Self.one, size: 3, savedAs: nil) == nil)
        let content = try await storage.content(of: Self.one, size: 3, savedAs: nil)
        #expect(try bytes(content) == [1, 2, 3])
        // From now on the bucket is not asked.
        try await client.delete("a gallery/\(Self.one)")
        #expect(storage.contentAtHand(of: Self.one, size: 3, savedAs: nil) == content)
        // Who saves it is given the same bytes.
        #expect(storage.contentAtHand(of: Self.one, size: 3, savedAs: "attachment") == content)
        try await storage.remove(Self.one)
        await #expect(throws: StorageProblem.self) {
            try await storage.content(of: Self.one, size: 3, savedAs: nil)
        }
        let large = storage.contentAtHand(of: Self.two, size: 5 << 20, savedAs: nil)
        guard case .elsewhere = large else {
            throw Surprise("an original is given out as \(String(describing: large))")
        }
        await place.stop()
    }
}
