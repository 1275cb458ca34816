import Basics
import Digest
import Gallery
import HTTPServer
import S3
import TestSupport
import Testing

/// What the gallery relies on, asked of every kind of storage.
@Suite(.enabled(if: Tool.isThere("curl"), "curl is the judge"))
struct StorageConformanceTests {
    typealias Kind = StoragePlace.Kind

    let bytes = (0..<300_000).map { UInt8(truncatingIfNeeded: $0 &* 7 >> 3) }

    @Test("curl puts bytes by a URL and its headers, and there they are", arguments: Kind.there)
    func putting(kind: Kind) async throws {
        let place = try StoragePlace(kind)
        for (key, hashed) in [(StoragePlace.key, true), (String(StoragePlace.key.reversed()), false)] {
            let storage = place.storage
            #expect(try await storage.look(key) == nil)
            let there = try await storage.place(place.claim(bytes, key: key, hashed: hashed))
            #expect(try await place.put(bytes, at: there) == 200)
            #expect(try await storage.look(key)?.size == UInt64(bytes.count))
            #expect(try await storage.withFile(key) { try readFile($0) } == bytes)
            #expect(try await place.put(bytes, at: there) == 412, "it is there already")
        }
        #expect(try await place.storage.list(after: nil, limit: 10).count == 2)
        await place.stop()
    }

    @Test("what was not signed so is refused, and nothing lies there", arguments: Kind.there)
    func refusals(kind: Kind) async throws {
        let place = try StoragePlace(kind)
        let there = try await place.storage.place(place.claim(bytes))
        let changes: [[String: String]] = [
            ["Content-Type": "text/html"], ["If-None-Match": ""],
            ["x-amz-checksum-sha256": Base64.text(SHA256.of([1]).bytes)],
            ["x-amz-checksum-sha256": ""],
        ]
        for change in changes {
            let status = try await place.put(bytes, at: there, changing: change)
            #expect([400, 403].contains(status), "\(change): \(status)")
        }
        let longer = try await place.put(bytes + [0], at: there, changing: ["Content-Length": "300001"])
        #expect([400, 403].contains(longer))
        let other = String(StoragePlace.key.reversed())
        let moved = UploadTarget(
            url: there.url.split(separator: StoragePlace.key).joined(separator: other),
            requiredHeaders: there.requiredHeaders)
        #expect(try await place.put(bytes, at: moved) == 403)
        var wrong = bytes
        wrong[7] ^= 1
        #expect(try await place.put(wrong, at: there) == 400, "the bytes have another hash")
        #expect(try await place.storage.look(StoragePlace.key) == nil)
        #expect(try await place.storage.look(other) == nil)
        #expect(try await place.put(bytes, at: there) == 200, "the URL is as good as before")
        await place.stop()
    }

    @Test("a URL ends when it was said to end", arguments: Kind.there)
    func expiry(kind: Kind) async throws {
        let place = try StoragePlace(kind)
        // A bucket's clock is the machine's; a folder's is the one that it was given.
        if kind == .s3 { place.calendar.advance(by: .seconds(-600)) }
        let there = try await place.storage.place(place.claim(bytes))
        if kind == .folder { place.calendar.advance(by: .seconds(600)) }
        #expect(try await place.put(bytes, at: there) == 403)
        if kind == .s3 { place.calendar.advance(by: .seconds(600)) }
        #expect(try await place.storage.look(StoragePlace.key) == nil)
        await place.stop()
    }

    @Test(
        "a file that was made here is kept once under a key, and gone from where it was",
        arguments: Kind.there)
    func keeping(kind: Kind) async throws {
        let place = try StoragePlace(kind)
        let storage = place.storage
        for (number, expected) in [(1, nil), (2, StorageProblem.Meaning.taken)] {
            let file = "\(storage.workshop)/rendition \(number)"
            try write(bytes + [UInt8(number)], to: file)
            let problem = try await place.problem {
                try await storage.keep(file, as: StoragePlace.key, type: "image/jpeg")
            }
            #expect(problem == expected)
            #expect(Tool.isThere(file) == false)
        }
        #expect(try await storage.withFile(StoragePlace.key) { try readFile($0) } == bytes + [1])
        let elsewhere = place.scratch.file("elsewhere")
        try place.scratch.write([1, 2, 3], to: "elsewhere")
        let other = String(StoragePlace.key.reversed())
        try await storage.keep(elsewhere, as: other, type: "image/jpeg")
        #expect(try await storage.look(other)?.size == 3)
        await place.stop()
    }

    @Test("what is removed is gone, and may be removed again", arguments: Kind.there)
    func removing(kind: Kind) async throws {
        let place = try StoragePlace(kind)
        let storage = place.storage
        try place.scratch.write([1, 2, 3], to: "file")
        try await storage.keep(place.scratch.file("file"), as: StoragePlace.key, type: "image/jpeg")
        for _ in 0..<2 {
            try await storage.remove(StoragePlace.key)
            #expect(try await storage.look(StoragePlace.key) == nil)
        }
        let meaning = try await place.problem { try await storage.withFile(StoragePlace.key) { _ in } }
        #expect(meaning == .missing)
        #expect(
            try await place.problem {
                _ = try await storage.content(of: StoragePlace.key, size: 3, savedAs: nil)
            }
                == .missing)
        await place.stop()
    }

    @Test(
        "all objects come page by page, in the order of their keys, each once and with its size",
        arguments: Kind.there)
    func listing(kind: Kind) async throws {
        let place = try StoragePlace(kind)
        var chance = Seeded(3)
        let keys = (0..<23).map { number in
            // Some that share their first folders, and some that do not.
            Hexadecimal.text((number < 8 ? [0, UInt8(number / 4)] : chance.bytes(2)) + chance.bytes(14))
        }
        for (number, key) in keys.enumerated() {
            try place.scratch.write([UInt8](repeating: 1, count: number + 1), to: key)
            try await place.storage.keep(place.scratch.file(key), as: key, type: "image/jpeg")
        }
        let sizes = Dictionary(uniqueKeysWithValues: keys.enumerated().map { ($1, UInt64($0 + 1)) })
        let expected = keys.sorted().map { ListedObject(key: $0, size: sizes[$0] ?? 0) }
        #expect(try await place.storage.list(after: nil, limit: 1000) == expected)
        var found: [ListedObject] = []
        while let page = Optional(try await place.storage.list(after: found.last?.key, limit: 5)),
            !page.isEmpty
        {
            #expect(page.count <= 5)
            found += page
        }
        #expect(found == expected)
        await place.stop()
    }

    @Test("a part of an object is read as it was found, and of nothing else", arguments: Kind.there)
    func reading(kind: Kind) async throws {
        let place = try StoragePlace(kind)
        let storage = place.storage
        try place.scratch.write(bytes, to: "file")
        try await storage.keep(place.scratch.file("file"), as: StoragePlace.key, type: "image/jpeg")
        let found = try #require(try await storage.look(StoragePlace.key))
        for part in [0..<1, 7..<70_000, 299_999..<300_000, 0..<300_000] as [Range<UInt64>] {
            let expected = Array(bytes[Int(part.lowerBound)..<Int(part.upperBound)])
            #expect(try await storage.read(StoragePlace.key, part, of: found) == expected)
        }
        try await storage.remove(StoragePlace.key)
        let meaning = try await place.problem {
            _ = try await storage.read(StoragePlace.key, 0..<9, of: found)
        }
        #expect(meaning == .missing)
        try place.scratch.write(bytes + [1], to: "longer")
        try await storage.keep(place.scratch.file("longer"), as: StoragePlace.key, type: "image/jpeg")
        #expect(
            try await place.problem { _ = try await storage.read(StoragePlace.key, 0..<9, of: found) }
                == .missing, "it is another now")
        await place.stop()
    }

    @Test(
        "what is not the gallery's in a bucket is passed over, also where it is a page and more",
        .enabled(if: SeaweedFS.isThere, "SeaweedFS is not installed; tools/setup does it"))
    func strangers() async throws {
        let place = try StoragePlace(.s3)
        let bucket = try #require(place.bucket)
        try place.scratch.write([1], to: "file")
        let content = S3Content(
            file: FileSlice(path: place.scratch.file("file"), count: 1), sha256: SHA256.of([1]), type: "a/b")
        for name in ["a gallery/0.txt", "a gallery/1.txt", "a gallery/2.txt", "a gallery/zzz", "b"] {
            try await bucket.put(name, content)
        }
        let key = StoragePlace.key.replacing("0", with: "9")
        try await place.storage.keep(place.scratch.file("file"), as: key, type: "image/jpeg")
        for limit in [1, 2, 1000] {
            let all = try await place.storage.list(after: nil, limit: limit)
            #expect(all == [ListedObject(key: key, size: 1)])
            #expect(try await place.storage.list(after: key, limit: limit) == [])
        }
    }

    @Test("a rendition is given out with its bytes", arguments: Kind.there)
    func serving(kind: Kind) async throws {
        let place = try StoragePlace(kind)
        try place.scratch.write(bytes, to: "file")
        try await place.storage.keep(place.scratch.file("file"), as: StoragePlace.key, type: "image/jpeg")
        let size = UInt64(bytes.count)
        let content = try await place.storage.content(of: StoragePlace.key, size: size, savedAs: nil)
        switch content {
        case .file(let path, let found):
            #expect(try readFile(path) == bytes && found == size)
        case .copy: Issue.record("it keeps no copies")
        case .bytes(let found): #expect(found == bytes)
        case .elsewhere: Issue.record("it is small enough to be given out here")
        }
        // What is at hand is the same, where the storage is at hand at all.
        let atHand = place.storage.contentAtHand(of: StoragePlace.key, size: size, savedAs: nil)
        #expect(atHand == (kind == .folder ? content : nil))
        await place.stop()
    }

    @Test(
        "for an original a browser is sent to the bucket, which gives it only by that signed URL",
        .enabled(if: SeaweedFS.isThere, "SeaweedFS is not installed; tools/setup does it"))
    func redirecting() async throws {
        let place = try StoragePlace(.s3)
        let large = bytes + [UInt8](repeating: 1, count: 5 << 20)
        try place.scratch.write(large, to: "file")
        try await place.storage.keep(place.scratch.file("file"), as: StoragePlace.key, type: "image/jpeg")
        let content = try await place.storage.content(
            of: StoragePlace.key, size: UInt64(large.count), savedAs: nil)
        guard case .elsewhere(let url) = content else { throw Surprise("\(content) is no address") }
        let got = place.scratch.file("got")
        let storage = place.storage
        let size = UInt64(large.count)
        let calendar = place.calendar
        let answer = try await place.curl {
            // The address is good for a minute from now, not from when this test began.
            calendar.catchUp()
            let fresh = storage.contentAtHand(of: StoragePlace.key, size: size, savedAs: nil)
            guard case .elsewhere(let url) = fresh else { throw Surprise("there is no address at hand") }
            return ["-o", got, "-w", "%{http_code} %{content_type}", url]
        }
        #expect(answer == "200 image/jpeg")
        #expect(try readFile(got) == large)
        let bare = try #require(url.split(separator: "?").first)
        #expect(try await place.curl(["-o", got, "-w", "%{http_code}", String(bare)]) == "403")
    }

    @Test("of many who put something under one key at once, one does")
    func race() async throws {
        let place = try StoragePlace(.folder)
        let there = try await place.storage.place(place.claim(bytes, hashed: false))
        let variants = (0..<8).map { number in [UInt8(number)] + bytes.dropFirst() }
        let statuses = await withTaskGroup(of: Int.self) { group in
            for variant in variants {
                group.addTask {
                    do { return try await place.put(variant, at: there) } catch { return 0 }
                }
            }
            return await group.reduce(into: []) { $0.append($1) }
        }
        #expect(statuses.sorted() == [200] + [Int](repeating: 412, count: 7))
        let winner = try await place.storage.withFile(StoragePlace.key) { try readFile($0) }
        #expect(variants.contains(winner))
        await place.stop()
    }

    private func write(_ bytes: [UInt8], to path: String) throws {
        let folder = try TemporaryFolder()
        try folder.write(bytes, to: "made")
        let tool = try #require(Tool("mv"))
        #expect(try tool.run([folder.file("made"), path]).code == 0)
    }
}
