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
        #expect(more.code == 0 && more.text.contains("2 to fetch"), "\(more.text)")
        #expect(try person.arrived().count == 4)
    }

    @Test(
        "the settings that the README shows are settings, and it names every word that there is for a camera")
    func readme() throws {
        let parts = #filePath.split(separator: "/", omittingEmptySubsequences: false)
        let path = parts.dropLast(3).joined(separator: "/") + "/README.md"
        let readme = String(decoding: try readFile(path), as: UTF8.self)
        let begin = try #require(readme.firstRange(of: "```json5\n")).upperBound
        let end = try #require(readme[begin...].firstRange(of: "```")).lowerBound
        let person = try Operator()
        let secret = person.folder.file("secret")
        try person.folder.write(String(repeating: "s", count: 32), to: "secret")
        let block = readme[begin..<end].replacing("/etc/tetherline/secret", with: secret)
        try person.settings(String(block))
        let looked = try person.run("camera", "info", "127.0.0.1:1")
        #expect(looked.code == 69, "\(looked.errors)")
        // They were read: one letter too few is said.
        try person.settings(String(block.replacing("listAgain", with: "listAgan")))
        #expect(try person.run("camera", "info", "127.0.0.1:1").code == 78)
        // The program names its words where it does not know one.
        try person.settings("{cameras: [{at: 'h', zzzzzzzzz: 1}]}")
        let errors = try person.run("camera", "info", "127.0.0.1:1").errors
        let list = try #require(errors.firstRange(of: "there are at, ")).upperBound
        let words = errors[list...].prefix { $0 != "." }.split(separator: ", ")
        #expect(words.count == 11, "\(words)")
        for word in words { #expect(readme.contains("`\(word)`"), "\(word)") }
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
        #expect(text.code == 64 && text.errors.contains("--on-completed: "), "\(text.errors)")
        let wish = try person.run("run", "--camera", "127.0.0.1:1", "--event", "E", "--retention", "7d")
        #expect(wish.code == 64 && wish.errors.contains("keep-until-full"), "\(wish.errors)")
        #expect(person.folder.contents() == ["home/config.json5", "text"])
    }
}
