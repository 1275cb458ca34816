import Glibc
import TestSupport
import Testing

/// The bridge and a camera that does what real ones do.
@Suite struct BridgeFaultTests {
    @Test(
        "whatever a camera does about its shots, each of them arrives once",
        arguments: [
            "not-ready for=2s", "late-size for=2s",
            "missing-notices", "only-capture-complete", "notice-flood count=5000", "duplicate-notices",
            "busy chance=30", "early-notice", "odd-folder-date",
            "stale-handles times=2\ncut after=9000 times=2", "renumber\nreset after=12345 times=3",
            "not-ready for=1s\nduplicate-notices\ncut after=100 times=1",
        ])
    func oddConduct(faults: String) throws {
        let camera = try camsim(
            faults: faults, "--photos", "1", "--photo-size", "30000", "--shoot", "3", "--every", "150")
        let person = try Operator()
        try person.settings("{transfer: {listAgain: '1s'}}")
        let bridge = try person.start([camera])
        try bridge.waitForDelivered(4)
        bridge.end()
        #expect(bridge.lines("staged").count == 4 && bridge.lines("delivered").count == 4)
        #expect(bridge.lines("lost").isEmpty && bridge.lines("givenUp").isEmpty, "\(bridge.output)")
        let sum = try #require(bridge.output.last)
        #expect(sum.contains(#""staged":4"#) && sum.contains(#""completed":4"#), "\(sum)")
        #expect(try Set(person.arrived().values) == Set(person.card(of: camera).values))
        #expect(try person.query("SELECT count(*) FROM captures") == ["4"])
    }

    @Test("shots of one name, each in a folder of its own, get numbers where they meet")
    func sameName() throws {
        let camera = try camsim(
            faults: "same-name", "--photos", "0", "--photo-size", "30000", "--shoot", "3", "--every", "50")
        let person = try Operator()
        let bridge = try person.start([camera])
        try bridge.waitForDelivered(3)
        bridge.end()
        let names = try person.arrived().keys.sorted()
        #expect(names == ["TETH0001-2.JPG", "TETH0001-3.JPG", "TETH0001.JPG"])
        try person.expectEverything(of: [camera])
    }

    @Test("what is only in the camera's memory is fetched and let go of")
    func inMemory() throws {
        let camera = try camsim(
            faults: "in-memory", "--photos", "0", "--photo-size", "30000", "--shoot", "4", "--every", "50")
        let person = try Operator()
        let bridge = try person.start([camera])
        try bridge.waitForDelivered(4)
        bridge.end()
        #expect(Set(try person.arrived().values).count == 4)
        #expect(try person.card(of: camera).isEmpty, "the body has its memory back")
        #expect(try person.query("SELECT DISTINCT in_memory, state FROM captures") == ["1|staged"])
    }

    @Test("a photo in memory that a cut interrupts is named as lost, and what the camera offers is fetched")
    func inMemoryCut() throws {
        let camera = try camsim(
            faults: "in-memory\ncut after=9000 times=1", "--photos", "0", "--photo-size", "30000", "--shoot",
            "2", "--every", "50")
        let person = try Operator()
        let bridge = try person.start([camera])
        try bridge.wait(for: #""event":"lost""#)
        try bridge.waitForDelivered(2)
        bridge.end()
        let lost = try #require(bridge.lines("lost").first)
        #expect(lost.contains("TETH0001.JPG") && lost.contains("in the camera's memory"), "\(lost)")
        let rows = try person.run("captures", "--state", "lost")
        // The second shot as well, when it had been announced by then.
        #expect((1...2).contains(rows.lines.count), "\(rows.text)")
        #expect(rows.lines.allSatisfy { $0.contains("in the camera's memory") }, "\(rows.text)")
    }

    @Test("a card that is changed for another: what was fetched stays, what comes after arrives")
    func cardSwap() throws {
        let camera = try camsim(
            faults: "card-swap shots=2", "--photos", "2", "--photo-size", "30000", "--shoot", "3", "--every",
            "400")
        let person = try Operator()
        let bridge = try person.start([camera])
        try bridge.waitForDelivered(5)
        bridge.end()
        #expect(bridge.lines("lost").isEmpty)
        let names = try person.arrived().keys.sorted()
        #expect(
            names == [
                "TETH0001-2.JPG", "TETH0001.JPG", "TETH0002-2.JPG", "TETH0002.JPG", "TETH0003.JPG",
            ])
    }

    @Test(
        "a connection that ends in the middle of a photo costs no byte that was here",
        arguments: [
            ("cut", 5000), ("cut", 100_000), ("cut", 1_500_000), ("reset", 1_000_000), ("reset", 2_999_999),
        ])
    func resumes(fault: String, offset: Int) throws {
        let camera = try camsim(
            faults: "\(fault) after=\(offset) times=2", "--photos", "2", "--photo-size", "3000000")
        let person = try Operator()
        let run = try person.runOnce([camera], "--json")
        #expect(run.code == 0, "\(run.errors)")
        let resumed = run.lines.filter { $0.contains(#""event":"receiving""#) }.compactMap { line in
            Int(line.split(separator: #""resumedAt":"#).last?.prefix { $0.isNumber } ?? "")
        }
        #expect(resumed.count >= 3, "\(run.text)")
        // A reset throws away what was on its way, so less may be here than the camera has sent.
        #expect(resumed.contains { $0 > 0 } || offset < 65536 || fault == "reset", "\(resumed)")
        #expect(resumed.allSatisfy { $0 <= 3_000_000 })
        try person.expectEverything(of: [camera])
    }

    @Test("a photo that the camera keeps locked is given up, the others arrive, and the next run fetches it")
    func accessLock() throws {
        let camera = try camsim(
            faults: "access-lock object=0x00010003 operation=0x1009 times=8", "--photos", "3", "--photo-size",
            "30000")
        let person = try Operator()
        let first = try person.runOnce([camera])
        #expect(first.code == 1, "\(first.text)\(first.errors)")
        #expect(
            first.errors.contains("TETH0001.JPG") && first.errors.contains("Access_Denied"),
            "\(first.errors)")
        #expect(
            first.lines.last
                == "Wedding: photos: 2 staged, 1 given up for now ('tetherline journal' says why); deliveries: 2 completed"
        )
        let second = try person.runOnce([camera])
        #expect(second.code == 0 && second.text.contains("1 to download"), "\(second.text)\(second.errors)")
        try person.expectEverything(of: [camera])
    }

    @Test("a photo that is deleted on the camera before it could be fetched is named as lost")
    func deletedBefore() throws {
        let card = try DatedCard()
        try card.add("A.TXT", "2024-05-01")
        try card.add("B.TXT", "2024-05-01")
        let locked = try camsim(
            faults: "access-lock operation=0x1009", "--card", card.folder.path, "--serial", "9")
        let person = try Operator()
        let first = try person.run(
            person.arguments([locked], ["--once", "--since", "all", "--retry", "1s"]))
        #expect(first.code == 75 && first.errors.contains("nothing has moved for"), "\(first.errors)")
        #expect(unlink(card.folder.file("DCIM/100DATED/A.TXT")) == 0)
        let second = try person.runOnce([try card.camera("--serial", "9")])
        #expect(second.code == 1, "\(second.text)")
        #expect(second.errors.contains("DCIM/100DATED/A.TXT: it is not on the card any more"))
        #expect(try person.arrived().keys.sorted() == ["B.TXT"])
    }

    @Test("a camera that stays away is named, with exit code 69")
    func away() throws {
        let camera = try Camsim("--photos", "1", "--photo-size", "30000")
        let person = try Operator()
        let address = camera.address
        #expect(camera.daemon.stop() == 0)
        let run = try person.run(
            "run", "--camera", address, "--event", "E", "--once", "--since", "all", "--retry", "1s")
        #expect(run.code == 69, "\(run.errors)")
        #expect(run.errors.contains("\(address) has been away for too long"), "\(run.errors)")
    }
}
