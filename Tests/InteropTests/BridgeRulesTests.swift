import Glibc
import TestSupport
import Testing

/// What `tetherline run` takes, in which order, and under which names; and what it does not begin at all.
@Suite struct BridgeRulesTests {
    @Test("without --since, what was shot before is counted and not taken, and what is shot after is taken")
    func sinceSession() throws {
        let card = try DatedCard()
        for name in ["OLD1.TXT", "OLD2.TXT"] { try card.add(name, "2020-05-01 10:00") }
        // The first is shot when a busy machine, too, has listed the card.
        let camera = try card.camera("--shoot", "2", "--every", "2s")
        let person = try Operator()
        let bridge = try person.start(person.arguments([camera], ["--json"]))
        try bridge.wait(for: #""listed":2,"wanted":0,"passedOver":{"older":2}"#)
        try bridge.waitForDelivered(2)
        bridge.end()
        #expect(try person.arrived().keys.allSatisfy { $0.hasSuffix(".JPG") })
        let again = try person.run(
            person.arguments([camera], ["--once", "--since", "session", "--idle", "0s"]))
        #expect(
            again.code == 0 && again.text.contains("2 older left on the card (see --since)"), "\(again.text)")
    }

    @Test("--since DATE goes by the dates on the card")
    func sinceDate() throws {
        let card = try DatedCard()
        try card.add("A.TXT", "2020-05-01 10:00")
        try card.add("B.TXT", "2024-05-01 17:59")
        try card.add("C.TXT", "2024-05-01 18:00")
        let camera = try card.camera()
        func taken(since: String) throws -> [String] {
            let person = try Operator()
            let run = try person.run(
                person.arguments([camera], ["--once", "--idle", "0s", "--since", since]))
            #expect(run.code == 0, "\(run.errors)")
            return try person.arrived().keys.sorted()
        }
        #expect(try taken(since: "2024-05-01") == ["B.TXT", "C.TXT"])
        #expect(try taken(since: "2024-05-01T18:00") == ["C.TXT"])
        #expect(try taken(since: "2024-05-01T18:00:01") == [])
    }

    @Test("--since last-seen takes what is newer than the newest photo of last time")
    func sinceLastSeen() throws {
        let card = try DatedCard()
        try card.add("A.TXT", "2020-05-01 10:00")
        try card.add("B.TXT", "2022-05-01 10:00")
        let person = try Operator()
        #expect(try person.runOnce([try card.camera("--serial", "7")]).code == 0)
        try card.add("C.TXT", "2021-05-01 10:00")
        try card.add("D.TXT", "2023-05-01 10:00")
        let camera = try card.camera("--serial", "7")
        let run = try person.run(
            person.arguments([camera], ["--once", "--idle", "0s", "--since", "last-seen"]))
        #expect(run.code == 0, "\(run.errors)")
        #expect(
            run.text.contains("4 photos on the card, 1 to download, 1 older left on the card (see --since)"),
            "\(run.text)")
        #expect(try person.arrived().keys.sorted() == ["A.TXT", "B.TXT", "D.TXT"])
    }

    @Test(
        "--take takes the one kind or the other, and jpeg-first both, JPEGs before RAWs",
        arguments: [
            ("jpeg", ["JPG", "JPG", "JPG"]), ("raw", ["DNG", "DNG", "DNG"]),
            ("jpeg-first", ["JPG", "JPG", "JPG", "DNG", "DNG", "DNG"]),
        ])
    func take(kind: String, endings: [String]) throws {
        let camera = try Camsim("--photos", "3", "--photo-size", "20000", "--raw-jpeg")
        let person = try Operator()
        let run = try person.runOnce([camera], "--take", kind)
        #expect(run.code == 0, "\(run.errors)")
        let staged = run.lines.filter { $0.contains("  DCIM/") }.map { String($0.suffix(3)) }
        #expect(staged == endings, "\(run.text)")
        #expect(try person.arrived().count == endings.count)
        let others = 6 - endings.count
        #expect(
            run.text.contains("6 photos on the card, \(endings.count) to download")
                && run.text.contains("\(others) of a kind that is not wanted (--take)") == (others > 0))
    }

    @Test("--formats, --min-size and --only-protected pass over the others, and say so")
    func filters() throws {
        let card = try DatedCard()
        try card.add("BIG.TXT", "2024-05-01", bytes: 5000)
        try card.add("SMALL.TXT", "2024-05-01", bytes: 4999)
        try card.add("SOUND.WAV", "2024-05-01", bytes: 8000)
        let camera = try card.camera()
        func taken(_ options: String..., says sentence: String) throws -> [String] {
            let person = try Operator()
            let run = try person.run(
                person.arguments([camera], ["--once", "--idle", "0s", "--since", "all"] + options))
            #expect(run.text.contains(sentence), "\(run.text)")
            return try person.arrived().keys.sorted()
        }
        #expect(
            try taken("--formats", "txt, nef", says: "1 of a format that is not wanted (--formats)")
                == ["BIG.TXT", "SMALL.TXT"])
        #expect(
            try taken("--min-size", "5000", "--formats", "TXT", says: "1 too small (--min-size)")
                == ["BIG.TXT"])
        #expect(try taken("--only-protected", says: "3 not protected on the camera") == [])

        try protect("SMALL.TXT", on: camera)
        #expect(
            try taken("--only-protected", says: "2 not protected on the camera") == ["SMALL.TXT"])
    }

    /// As by a menu of the camera: SetObjectProtection.
    private func protect(_ name: String, on camera: Camsim) throws {
        let list = try Operator().run("camera", "ls", camera.address)
        let handle = try #require(list.lines.first { $0.contains(name) }?.split(separator: " ").first)
        let number = try #require(UInt32(handle.dropFirst(2), radix: 16))
        let client = try HostileClient.connected(port: camera.port)
        #expect(client.command.say(HostileClient.request(0x1012, 1, [number, 1])))
        #expect(client.command.hear().count >= 14)
        #expect(client.command.say(HostileClient.request(0x1003, 2)))
        #expect(client.command.hear().count >= 14)
    }

    @Test("--keep makes a second copy under the names of its template")
    func keep() throws {
        let camera = try Camsim("--photos", "2", "--photo-size", "30000", "--serial", "S/1")
        let person = try Operator()
        let template = "{event}/{date}/{camera}-{serial}/{seq}-{stem}.{ext}"
        let run = try person.runOnce(
            [camera], "--keep", person.folder.file("second disk"), "--keep-name", template)
        #expect(run.code == 0, "\(run.errors)")
        #expect(run.lines.last == "Wedding: photos: 2 staged; deliveries: 4 completed")
        let date = try person.query("SELECT substr(capture_date, 1, 8) FROM captures LIMIT 1").joined()
        let day = "\(date.prefix(4))-\(date.dropFirst(4).prefix(2))-\(date.suffix(2))"
        let kept = person.folder.contents().filter { $0.hasPrefix("second disk/") }
        #expect(
            kept == [1, 2].map { "second disk/Wedding/\(day)/Generic-S_1/0000\($0)-TETH000\($0).JPG" })
        let arrived = try person.arrived()
        for path in kept {
            let name = String(path.suffix(12))
            #expect(try readFile(person.folder.file(path)) == arrived[name], "\(name)")
        }
    }

    @Test(
        "a command line that cannot be meant is refused before anything is made",
        arguments: [
            (["--camera", "127.0.0.1:1"], "Say which event"),
            (["--event", "E"], "Say which camera: --camera HOST"),
            (["--camera", "h", "--camera", "h:15740", "--event", "E"], "is given twice"),
            (["--camera", "h", "--event", ""], "Say which event"),
            (["--camera", "h", "--event", "E", "--idle", "1s"], "--idle and --retry are about --once"),
            (["--camera", "h", "--event", "E", "--since", "yesterday"], "not 'yesterday'"),
            (["--camera", "h", "--event", "E", "--since", "2026-13-01"], "not '2026-13-01'"),
            (["--camera", "h", "--event", "E", "--take", "jpg"], "jpeg"),
            (["--camera", "h", "--event", "E", "--destnation", "x"], "--destination"),
            (["--camera", "h", "--event", "E", "--destination", "/out"], "file:///absolute/path"),
            (["--camera", "h", "--event", "E", "--destination", "file://nas/x"], "names the host 'nas'"),
            (["--camera", "h", "--event", "E", "--destination", "file:///x?nam=y"], "'nam=y'"),
            (["--camera", "h", "--event", "E", "--destination", "file:///x%zz"], "%25"),
            (["--camera", "h", "--event", "E", "--keep-name", "{name}"], "--keep-name is about --keep"),
            (["--camera", "h", "--event", "E", "--keep", "k", "--keep-name", "{nam}"], "{name}"),
            (["--camera", "h", "--event", "E", "--keep", "k", "--keep-name", "x.{ext}"], "one name"),
            (["--camera", "h", "--event", "E", "--keep", "k", "--keep-name", "{stem}"], "extension"),
            (["--camera", "h", "--event", "E", "--min-rating", "6"], "--min-rating"),
            (["--camera", "h", "--event", "E", "--min-size", "much"], "--min-size"),
            (["--camera", "h:99999", "--event", "E"], "99999"),
        ] as [([String], String)])
    func mistakes(words: [String], sentence: String) throws {
        let person = try Operator()
        let run = try person.run(["run"] + words)
        #expect(run.code == 64, "\(run.errors)")
        #expect(run.errors.contains(sentence) && run.output.isEmpty, "\(run.errors)")
        #expect(person.folder.contents().isEmpty)
    }
}
