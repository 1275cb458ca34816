import Glibc
import TestSupport
import Testing

/// Two bodies of one model and one serial number, with the real programs: each frame of both arrives once.
@Suite struct TwinBodiesTests {
    private static let frames = 20
    /// Of the second body's card, which the first has as well.
    private static let common = 2

    /// Frames of equal names, sizes and dates, with contents of their own but for the first two.
    private static func card(_ seed: UInt8) throws -> DatedCard {
        let card = try DatedCard()
        for number in 1...frames {
            let content = number <= common ? 0 : seed
            try card.add(
                "IMG\(number).TXT", "2026-05-01 10:\(10 + number)",
                content: [UInt8](repeating: content &* 50 &+ UInt8(number), count: 60_000))
        }
        return card
    }

    private static func camera(_ card: DatedCard, guid: Int, port: Int = 0, _ more: String...) throws
        -> Camsim
    {
        let digits = String(guid, radix: 16)
        return try Camsim(
            Daemon(
                Built.camsim,
                [
                    "--listen", "127.0.0.1:\(port)", "--card", card.folder.path, "--serial", "2002", "--name",
                    "Twin", "--guid", String(repeating: "0", count: 32 - digits.count) + digits,
                ] + more))
    }

    private static func contents(_ person: Operator) throws -> Int { Set(try person.arrived().values).count }

    /// 40 frames, of which two are the same on both cards.
    private static let whole = 2 * frames - common

    @Test(
        "equal names on both, a restart in between that swaps the addresses: 40 of 40 once, and verify is content"
    )
    func restart() throws {
        let (left, right) = (try Self.card(1), try Self.card(2))
        let person = try Operator()
        var ports: (Int, Int)
        do {
            let cameras = (
                try Self.camera(left, guid: 1, port: 0, "--rate", "2M"),
                try Self.camera(right, guid: 2, port: 0, "--rate", "2M")
            )
            ports = (cameras.0.port, cameras.1.port)
            let bridge = try person.start([cameras.0, cameras.1])
            try bridge.wait(for: "two cameras of one model and serial number")
            try bridge.waitForDelivered(8)
            #expect(bridge.stop(SIGTERM) == 0, "\(bridge.output)")
        }
        let cameras = [
            try Self.camera(left, guid: 1, port: ports.1), try Self.camera(right, guid: 2, port: ports.0),
        ]
        let run = try person.runOnce(cameras)
        #expect(run.code == 0, "\(run.text)\(run.errors)")
        #expect(try Self.contents(person) == Self.whole)
        #expect(try person.arrived().count == Self.whole)
        let verified = try person.run(
            "verify", "--camera", cameras[0].address, "--camera", cameras[1].address)
        #expect(verified.code == 0, "\(verified.text)\(verified.errors)")
        #expect(verified.lines.last?.contains("40 frames: 40 delivered") == true, "\(verified.text)")
        let rows = try person.query(
            "SELECT camera_id, state, count(*) FROM captures GROUP BY camera_id, state = 'lost' ORDER BY 1")
        #expect(rows.count == 2 && rows.allSatisfy { $0.hasSuffix("|\(Self.frames)") }, "\(rows)")
    }

    @Test(
        "the second body comes while the first is off, each has been met once, and then both: nothing is lost or taken twice"
    )
    func inTurn() throws {
        let (left, right) = (try Self.card(1), try Self.card(2))
        let person = try Operator()
        #expect(try person.runOnce([try Self.camera(left, guid: 1)]).code == 0)
        #expect(try person.runOnce([try Self.camera(right, guid: 2)]).code == 0)
        #expect(try Self.contents(person) == Self.whole)
        let cameras = [try Self.camera(right, guid: 2), try Self.camera(left, guid: 1)]
        let run = try person.runOnce(cameras)
        #expect(
            run.code == 0 && run.text.components("20 photos on the card, 0 to download") == 2, "\(run.text)")
        #expect(try person.arrived().count == Self.whole)
    }

    @Test(
        "a home of the version before knows its photos, whichever body comes first, and takes the second body's",
        arguments: [false, true])
    func versionBefore(isOtherFirst: Bool) throws {
        let (left, right) = (try Self.card(1), try Self.card(2))
        let person = try Operator()
        #expect(try person.runOnce([try Self.camera(left, guid: 1)]).code == 0)
        try person.makeHomeOfVersionBefore()
        let rows = "SELECT id, identity, file, sha256 FROM captures WHERE id <= \(Self.frames)"
        let before = try person.query(rows)
        if isOtherFirst { #expect(try person.runOnce([try Self.camera(right, guid: 2)]).code == 0) }
        let cameras = [try Self.camera(left, guid: 1), try Self.camera(right, guid: 2)]
        let run = try person.runOnce(cameras)
        #expect(run.code == 0 && run.text.contains("20 photos on the card, 0 to download"), "\(run.text)")
        #expect(try person.query(rows) == before)
        #expect(try person.arrived().count == Self.whole && Self.contents(person) == Self.whole)
        #expect(try person.query("SELECT count(*) FROM captures") == ["\(2 * Self.frames)"])
    }

    @Test("what the version before took of two bodies as of one is fetched and delivered no second time")
    func mixedBefore() throws {
        let (left, right) = (try DatedCard(), try DatedCard())
        for number in 1...5 {
            try left.add("L\(number).TXT", "2026-05-01 10:00", bytes: 3000 + number)
            try right.add("R\(number).TXT", "2026-05-01 10:00", bytes: 3000 + number)
        }
        let person = try Operator()
        #expect(try person.runOnce([try Self.camera(left, guid: 1)]).code == 0)
        // No photo in common: that these are two cannot be seen, as before.
        #expect(try person.runOnce([try Self.camera(right, guid: 2)]).code == 0)
        #expect(try person.query("SELECT count(*) FROM cameras") == ["1"])
        try person.makeHomeOfVersionBefore()
        let cameras = [try Self.camera(left, guid: 1), try Self.camera(right, guid: 2)]
        let run = try person.runOnce(cameras)
        #expect(
            run.code == 0 && run.text.components("5 photos on the card, 0 to download") == 2, "\(run.text)")
        #expect(try person.query("SELECT state, count(*) FROM captures GROUP BY 1") == ["staged|10"])
        #expect(try person.query("SELECT count(*) FROM cameras") == ["2"])
        #expect(try person.arrived().count == 10)
    }

    @Test(
        "one GUID in both: they are told apart while both are there, and by their photos when they come back")
    func oneGUID() throws {
        let (left, right) = (try Self.card(1), try Self.card(2))
        let person = try Operator()
        var ports: (Int, Int)
        do {
            let cameras = (try Self.camera(left, guid: 7), try Self.camera(right, guid: 7))
            ports = (cameras.0.port, cameras.1.port)
            let run = try person.runOnce([cameras.0, cameras.1])
            #expect(run.code == 0, "\(run.text)\(run.errors)")
            #expect(try Self.contents(person) == Self.whole)
        }
        let run = try person.runOnce([
            try Self.camera(left, guid: 7, port: ports.1), try Self.camera(right, guid: 7, port: ports.0),
        ])
        #expect(
            run.code == 0 && run.text.components("20 photos on the card, 0 to download") == 2, "\(run.text)")
        #expect(try person.arrived().count == Self.whole)
    }

    @Test(
        "a body that has another GUID each time stays one body: nothing of it is fetched twice, at another address as well"
    )
    func unstable() throws {
        let card = try Self.card(1)
        let faults = try TemporaryFolder()
        try faults.write("unstable-guid\n", to: "faults")
        let person = try Operator()
        for _ in 0..<3 {
            let camera = try Self.camera(card, guid: 1, port: 0, "--faults", faults.file("faults"))
            let run = try person.runOnce([camera])
            #expect(run.code == 0, "\(run.text)\(run.errors)")
        }
        #expect(try person.query("SELECT count(*) FROM cameras") == ["1"])
        #expect(
            try person.query("SELECT state, count(*) FROM captures GROUP BY 1") == ["staged|\(Self.frames)"])
        #expect(try person.arrived().count == Self.frames)
    }
}

extension Operator {
    /// What version 6 of the ledger did not have is taken out of it.
    fileprivate func makeHomeOfVersionBefore() throws {
        let sql = """
            DROP TRIGGER camera_counts_inserted; DROP TRIGGER camera_counts_updated;
            DROP TRIGGER camera_counts_deleted; DROP TRIGGER camera_counts_moved; DROP TABLE camera_counts;
            ALTER TABLE captures DROP COLUMN wire_id;
            UPDATE cameras SET learned = json_remove(learned, '$.timesShown');
            PRAGMA user_version = 6;
            """
        let answer = try #require(Tool("sqlite3")).run(["\(home)/tetherline.sqlite", sql])
        #expect(answer.code == 0, "\(answer.errors)")
    }
}

extension String {
    fileprivate func components(_ text: String) -> Int { ranges(of: text).count }
}
