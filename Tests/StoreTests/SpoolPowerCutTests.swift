import Basics
import Bridge
import Store
import TestSupport
import Testing
import WorldSupport

/// What was committed after ``Spool/finish(_:_:modified:)`` returned is whole, whenever the power
/// goes.
@Suite struct SpoolPowerCutTests {
    static let photos: [(id: CaptureID, name: String, bytes: [UInt8])] = (1...3).map {
        (CaptureID($0), "IMG_000\($0).JPG", jpeg(UInt64($0), 200 + 50 * Int($0)))
    }

    /// What a ledger would know, and it never forgets.
    struct Notes: Sendable {
        var rows: [CaptureID: Capture] = [:]
        var committed: [CaptureID: String] = [:]
    }

    /// Fetches every photo that is not committed, until the disk dies.
    func run(_ disk: ForgetfulDisk, boot: String, _ notes: inout Notes) async throws {
        let spool = SpoolGround(disk).spool(boot: boot)
        do {
            for (id, name, bytes) in Self.photos where notes.committed[id] == nil {
                var row = notes.rows[id] ?? Capture(id: id, state: .announced)
                let incoming = try await spool.open(
                    row, offer(UInt64(bytes.count), name: name), mayResume: true)
                row.state = .receiving
                row.verified = min(row.verified, incoming.kept)
                row.boot = boot
                notes.rows[id] = row
                for start in stride(from: Int(incoming.kept), to: bytes.count, by: 64) {
                    let piece = Array(bytes[start..<min(start + 64, bytes.count)])
                    try incoming.file.write(piece, at: UInt64(start))
                    if (start / 64).isMultiple(of: 2) { continue }
                    try incoming.file.syncData()
                    notes.rows[id]?.verified = UInt64(start + piece.count)
                }
                let end = try await spool.finish(
                    incoming, finish(id, UInt64(bytes.count), name: name), modified: 1_700_000_000)
                guard case .whole(let file, []) = end else {
                    Issue.record("\(name) is not whole: \(end)")
                    continue
                }
                notes.committed[id] = file
            }
        } catch {
            guard error == ForgetfulDisk.death else { throw error }
        }
    }

    /// What went against the promise, a sentence each.
    func violations(_ disk: ForgetfulDisk, _ notes: Notes) throws -> [String] {
        let contents = try SpoolGround(disk).contents()
        var found: [String] = []
        for (id, name, bytes) in Self.photos {
            let path = "\(someEvent)/\(id)-\(name)"
            if notes.committed[id] != nil, contents[path] == nil { found.append("\(path) is gone") }
            // A final name means a whole file, committed or not.
            if let there = contents[path], there != bytes { found.append("\(path) has other bytes") }
        }
        return found
    }

    /// How many side effects there are when nothing goes wrong.
    func effects() async throws -> Int {
        let disk = ForgetfulDisk()
        var notes = Notes()
        try await run(disk, boot: "boot 1", &notes)
        #expect(notes.committed.count == Self.photos.count)
        return disk.effects.count
    }

    @Test(
        "a power cut after any side effect loses nothing that was committed, and the next boot brings the rest"
    )
    func nothingIsLost() async throws {
        for limit in 0...(try await effects()) {
            for seed in Cases.seeds(full: 60) {
                let disk = ForgetfulDisk(ForgetfulDisk.Options(diesAfter: limit))
                var notes = Notes()
                try await run(disk, boot: "boot 1", &notes)
                let after = disk.powerCut(seed: seed)
                #expect(try violations(after, notes) == [], "after \(limit) effects, seed \(seed)")

                try await run(after, boot: "boot 2", &notes)
                #expect(notes.committed.count == Self.photos.count)
                #expect(try violations(after.powerCut(seed: seed), notes) == [], "\(limit), seed \(seed)")
            }
        }
    }

    @Test("when only the program ends, after any side effect, the same boot goes on from what is there")
    func programEnds() async throws {
        for limit in 0...(try await effects()) {
            let disk = ForgetfulDisk(ForgetfulDisk.Options(diesAfter: limit))
            var notes = Notes()
            try await run(disk, boot: "boot 1", &notes)
            let after = disk.restarted()
            try await run(after, boot: "boot 1", &notes)
            #expect(notes.committed.count == Self.photos.count, "after \(limit) effects")
            #expect(try violations(after.powerCut(seed: 1), notes) == [], "after \(limit) effects")
        }
    }

    @Test(
        "the folder's fsync is what makes it durable: a disk that never writes names loses committed photos")
    func folderSyncMatters() async throws {
        var losses = 0
        for limit in 0...(try await effects()) {
            for seed in Cases.seeds(full: 60) {
                let disk = ForgetfulDisk(ForgetfulDisk.Options(forgetsFolderSync: true, diesAfter: limit))
                var notes = Notes()
                try await run(disk, boot: "boot 1", &notes)
                losses += try violations(disk.powerCut(seed: seed), notes).count
            }
        }
        #expect(losses > 0)
    }

    @Test("after another boot only the noted length is trusted; in the same boot every byte is")
    func trust() async throws {
        let bytes = jpeg(9)
        let disk = ForgetfulDisk()
        let capture = Capture(id: CaptureID(1), state: .receiving, verified: 100, boot: "boot 1")
        let first = try await SpoolGround(disk).spool().open(
            Capture(id: CaptureID(1), state: .announced), offer(300), mayResume: true)
        try first.file.write(Array(bytes[..<100]))
        try first.file.syncData()
        try first.file.write(Array(bytes[100..<250]), at: 100)
        let same = try await SpoolGround(disk.restarted()).spool().open(capture, offer(300), mayResume: true)
        #expect(same.kept == 250)
        let other = try await SpoolGround(disk.restarted()).spool(boot: "boot 2").open(
            capture, offer(300), mayResume: true)
        #expect(other.kept == 100)
        #expect(try other.file.size() == 100)
        #expect(try other.file.read(300, at: 0) == Array(bytes[..<100]))
    }

    @Test("the model itself: nothing survives unsynced for certain, and everything survives that was synced")
    func model() throws {
        var outcomes: Set<[UInt8]> = []
        for seed in 0..<UInt64(200) {
            let disk = ForgetfulDisk()
            let folder = try disk.root().folder("a")
            let file = try folder.open("b")
            try file.write([1, 2])
            try file.sync()
            try folder.sync()
            try disk.root().sync()
            try file.write([3, 4], at: 2)
            _ = try folder.open("c")
            let after = try SpoolGround(disk.powerCut(seed: seed)).contents()
            let kept = try #require(after["a/b"])
            #expect(kept.starts(with: [1, 2]))
            outcomes.insert(kept + (after["a/c"] == nil ? [] : [99]))
        }
        #expect(
            outcomes == [
                [1, 2], [1, 2, 3], [1, 2, 3, 4], [1, 2, 0, 0], [1, 2, 99], [1, 2, 3, 99], [1, 2, 3, 4, 99],
                [1, 2, 0, 0, 99],
            ])
    }
}
