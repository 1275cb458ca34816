import Basics
import Bridge
import Database
import Store
import TestSupport
import Testing
import WorldSupport

/// What a bridge finds when it starts after a crash, row by row of the architecture's table.
@Suite struct RecoveryTests {
    let ground: LedgerGround
    let spool: SpoolGround
    let disk: ForgetfulDisk

    init() async throws {
        ground = try await LedgerGround()
        disk = ForgetfulDisk()
        spool = SpoolGround(disk)
        _ = try await ground.ledger.destination("file:///a", kind: .direct, of: ground.event)
    }

    var event: String { ground.event.id }

    func recover() async throws -> Recovery.Report {
        try await Recovery(ground.ledger, openRoot: spool.openRoot).run()
    }

    /// The second time there is nothing to do, and nothing changes.
    func expectQuiet(resumable: Int = 0, at line: SourceLocation = #_sourceLocation) async throws {
        let before = (try spool.contents(), try ground.entries(), try ground.journal())
        var report = try await recover()
        #expect(report.resumable == resumable, sourceLocation: line)
        report.resumable = 0
        #expect(report.isQuiet, "\(report)", sourceLocation: line)
        #expect(try spool.contents() == before.0, sourceLocation: line)
        #expect(try ground.entries() == before.1, sourceLocation: line)
        #expect(try ground.journal() == before.2, sourceLocation: line)
    }

    func receiving(_ name: String, _ handle: UInt32) async throws -> CaptureID {
        let capture = try await ground.one(offer(name, handle: handle))
        try await ground.ledger.beginReceiving(capture.id, kept: 0, boot: "boot 1")
        return capture.id
    }

    @Test("a new home, and one that was left in order, are quiet")
    func quiet() async throws {
        #expect(try await recover() == Recovery.Report())
        let (id, _) = try await ground.staged(offer("A.JPG", handle: 1), jpeg(1))
        try spool.put(jpeg(1), event, "\(id)-A.JPG")
        try await expectQuiet()
    }

    @Test("a partial file with a row that wants it is kept as it is")
    func resumable() async throws {
        let id = try await receiving("A.JPG", 1)
        try spool.put([1, 2, 3], "incoming", "\(id).part")
        var expected = Recovery.Report()
        expected.resumable = 1
        #expect(try await recover() == expected)
        #expect(try spool.contents() == ["incoming/\(id).part": [1, 2, 3]])
        #expect(try ground.entry(id).state == .receiving)
        try await expectQuiet(resumable: 1)
    }

    @Test("a partial file without a row is put aside and said, and so is what is no photo of ours")
    func putAside() async throws {
        let strange = ["9.part", "x.part", "notes.txt"]
        for name in strange { try spool.put([1], "incoming", name) }
        for name in ["notes.txt", "a-b.JPG", "+1-A.JPG", "01-A.JPG"] { try spool.put([2], event, name) }
        let report = try await recover()
        #expect(report.strays == 7)
        let contents = try spool.contents()
        #expect(contents.keys.allSatisfy { $0.hasPrefix("strays/") } && contents.count == 7)
        #expect(contents["strays/9.part"] == [1])
        #expect(Set([contents["strays/notes.txt"], contents["strays/notes-2.txt"]]) == [[1], [2]])
        for name in strange { #expect(try ground.journal().contains { $0.contains("/\(name) ") }) }
        try await expectQuiet()
    }

    @Test(
        "a file with its final name is whole: its row becomes staged, with its hash and its jobs",
        arguments: [
            CaptureState.announced, .receiving, .lost, .abandoned,
        ])
    func finalName(state: CaptureState) async throws {
        let id =
            try await
            (state == .announced
            ? ground.one(offer("A.JPG", handle: 1)).id : receiving("A.JPG", 1))
        if state == .lost || state == .abandoned {
            try await ground.ledger.settle(id, as: state, because: "so")
        }
        try spool.put(jpeg(1), event, "\(id)-A.JPG")
        var expected = Recovery.Report()
        expected.adopted = 1
        #expect(try await recover() == expected)
        let entry = try ground.entry(id)
        #expect(entry.state == .staged && entry.sha256 == sha(jpeg(1)) && entry.jobs == [.staged: 1])
        #expect(entry.file == "\(id)-A.JPG" && entry.reason == nil)
        #expect(try await ground.claim(1).first?.photo.size == 300)
        _ = try await ground.ledger.rescueJobs()
        try await expectQuiet()
    }

    @Test("what speaks against a whole file is said of it, as it would have been without the crash")
    func doubts() async throws {
        // A comment, a scan, and the end (ITU T.81).
        let whole: [UInt8] =
            [0xFF, 0xD8, 0xFF, 0xFE, 0x01, 0x00] + [UInt8](repeating: 0x20, count: 254)
            + [0xFF, 0xDA, 0, 8, 1, 1, 0, 0, 63, 0] + [UInt8](repeating: 0x11, count: 28) + [0xFF, 0xD9]
        let files: [(name: String, claimed: UInt64, bytes: [UInt8], doubts: Set<PhotoDoubt>)] = [
            ("A.JPG", 300, jpeg(1), []), ("B.JPG", 301, whole, [.size]),
            ("C.JPG", 200, jpeg(2), [.size, .structure]), ("D.JPG", 0, jpeg(3), [.structure]),
            ("E.JPG", 300, Array("plain text".utf8) + jpeg(4, 290), [.beginning]),
        ]
        var made: [(CaptureID, Set<PhotoDoubt>)] = []
        for (index, file) in files.enumerated() {
            let capture = try await ground.one(
                offer(file.name, handle: UInt32(index + 1), size: file.claimed))
            try await ground.ledger.beginReceiving(capture.id, kept: 0, boot: "boot 1")
            try spool.put(file.bytes, event, "\(capture.id)-\(file.name)")
            made.append((capture.id, file.doubts))
        }
        #expect(try await recover().adopted == files.count)
        for (id, doubts) in made { #expect(try ground.entry(id).doubts == doubts, "\(id)") }
        // The camera names the right size by now: the same photo, and nothing to fetch.
        let known = try await ground.one(offer("B.JPG", handle: 2, size: 300), connection: "c2")
        #expect(known.state == .staged && known.id == made[1].0)
    }

    @Test("a partial name that a power cut brings back beside the final one is removed")
    func bothNames() async throws {
        let id = try await receiving("A.JPG", 1)
        try spool.put(jpeg(1), event, "\(id)-A.JPG")
        try spool.put(jpeg(1), "incoming", "\(id).part")
        _ = try await recover()
        #expect(try spool.contents() == ["\(event)/\(id)-A.JPG": jpeg(1)])
        #expect(try ground.entry(id).state == .staged)
        try await expectQuiet()
    }

    @Test(
        "names that were not durable yet are, before a row relies on them", arguments: Cases.seeds(full: 200))
    func cutAfterAdoption(seed: UInt64) async throws {
        // The rename was done and not synced; the program ended there.
        let id = try await receiving("A.JPG", 1)
        try spool.put(jpeg(1), "incoming", "\(id).part")
        let root = disk.root()
        _ = try root.folder(event)
        try root.sync()
        #expect(
            try root.folder("incoming").move("\(id).part", to: root.folder(event), as: "\(id)-A.JPG"))
        let rehearsal = disk.restarted()
        let copy = try await LedgerGround(folder: try ground.copy(), seed: 2)
        _ = try await Recovery(copy.ledger) { () throws(DiskError) in rehearsal.root() }.run()

        for limit in 0...rehearsal.effects.count {
            let again = try await LedgerGround(folder: try ground.copy(), seed: 2)
            let dying = disk.restarted(ForgetfulDisk.Options(diesAfter: limit))
            do {
                _ = try await Recovery(again.ledger) { () throws(DiskError) in dying.root() }.run()
            } catch {
                #expect(error as? DiskError == ForgetfulDisk.death)
            }
            let isStaged = try again.entry(id).state == .staged
            let after = try SpoolGround(dying.powerCut(seed: seed)).contents()
            if isStaged { #expect(after["\(event)/\(id)-A.JPG"] == jpeg(1), "after \(limit)") }
        }
    }

    @Test(
        "whole files that the ledger does not know are adopted, each under its number, whatever their order")
    func withoutRow() async throws {
        let photos = (8...12).map { (number: $0, bytes: jpeg(UInt64($0))) }
        for (number, bytes) in photos { try spool.put(bytes, event, "\(number)-A.JPG") }
        let report = try await recover()
        #expect(report.strays == 5 && report.removed == 0)
        let entries = try ground.entries()
        #expect(entries.map(\.id.number) == [8, 9, 10, 11, 12])
        #expect(entries.map(\.sha256) == photos.map { sha($0.bytes) })
        #expect(entries.allSatisfy { $0.state == .staged && $0.jobs == [.staged: 1] && $0.path == "A.JPG" })
        #expect(try spool.contents().count == 5)
        #expect(try ground.journal().count == 5)
        try await expectQuiet()
    }

    @Test("of two files with the number of one untold row, one is adopted as it, the other by itself")
    func numberTwice() async throws {
        let id = try await receiving("A.JPG", 1)
        try spool.put(jpeg(1), event, "\(id)-A.JPG")
        try spool.put(jpeg(2), event, "\(id)-B.JPG")
        let report = try await recover()
        #expect(report.adopted == 1 && report.strays == 1)
        #expect(try Set(spool.contents().values) == [jpeg(1), jpeg(2)])
        #expect(try ground.entries().map(\.state) == [.staged, .staged])
        #expect(try ground.entry(id).sha256 == sha(jpeg(1)))
        try await expectQuiet()
    }

    @Test("a file whose number belongs to another photo is adopted under a new one")
    func numberTaken() async throws {
        let (id, _) = try await ground.staged(offer("A.JPG", handle: 1), jpeg(1))
        try spool.put(jpeg(1), event, "\(id)-A.JPG")
        try spool.put(jpeg(2), event, "\(id)-B.JPG")
        let party = try await ground.ledger.event("party")
        let (other, _) = try await ground.staged(offer("C.JPG", handle: 2), jpeg(3), in: party)
        try spool.put(jpeg(3), party.id, "\(other)-C.JPG")
        try spool.put(jpeg(4), event, "\(other)-B.JPG")
        _ = try await recover()
        #expect(
            try Set(spool.contents().values) == Set([jpeg(1), jpeg(2), jpeg(3), jpeg(4)]))
        #expect(try ground.entries().map(\.state) == [.staged, .staged, .staged])
        #expect(Set(try ground.entries().map(\.sha256)) == [sha(jpeg(1)), sha(jpeg(2)), sha(jpeg(4))])
        try await expectQuiet()
    }

    @Test("photos of an event that the ledger does not know are found again without it")
    func newLedger() async throws {
        try spool.put(jpeg(1), someEvent, "4-A.JPG")
        _ = try spool.openRoot().folder("holiday")
        _ = try await recover()
        let found = try await ground.ledger.event(someEvent)
        #expect(found.id == someEvent)
        #expect(try ground.entries(found).map(\.sha256) == [sha(jpeg(1))])
        #expect(try ground.number("SELECT count(*) FROM events") == 2)
        try await expectQuiet()
    }
}
