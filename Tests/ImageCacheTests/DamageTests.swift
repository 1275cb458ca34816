import Basics
import Database
import Glibc
import HTTPServer
import ImageCache
import TestSupport
import Testing

/// An index that the disk, a power cut or a person has changed: whatever is in it, what is shown is right.
@Suite struct DamageTests {
    static let keys = (0..<20).map { "k\($0)" }

    private func filled(_ ground: CacheGround) async throws {
        let cache = ground.cache()
        for key in Self.keys { _ = try await cache.image(ground.request(key)) }
        await cache.end()
    }

    /// Every image is right, and the folder holds what the index says, no more and no less.
    private func check(_ ground: CacheGround, _ note: String) async throws -> ImageCacheFigures {
        let cache = ground.cache()
        for key in Self.keys {
            let image = try await cache.image(ground.request(key))
            #expect(
                image.bytes == ImageServer.bytes(key) && image.contentType == "image/jpeg", "\(note), \(key)")
        }
        let figures = cache.figures
        #expect(figures.problem == nil, "\(note)")
        #expect(ground.files() == Set(Self.keys.map(CacheGround.name)), "\(note)")
        await cache.end()
        let sqlite = try #require(Tool("sqlite3"))
        let judged = try sqlite.run(
            [ground.index, "PRAGMA integrity_check; SELECT cache_key FROM images WHERE deleted_at IS NULL"])
        #expect(judged.lines.first == "ok" && Set(judged.lines.dropFirst()) == ground.files(), "\(note)")
        return figures
    }

    enum Harm: CaseIterable {
        case missing
        case empty
        case zeroes
        case cut
        case text
        case picture
        case otherProgram
        case newer
        case tableGone
    }

    private func harm(_ ground: CacheGround, _ harm: Harm) throws {
        let whole = try readFile(ground.index)
        let name = "cache/index.sqlite"
        switch harm {
        case .missing: unlink(ground.index)
        case .empty: try TemporaryFolder.cut(ground.index, to: 0)
        case .zeroes: try ground.folder.write([UInt8](repeating: 0, count: whole.count), to: name)
        case .cut: try TemporaryFolder.cut(ground.index, to: whole.count * 2 / 3)
        case .text: try ground.folder.write("These are not the images you are looking for.\n", to: name)
        case .picture:
            try ground.folder.write([0x89, 0x50, 0x4E, 0x47, 13, 10, 26, 10] + whole.dropFirst(8), to: name)
        case .otherProgram, .newer, .tableGone:
            let database = try Connection(path: ground.index, .readWrite)
            switch harm {
            case .otherProgram: try database.script("PRAGMA application_id = 7")
            case .newer: try database.script("PRAGMA user_version = 99")
            default: try database.script("DROP TABLE images")
            }
        }
    }

    @Test(
        "an index that is none is begun anew, and every image is had again",
        .enabled(if: Tool.isThere("sqlite3"), "sqlite3 is not installed"), arguments: Harm.allCases)
    func harmed(harm: Harm) async throws {
        let ground = try CacheGround()
        try await filled(ground)
        try self.harm(ground, harm)
        let figures = try await check(ground, "\(harm)")
        #expect(figures.fetches == 20)
        #expect(try await check(ground, "\(harm), again").diskHits == 20)
    }

    @Test(
        "bits that have flipped in the index make no image wrong",
        .enabled(if: Tool.isThere("sqlite3"), "sqlite3 is not installed"), arguments: Cases.seeds(full: 300))
    func flips(seed: UInt64) async throws {
        var random = Seeded(seed)
        let ground = try CacheGround()
        try await filled(ground)
        var bytes = try readFile(ground.index)
        for _ in 0..<Int.random(in: 1...8, using: &random) {
            bytes[Int.random(in: bytes.indices, using: &random)] ^=
                1 << UInt8.random(in: 0..<8, using: &random)
        }
        try ground.folder.write(bytes, to: "cache/index.sqlite")
        let figures = try await check(ground, "seed \(seed)")
        #expect(figures.diskHits + figures.fetches == 20)
    }

    @Test(
        "bits that flip while it is used are found, too, and cost fetches and no more",
        arguments: Cases.seeds(full: 100))
    func flipsInUse(seed: UInt64) async throws {
        var random = Seeded(seed)
        let ground = try CacheGround()
        try await filled(ground)
        let cache = ground.cache { $0.memoryBytes = 0 }
        _ = try await cache.image(ground.request("k0"))
        let size = try readFile(ground.index).count
        let file = try #require(fopen(ground.index, "r+b"))
        for _ in 0..<50 {
            fseek(file, Int.random(in: 0..<size, using: &random), SEEK_SET)
            fputc(Int32.random(in: 0..<256, using: &random), file)
        }
        fclose(file)
        for key in Self.keys {
            let image = try await cache.image(ground.request(key))
            #expect(
                image.bytes == ImageServer.bytes(key) && image.contentType == "image/jpeg",
                "seed \(seed), \(key)")
        }
        await cache.forget(.all)
        #expect(ground.files() == [], "seed \(seed)")
    }

    @Test(
        "a file that was changed, cut or replaced is fetched anew",
        arguments: ["flip", "cut", "empty", "link", "gone"])
    func files(how: String) async throws {
        let ground = try CacheGround()
        try await filled(ground)
        let name = "cache/\(CacheGround.name("k7"))"
        let path = ground.folder.file(name)
        switch how {
        case "flip":
            var bytes = try readFile(path)
            bytes[1500] ^= 4
            try ground.folder.write(bytes, to: name)
        case "cut": try TemporaryFolder.cut(path, to: 100)
        case "empty": try TemporaryFolder.cut(path, to: 0)
        case "link":
            try ground.folder.write(try readFile(path), to: "elsewhere")
            unlink(path)
            symlink(ground.folder.file("elsewhere"), path)
        default: unlink(path)
        }
        let cache = ground.cache()
        let image = try await cache.image(ground.request("k7"))
        #expect(image.source == .network && image.bytes == ImageServer.bytes("k7"))
        #expect(try await cache.image(ground.request("k8")).source == .disk)
    }

    @Test("files without a row are swept, and what the cache has not made stays")
    func orphans() async throws {
        let ground = try CacheGround()
        try await filled(ground)
        let orphan = CacheGround.name("orphan")
        for name in [orphan, "\(orphan).part", "notes.txt", "\(orphan).jpg", orphan.uppercased()] {
            try ground.folder.write("x", to: "cache/\(name)")
        }
        let cache = ground.cache()
        await cache.tidy()
        #expect(
            ground.files()
                == Set(Self.keys.map(CacheGround.name) + ["notes.txt", "\(orphan).jpg", orphan.uppercased()]))
    }

    @Test(
        "where the disk cannot be used, images come from memory and network, and it is said why; later it is tried again"
    )
    func unusable() async throws {
        let ground = try CacheGround()
        try ground.folder.write("a file", to: "cache")
        let cache = ground.cache()
        #expect(try await cache.image(ground.request("a")).source == .network)
        #expect(try await cache.image(ground.request("a")).source == .memory)
        let problem = try #require(cache.figures.problem)
        #expect(problem.contains(ground.path) && problem.contains("Not a directory"))
        unlink(ground.path)
        ground.clock.advance(by: .seconds(30))
        _ = try await cache.image(ground.request("b"))
        #expect(ground.files() == [CacheGround.name("b")] && cache.figures.problem == nil)
    }
}
