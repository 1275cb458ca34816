import Basics
import Glibc
import ImageCache
import Posix
import TestSupport
import Testing

/// What `tetherline cache` says of a home's images, and what it removes.
@Suite struct CommandTests {
    private func tetherline(_ words: String..., home: String) throws -> Tool.Output {
        try #require(Tool(Built.tetherline)).run(words + ["--home", home])
    }

    private func filled() async throws -> CacheGround {
        let ground = try CacheGround()
        let cache = ground.cache()
        for number in 0..<5 { _ = try await cache.image(ground.request("t\(number)")) }
        _ = try await cache.image(ground.request("s", kind: "screen"))
        await cache.end()
        return ground
    }

    @Test(
        "what is kept is told by kind, in numbers that sqlite3 and the files bear out",
        .enabled(if: Tool.isThere("sqlite3"), "sqlite3 is not installed"))
    func shown() async throws {
        let ground = try await filled()
        let home = ground.folder.path
        let text = try tetherline("cache", "show", home: home)
        #expect(text.code == 0 && text.errors == "")
        #expect(text.lines.first == "6 images, 18.0 kB, in \(ground.path)")
        #expect(text.text.contains("screen  1  3.0 kB") && text.text.contains("thumb   5  15.0 kB"))
        let sqlite = try #require(Tool("sqlite3")).run(
            [
                ground.index,
                """
                SELECT json_object('folder', '\(ground.path)', 'images', (SELECT count(*) FROM images),
                    'bytes', (SELECT sum(size) FROM images),
                    'kinds', (SELECT json_group_array(json_object('kind', kind, 'images', n, 'bytes', b)) FROM
                        (SELECT kind, count(*) n, sum(size) b FROM images GROUP BY kind ORDER BY kind)),
                    'lastUse', strftime('%Y-%m-%dT%H:%M:%S.000Z', max(accessed_at) / 1000, 'unixepoch'),
                    'longestUnused', strftime('%Y-%m-%dT%H:%M:%S.000Z', min(accessed_at) / 1000, 'unixepoch'))
                FROM images
                """,
            ])
        #expect(try tetherline("cache", "show", "--json", home: home).lines == sqlite.lines)
    }

    @Test("all of them are removed, and nothing else of the home")
    func cleared() async throws {
        let ground = try await filled()
        let home = ground.folder.path
        ground.folder.makeFolder("spool")
        try ground.folder.write("a photo", to: "spool/photo.jpg")
        try ground.folder.write("mine", to: "cache/notes.txt")
        let cleared = try tetherline("cache", "clear", home: home)
        #expect(cleared.code == 0 && cleared.lines == ["6 images removed, 18.0 kB"])
        #expect(ground.folder.contents() == ["cache/notes.txt", "lock", "spool/photo.jpg"])
        #expect(try tetherline("cache", "show", home: home).lines == ["no images are kept in \(ground.path)"])
        #expect(try tetherline("cache", "show", "--json", home: home).text.contains("\"images\":0"))
        #expect(try await ground.cache().image(ground.request("t0")).source == .network)
    }

    @Test("a damaged index can be cleared away, and showing it says what to do")
    func damaged() async throws {
        let ground = try await filled()
        try ground.folder.write("no database at all, but long enough to be one", to: "cache/index.sqlite")
        let shown = try tetherline("cache", "show", home: ground.folder.path)
        #expect(shown.code != 0 && shown.errors.contains("tetherline cache clear"))
        #expect(try tetherline("cache", "clear", home: ground.folder.path).code == 0)
        #expect(ground.files() == [])
    }

    @Test("while a bridge holds the home nothing is removed")
    func held() async throws {
        let ground = try await filled()
        let lock = try FileLock(path: ground.folder.file("lock"))
        let cleared = try tetherline("cache", "clear", home: ground.folder.path)
        #expect(cleared.code != 0 && cleared.errors.contains("lock"))
        #expect(ground.files().count == 6)
        withExtendedLifetime(lock) {}
    }
}
