import Glibc
import TestSupport
import Testing

/// `tetherline run`: cards in, folder out.
@Suite struct BridgeRunTests {
    @Test("two cameras with the same names on their cards: every photo arrives once, byte for byte")
    func twoCameras() throws {
        let left = try Camsim("--photos", "4", "--photo-size", "60000", "--serial", "L")
        let right = try Camsim("--photos", "3", "--photo-size", "50000", "--serial", "R", "--seed", "2")
        let person = try Operator()
        let first = try person.runOnce([left, right])
        #expect(first.code == 0 && first.errors.isEmpty, "\(first.errors)")
        #expect(first.lines.last == "Wedding: photos: 7 staged; deliveries: 7 completed")
        let names = Set(try person.arrived().keys)
        for number in 1...3 {
            #expect(names.isSuperset(of: ["TETH000\(number).JPG", "TETH000\(number)-2.JPG"]), "\(names)")
        }
        for file in names {
            let sum = try CommandTests.sum("\(person.out)/\(file)")
            #expect(first.lines.contains { $0.hasPrefix(sum) }, "\(file)")
        }
        try person.expectEverything(of: [left, right])

        let second = try person.runOnce([left, right])
        #expect(
            second.code == 0 && second.text.contains("4 photos on the card, 0 to download"), "\(second.text)")
        try person.expectEverything(of: [left, right])
    }

    @Test("a photo that is shot while the bridge runs arrives, and with it those of before")
    func shotWhileRunning() throws {
        let camera = try Camsim(
            "--photos", "2", "--photo-size", "40000", "--shoot", "3", "--every", "100")
        let person = try Operator()
        let bridge = try person.start([camera])
        try bridge.waitForDelivered(5)
        bridge.end()
        try person.expectEverything(of: [camera])
    }

    @Test(
        "what was shot while no bridge was connected arrives after the next connection",
        arguments: [
            "cut after=20000 times=1", "reset after=20000 times=1", "renumber\ncut after=20000 times=1",
        ])
    func shotWhileAway(faults: String) throws {
        let camera = try camsim(
            faults: faults, "--photos", "2", "--photo-size", "40000", "--shoot", "4", "--every", "50")
        let person = try Operator()
        let bridge = try person.start([camera])
        try bridge.waitForDelivered(6)
        bridge.end()
        #expect(bridge.output.contains { $0.contains("no connection: ") }, "\(bridge.output)")
        try person.expectEverything(of: [camera])
    }

    @Test("every line of --json is JSON")
    func json() throws {
        let camera = try camsim(
            faults: "cut after=20000 times=1", "--photos", "3", "--photo-size", "40000", "--name", "a\"\\é")
        let person = try Operator()
        let outcome = try person.runOnce([camera], "--json")
        #expect(outcome.code == 0 && outcome.errors.isEmpty, "\(outcome.errors)")
        try CommandTests.expectJSON(outcome)
        for word in ["connection", "camera", "reconciled", "receiving", "staged", "delivered", "sum"] {
            #expect(outcome.text.contains(#"{"event":"\#(word)""#), "\(word)")
        }
    }

    @Test("a photo in two events has a row and a copy in both")
    func twoEvents() throws {
        let camera = try Camsim("--photos", "2", "--photo-size", "30000")
        let person = try Operator()
        #expect(try person.runOnce([camera]).code == 0)
        let other = try person.run(
            "run", "--event", "Second", "--camera", camera.address, "--destination",
            "file://\(person.folder.file("second"))", "--once", "--since", "all", "--idle", "300ms")
        #expect(other.code == 0, "\(other.errors)")
        #expect(other.lines.last == "Second: photos: 2 staged; deliveries: 2 completed")
        for event in ["Wedding", "Second"] {
            let rows = try person.run("captures", "--event", event)
            #expect(rows.lines.count == 2, "\(rows.text)")
        }
        #expect(
            try person.query(
                "SELECT e.name, count(*), count(DISTINCT c.identity) FROM captures c JOIN events e "
                    + "ON e.id = c.event_id GROUP BY e.name ORDER BY e.name")
                == ["Second|2|2", "Wedding|2|2"])
        try person.expectEverything(of: [camera])
        #expect(person.folder.contents().filter { $0.hasPrefix("second/") }.count == 2)
    }

    @Test("--delete-from-card deletes what has its receipts, and nothing is deleted without it")
    func deleting() throws {
        let camera = try Camsim("--photos", "3", "--photo-size", "30000")
        let person = try Operator()
        try person.settings("{transfer: {listAgain: '1s'}}")
        #expect(try person.runOnce([camera]).code == 0)
        let card = try person.card(of: camera)
        #expect(card.count == 3)
        let bridge = try person.start([camera], "--delete-from-card")
        try bridge.wait(for: #""event":"deleted""#, times: 3)
        bridge.end()
        #expect(try person.card(of: camera).isEmpty)
        #expect(Set(try person.arrived().values) == Set(card.values))
    }

    @Test("--delete-from-card keeps what has not been delivered")
    func keepingUndelivered() throws {
        let camera = try Camsim("--photos", "2", "--photo-size", "30000")
        let person = try Operator()
        try person.settings("{transfer: {listAgain: '1s'}}")
        let bridge = try person.start([camera], "--keep", person.folder.file("away"), "--delete-from-card")
        try bridge.waitForDelivered(4)
        try bridge.wait(for: #""event":"deleted""#, times: 2)
        bridge.end()
        #expect(person.folder.contents().filter { $0.hasPrefix("away/") }.count == 2)

        let full = try Camsim(
            "--photos", "2", "--photo-size", "31000", "--serial", "2", "--seed", "9", "--shoot",
            "2", "--every", "1200")
        #expect(try #require(Tool("rm")).run(["-r", person.folder.file("away")]).code == 0)
        // The event keeps its destinations, and this one is not mounted now.
        let held = try person.start([
            "run", "--event", "Wedding", "--camera", full.address, "--since", "all", "--json",
            "--delete-from-card",
        ])
        try held.wait(for: #""event":"destinationHeld""#)
        // The last shot is so late that the card has been looked at meanwhile.
        try held.waitForDelivered(4)
        held.end()
        #expect(held.lines("deleted").isEmpty)
        #expect(try person.card(of: full).count == 4)
    }
}
