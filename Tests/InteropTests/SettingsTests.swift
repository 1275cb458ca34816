import TestSupport
import Testing

/// `config.json5` in the home.
@Suite struct SettingsTests {
    @Test("settings with comments work, and the command line has the last word")
    func works() throws {
        let camera = try Camsim("--photos", "2", "--photo-size", "20000", "--raw-jpeg")
        let person = try Operator()
        try person.settings(
            """
            // What the studio wants.
            {
                transfer: {take: 'raw', minimumSize: "1KiB", /* not twice */ duplicates: "skip",},
                keep: {folder: '\(person.folder.file("kept"))', name: "{seq}-{name}"},
                deliver: {attempts: 3, order: "newest"}, spool: {reserve: "1MiB"},
            }
            """)
        let run = try person.runOnce([camera])
        #expect(run.code == 0, "\(run.errors)")
        #expect(try person.arrived().keys.sorted() == ["TETH0001.DNG", "TETH0002.DNG"])
        let kept = person.folder.contents().filter { $0.hasPrefix("kept/") }
        #expect(kept.count == 2 && kept.allSatisfy { $0.hasPrefix("kept/0000") }, "\(kept)")
        let more = try person.runOnce([camera], "--take", "both")
        #expect(more.code == 0 && more.text.contains("2 to download"), "\(more.text)")
        #expect(try person.arrived().count == 4)
    }

    static let article = "Sources/tetherline/tetherline.docc/Configuration.md"

    @Test("the settings that the article shows are settings")
    func shown() throws {
        let article = try Documents.text(Self.article)
        let begin = try #require(article.firstRange(of: "```json5\n")).upperBound
        let end = try #require(article[begin...].firstRange(of: "```")).lowerBound
        let person = try Operator()
        let secret = person.folder.file("secret")
        try person.folder.write(String(repeating: "s", count: 32), to: "secret")
        let block = article[begin..<end].replacing("/etc/tetherline/secret", with: secret)
        try person.settings(String(block))
        let looked = try person.run("camera", "info", "127.0.0.1:1")
        #expect(looked.code == 69, "\(looked.errors)")
        // They were read: one letter too few is said.
        try person.settings(String(block.replacing("listAgain", with: "listAgan")))
        #expect(try person.run("camera", "info", "127.0.0.1:1").code == 78)
    }

    /// Where there are keys, and settings that ask for one that does not exist: the program then names those it knows.
    private static let sections = [
        ("", "{zzzzzzzzz: 1}"),
        ("run.", "{run: {zzzzzzzzz: 1}}"),
        ("transfer.", "{transfer: {zzzzzzzzz: 1}}"),
        ("spool.", "{spool: {zzzzzzzzz: 1}}"),
        ("hooks.", "{hooks: {zzzzzzzzz: 1}}"),
        ("webhooks[].", "{webhooks: [{url: 'https://h', secret: '0123456789abcdef', zzzzzzzzz: 1}]}"),
        ("alerts.", "{alerts: {zzzzzzzzz: 1}}"),
        ("alerts.cameraLost.", "{alerts: {cameraLost: {zzzzzzzzz: 1}}}"),
        ("alerts.failedJobs.", "{alerts: {failedJobs: {zzzzzzzzz: 1}}}"),
        ("alerts.diskLow.", "{alerts: {diskLow: {zzzzzzzzz: 1}}}"),
        ("alerts.queueOld.", "{alerts: {queueOld: {zzzzzzzzz: 1}}}"),
        ("alerts.clockWrong.", "{alerts: {clockWrong: {zzzzzzzzz: 1}}}"),
        ("alerts.nothingShot.", "{alerts: {nothingShot: {zzzzzzzzz: 1}}}"),
        ("alerts.webhooks[].", "{alerts: {webhooks: [{url: 'https://h', zzzzzzzzz: 1}]}}"),
        ("deliver.", "{deliver: {zzzzzzzzz: 1}}"),
        ("deliver.within.", "{deliver: {within: {zzzzzzzzz: 1}}}"),
        ("keep.", "{keep: {zzzzzzzzz: 1}}"),
        ("camera.", "{camera: {zzzzzzzzz: 1}}"),
        ("cameras[].", "{cameras: [{at: 'h', zzzzzzzzz: 1}]}"),
        ("hud.", "{hud: {zzzzzzzzz: 1}}"),
        ("captions.", "{captions: {zzzzzzzzz: 1}}"),
        ("captions.rules[].", "{captions: {rules: [{caption: 'x', zzzzzzzzz: 1}]}}"),
        ("network.", "{network: {zzzzzzzzz: 1}}"),
        ("network.limits.", "{network: {limits: {zzzzzzzzz: 1}}}"),
        ("network.interfaces.NAME.", "{network: {interfaces: {x: {zzzzzzzzz: 1}}}}"),
        ("network.ssids.NAME.", "{network: {ssids: {x: {zzzzzzzzz: 1}}}}"),
    ]

    @Test("the article has a row for every setting that there is, and for no other")
    func complete() throws {
        let person = try Operator()
        var known: Set<String> = []
        for (prefix, text) in Self.sections {
            try person.settings(text)
            let errors = try person.run("camera", "info", "127.0.0.1:1").errors
            let list = try #require(errors.firstRange(of: "; there are "), "\(errors)").upperBound
            known.formUnion(errors[list...].prefix { $0 != "." }.split(separator: ", ").map { prefix + $0 })
        }
        // A section is no setting itself.
        let isSection: (String) -> Bool = { key in
            Self.sections.contains { section in [".", "[].", ".NAME."].contains { section.0 == key + $0 } }
        }
        let rows = try Documents.text(Self.article).split(separator: "\n").compactMap { line in
            line.hasPrefix("| `") && !line.hasPrefix("| `--")
                ? line.split(separator: "`").dropFirst().first.map(String.init) : nil
        }
        #expect(Set(rows) == known.filter { !isSection($0) })
        #expect(rows.count == Set(rows).count)
    }

    @Test(
        "settings that cannot be meant name the key, the value and the nearest key, and nothing begins",
        arguments: [
            ("{transfr: {}}", ["'transfr'", "did you mean 'transfer'?"]),
            ("{transfer: {tak: 'raw'}}", ["'transfer.tak'", "did you mean 'transfer.take'?"]),
            ("{transfer: {zzzzzzzzz: 1}}", ["'transfer.zzzzzzzzz'", "there are take, formats"]),
            ("{transfer: {take: 'rww'}}", ["transfer.take", "\"rww\"", "Did you mean 'raw'?"]),
            ("{transfer: {onlyProtected: 'yes'}}", ["transfer.onlyProtected", "true or false", "\"yes\""]),
            ("{transfer: {formats: 'JPG'}}", ["transfer.formats", "a list of texts", "\"JPG\""]),
            ("{transfer: {minimumRating: 9}}", ["transfer.minimumRating", "0 to 5", "9"]),
            ("{transfer: {listAgain: 10}}", ["transfer.listAgain", "\"10s\"", "not 10"]),
            ("{spool: {reserve: true}}", ["spool.reserve", "\"2GiB\"", "true"]),
            ("{deliver: 5}", ["deliver", "an object in braces"]),
            ("{spool: {reserve: 5, reserve: 6}}", ["reserve"]),
            ("{spool: {keep: '7d'}}", ["spool.keep", "keep-until-full", "\"keep 7d\"", "not \"7d\""]),
            ("{hooks: {onStagd: '/x'}}", ["'hooks.onStagd'", "did you mean 'hooks.onStaged'?"]),
            ("{hooks: {atMost: 0}}", ["hooks.atMost", "1 to 64"]),
            ("{hooks: {within: '2h'}}", ["hooks.within", "\"2h\""]),
            ("{webhooks: {}}", ["webhooks", "a list of objects"]),
            ("{webhooks: [{}]}", ["webhooks[0].url is missing"]),
            ("{webhooks: [{url: 'host'}]}", ["webhooks[0].url cannot be used", "begins with https://"]),
            ("{webhooks: [{url: 'https://h'}]}", ["webhooks[0].secret is given, or 'secretFile'"]),
            (
                "{webhooks: [{url: 'https://h', secret: 'short'}]}",
                ["webhooks[0].secret holds from 16 to 1024", "openssl rand"]
            ),
            ("{webhooks: [{url: 'https://h', secretFile: 'here'}]}", ["webhooks[0].secretFile is a path"]),
            (
                "{webhooks: [{url: 'https://h', secret: '0123456789abcdef', on: ['stagd']}]}",
                ["webhooks[0].on", "a list of staged, completed", "[\"stagd\"]"]
            ),
            (
                "{webhooks: [{url: 'https://h', secret: '0123456789abcdef', hears: []}]}",
                ["'webhooks[0].hears'"]
            ),
            ("{transfer: {take: 'raw'}", ["config.json5", "line 1, column 25"]),
            ("[]", ["the whole is an object in braces"]),
        ] as [(String, [String])])
    func mistakes(text: String, sentences: [String]) throws {
        let person = try Operator()
        try person.settings(text)
        let run = try person.run("run", "--camera", "127.0.0.1:1", "--event", "E")
        #expect(run.code == 78, "\(run.errors)")
        for sentence in ["config.json5"] + sentences {
            #expect(run.errors.contains(sentence), "\(sentence): \(run.errors)")
        }
        #expect(run.output.isEmpty && person.folder.contents() == ["home/config.json5"])
    }

    @Test(
        "a secret that cannot be used is not shown, nor is what stands behind a webhook's host",
        arguments: [
            "{webhooks: [{url: 'https://h/4711', secret: 'x4711'}]}",
            "{webhooks: [{url: 'https://h', secret: 4711}]}",
            "{webhooks: {url: 'https://h', secret: '0123456789abcdef4711'}}",
        ])
    func secrets(text: String) throws {
        let person = try Operator()
        try person.settings(text)
        let run = try person.run("run", "--camera", "127.0.0.1:1", "--event", "E")
        #expect(run.code == 78 && !run.errors.contains("4711"), "\(run.errors)")
    }

    @Test("a hook that cannot be run is an error before anything begins")
    func hooks() throws {
        let person = try Operator()
        let missing = person.folder.file("none")
        let run = try person.run("run", "--camera", "127.0.0.1:1", "--event", "E", "--on-staged", missing)
        #expect(run.code == 66 && run.errors.contains("--on-staged: \(missing)"), "\(run.errors)")
        try person.folder.write("text", to: "text")
        try person.settings("{hooks: {onCompleted: '\(person.folder.file("text"))'}}")
        let text = try person.run("run", "--camera", "127.0.0.1:1", "--event", "E")
        #expect(
            text.code == 78 && text.errors.contains("config.json5: line 1: hooks.onCompleted: "),
            "\(text.errors)")
        try person.settings("{deliver: {privateCA: '/nowhere/ca.pem'}}")
        let authority = try person.run("run", "--camera", "127.0.0.1:1", "--event", "E")
        #expect(
            authority.code == 78 && authority.errors.contains("line 1: deliver.privateCA: /nowhere/ca.pem"),
            "\(authority.errors)")
        let wish = try person.run("run", "--camera", "127.0.0.1:1", "--event", "E", "--retention", "7d")
        #expect(wish.code == 64 && wish.errors.contains("keep-until-full"), "\(wish.errors)")
        #expect(person.folder.contents() == ["home/config.json5", "text"])
    }
}
