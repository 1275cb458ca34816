import Basics
import Bridge
import Database
import GalleryCopy
import TestSupport
import Testing

/// Files that are damaged, of another format, or of a newer program.
@Suite struct DamageTests {
    private let ground: CopyGround

    init() throws {
        ground = try CopyGround()
    }

    /// A copy of so many photos, with an edit of each.
    private func fill(_ count: Int) async throws -> CopyPlaceID {
        let copy = ground.open()
        let place = try await copy.place(CopyGround.server, event: CopyGround.event)
        let records = (0..<count).map { number in ground.told("photo-\(number)") }
        _ = try await copy.exchange(at: place, with: ScriptedGallery(SyncAnswer.told(records))) { _ in nil }
        var edit = PhotoEdit()
        edit.caption = String(repeating: "A caption. ", count: 20)
        let wish = edit
        _ = try await copy.edit(
            (0..<count).map { EditWish(.photo, record: "photo-\($0)", .photo(wish)) }, at: place)
        try await copy.end()
        return place
    }

    private func spoil(_ body: (inout [UInt8]) -> Void) throws {
        var bytes = try readFile(ground.path)
        body(&bytes)
        try ground.folder.write(bytes, to: CopyDatabase.fileName)
    }

    @Test(
        "the file is for its user alone, and sqlite3 finds nothing wrong with it",
        .enabled(if: Tool.isThere("sqlite3")))
    func sound() async throws {
        _ = try await fill(50)
        let tool = try #require(Tool("sqlite3"))
        #expect(
            try tool.run([
                ground.path, "PRAGMA integrity_check; PRAGMA user_version; SELECT count(*) FROM edits",
            ]).text
                == "ok\n1\n50\n")
    }

    @Test("a file that is no database is begun anew, kept aside, and said")
    func nonsense() async throws {
        try ground.folder.write(
            "this is no database, and long enough to be looked at\n", to: CopyDatabase.fileName)
        let copy = ground.open()
        let place = try await copy.place(CopyGround.server, event: CopyGround.event)
        #expect(try await copy.counts(of: place) == CopyCounts())
        #expect(ground.remarks.value.count == 1)
        #expect(ground.remarks.value.first?.contains("\(ground.path).damaged") == true)
        #expect(ground.folder.contents().contains("\(CopyDatabase.fileName).damaged"))
    }

    @Test("where records are damaged, the edits that were not sent are carried over, each as it was")
    func keepsEdits() async throws {
        _ = try await fill(200)
        let before = ground.open()
        let edits = try await before.entries(at: nil, limit: 1000).map(\.edit)
        try await before.end()
        // The root page of the records becomes no page of a table; its number is SQLite's own word.
        let page = try #require(
            try Connection(path: ground.path, .readOnly).first(
                "SELECT rootpage FROM sqlite_master WHERE name = 'records'"
            ) { try $0.get(0, as: Int.self) })
        try spoil { bytes in
            for place in 0..<4096 { bytes[(page - 1) * 4096 + place] = 0xA5 }
        }
        let copy = ground.open()
        let kept = try await copy.entries(at: nil, limit: 1000).map(\.edit)
        #expect(kept == edits && kept.count == 200)
        #expect(ground.remarks.value.first?.contains("200 edits") == true)
        #expect(try await copy.places().first?.stamp == nil, "everything is asked for again")
    }

    @Test(
        "wherever bytes are spoilt, the copy opens, works, and has all or says what it has lost",
        arguments: Cases.seeds(full: 200))
    func flipped(seed: UInt64) async throws {
        _ = try await fill(40)
        var random = Seeded(seed)
        try spoil { bytes in
            for _ in 0..<Int.random(in: 1...64, using: &random) {
                bytes[Int.random(in: 0..<bytes.count, using: &random)] = UInt8.random(
                    in: 0...255, using: &random)
            }
        }
        let copy = ground.open()
        do {
            let place = try await copy.place(CopyGround.server, event: CopyGround.event)
            let kept = try await copy.entries(at: nil, limit: 1000).count
            #expect(
                kept == 40 || !ground.remarks.value.isEmpty, "seed \(seed): \(kept) edits, and nothing said")
            _ = try await copy.edit(
                [EditWish(.photo, record: nil, capture: CaptureID(1), .photo(Self.rated))], at: place)
        } catch let refusal as Refusal {
            // The header names another program or a newer one by now: nothing is touched.
            guard case .damaged = refusal.reason else { return }
            Issue.record("seed \(seed): \(refusal)")
        }
    }

    private static let rated: PhotoEdit = {
        var edit = PhotoEdit()
        edit.rating = 5
        return edit
    }()

    @Test("a newer program's file is refused with a sentence, and stays as it is")
    func newer() async throws {
        _ = try await fill(1)
        try Connection(path: ground.path, .readWrite).script("PRAGMA user_version = 2")
        let before = try readFile(ground.path)
        let copy = ground.open()
        do {
            _ = try await copy.places()
            Issue.record("it was opened")
        } catch let refusal as Refusal {
            #expect(refusal.reason == .newer(version: 2, known: 1))
            #expect(refusal.description.contains("newer Tetherline"))
        }
        #expect(try readFile(ground.path) == before)
    }
}
