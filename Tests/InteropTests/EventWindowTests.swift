import Glibc
import TestSupport
import Testing

/// What is taken is a matter of the event: restarts, addresses, closings and long absences, with the real programs.
@Suite struct EventWindowTests {
    private static let old = "2020-05-01 10:00"

    private func once(_ person: Operator, _ camera: Camsim, _ more: String...) throws -> Tool.Output {
        try person.run(person.arguments([camera], ["--once", "--idle", "0s"] + more))
    }

    @Test(
        "frames shot between two runs are taken by the second, at another address as well, and verify misses them before",
        arguments: [SIGINT, SIGTERM, SIGKILL])
    func restart(signal: Int32) throws {
        let card = try DatedCard()
        try card.add("OLD.TXT", Self.old)
        let person = try Operator()
        do {
            let camera = try card.camera()
            let bridge = try person.start(person.arguments([camera], ["--json"]))
            try bridge.wait(for: #""listed":1,"wanted":0,"passedOver":{"older":1}"#)
            _ = bridge.stop(signal)
        }
        try card.add("MEANWHILE.TXT", "now")
        let camera = try card.camera()
        let between = try person.run("verify", "--camera", camera.address)
        #expect(between.code == 1 && between.text.contains("MEANWHILE.TXT"), "\(between.text)")
        #expect(!between.text.contains("OLD.TXT") && between.text.contains("; 1 older than the event"))
        let again = try once(person, camera)
        #expect(again.code == 0, "\(again.text)")
        #expect(try person.arrived().keys.sorted() == ["MEANWHILE.TXT"])
        let after = try person.run("verify")
        #expect(after.code == 0, "\(after.text)")
        #expect(
            after.lines.last
                == "Wedding: 1 frames: 1 delivered, 0 on the way, 0 filtered, 0 missing; 1 older than the event"
        )
        let json = try person.run("verify", "--json")
        #expect(json.lines.last?.contains(#""older":1"#) == true, "\(json.text)")
    }

    @Test(
        "--once at an event's first run without --since takes nothing and says so; later it means the window")
    func firstOnce() throws {
        let card = try DatedCard()
        for name in ["A.TXT", "B.TXT"] { try card.add(name, Self.old) }
        let person = try Operator()
        let first = try once(person, try card.camera())
        #expect(first.code == 1, "\(first.text)")
        #expect(
            first.errors.contains("2 photos on the cards were shot before and are left there"),
            "\(first.errors)")
        #expect(try person.arrived().isEmpty)
        try card.add("C.TXT", "now")
        let second = try once(person, try card.camera())
        #expect(second.code == 0, "\(second.text)")
        #expect(try person.arrived().keys.sorted() == ["C.TXT"])
        #expect(try once(person, try card.camera(), "--since", "all").code == 0)
        #expect(try person.arrived().keys.sorted() == ["A.TXT", "B.TXT", "C.TXT"])
    }

    @Test("a camera that does not tell its time shows at the first contact what is older")
    func withoutClock() throws {
        let card = try DatedCard()
        try card.add("OLD.TXT", Self.old)
        let person = try Operator()
        let faults = try TemporaryFolder()
        try faults.write("refuse code=0x2005 operation=0x1015\n", to: "faults")
        #expect(try once(person, try card.camera("--faults", faults.file("faults"))).code == 1)
        try card.add("NEW.TXT", "2020-05-01 10:01")
        #expect(try once(person, try card.camera("--faults", faults.file("faults"))).code == 0)
        #expect(try person.arrived().keys.sorted() == ["NEW.TXT"])
    }

    @Test(
        "closing an event ends taking at the bridge that runs, without a log-in; the next run begins it anew")
    func close() throws {
        let camera = try Camsim("--photos", "1", "--photo-size", "20000", "--shoot", "12", "--every", "500")
        let person = try Operator()
        let bridge = try person.start(person.arguments([camera], ["--json"]))
        try bridge.waitForDelivered(1)
        let closed = try person.run("events", "close")
        #expect(closed.code == 0 && closed.text.contains("closed: 'Wedding'"), "\(closed.text)")
        try bridge.wait(for: #""outside""#)
        try bridge.wait(for: "TETH0013.JPG")
        bridge.end()
        let taken = try person.arrived().count
        #expect(taken < 12)
        let list = try person.run("events", "list")
        #expect(list.code == 0 && list.text.contains("Wedding  made here  closed here since"), "\(list.text)")
        #expect(try person.run("events", "close").code == 1)
        let verified = try person.run("verify")
        #expect(verified.code == 0, "\(verified.text)")
        #expect(try once(person, camera).code == 0)
        #expect(try person.arrived().count == taken, "what was shot between belongs to neither window")
        let open = try person.run("events", "list", "--json")
        try CommandTests.expectJSON(open)
        #expect(open.text.contains(#""closedAt":null"#), "\(open.text)")
    }

    @Test("what was shot while no bridge ran for long is left, counted and named until the operator decides")
    func absence() throws {
        let card = try DatedCard()
        let person = try Operator()
        #expect(try once(person, try card.camera()).code == 1)
        let hours = 3_600_000
        try person.meddle(
            "UPDATE windows SET opened_at = opened_at - \(9 * hours), alive_at = alive_at - \(8 * hours)")
        try card.add("NIGHT.TXT", "now - 4 hours")
        // However long it takes until the run begins, this one was shot later.
        try card.add("MORNING.TXT", "now + 5 minutes")
        let camera = try card.camera()
        let run = try once(person, camera)
        #expect(run.code == 0, "\(run.text)")
        #expect(run.errors.contains("no bridge ran for 'Wedding' from "), "\(run.errors)")
        #expect(run.text.contains("1 shot while no bridge ran for a long time ('tetherline events take'"))
        #expect(try person.arrived().keys.sorted() == ["MORNING.TXT"])
        let status = try person.run("status")
        #expect(status.text.contains("1 photos that were shot while no bridge ran: 'tetherline events take'"))
        let verified = try person.run("verify")
        #expect(verified.code == 1 && verified.text.contains("NIGHT.TXT"), "\(verified.text)")
        #expect(try person.run("events", "decline").text.contains("1 photos of 'Wedding'"))
        #expect(try person.run("verify").code == 0)
        #expect(try person.run("events", "take").code == 0)
        #expect(try person.run("verify").code == 1)
        #expect(try once(person, camera).code == 0)
        #expect(try person.arrived().keys.sorted() == ["MORNING.TXT", "NIGHT.TXT"])
        #expect(try person.run("verify").code == 0)
    }
}

extension Operator {
    /// As time would have done it.
    fileprivate func meddle(_ sql: String) throws {
        let answer = try #require(Tool("sqlite3")).run(["\(home)/tetherline.sqlite", sql])
        #expect(answer.code == 0, "\(answer.errors)")
    }
}
