import Basics
import Glibc
import TestSupport
import Testing

/// `tetherline config`: the settings seen and changed from the command line.
@Suite struct ConfigCommandTests {
    private func file(_ person: Operator) throws -> String {
        String(decoding: try readFile(person.folder.file("home/config.json5")), as: UTF8.self)
    }

    private func shown(_ person: Operator, _ more: String...) throws -> [JSONValue] {
        let result = try person.run(["config", "show", "--json"] + more)
        #expect(result.code == 0, "\(result.errors)")
        return try #require(try JSON5.parse(result.output)["settings"]?.array)
    }

    @Test("a setting is written into a file that people wrote, and a run goes by it")
    func set() throws {
        let camera = try Camsim("--photos", "2", "--photo-size", "20000", "--raw-jpeg")
        let person = try Operator()
        try person.settings("// The studio's.\n{\n    spool: { reserve: '1MiB' }, // small\n}\n")
        #expect(try person.run("config", "set", "transfer.take", "raw").code == 0)
        #expect(try file(person).hasPrefix("// The studio's.\n{\n    spool: { reserve: '1MiB' }, // small\n"))
        #expect(try person.runOnce([camera]).code == 0)
        #expect(try person.arrived().keys.allSatisfy { $0.hasSuffix(".DNG") })
        #expect(try person.run("config", "set", "transfer.take", "--unset").code == 0)
        #expect(try !file(person).contains("take"))
    }

    @Test("where no file is, one is made, for its owner alone; a link stays one")
    func made() throws {
        let person = try Operator()
        #expect(try person.run("config", "set", "run.event", "2026").code == 0)
        let facts = try #require(Tool("stat")).path
        let rights = try #require(Tool(facts)).run([
            "-c", "%a", "\(person.home)", "\(person.home)/config.json5",
        ])
        #expect(rights.lines == ["700", "600"])
        let elsewhere = person.folder.file("elsewhere.json5")
        let shell = try #require(Tool("bash"))
        let moved = try shell.run([
            "-c", "mv \"$1\" \"$2\" && ln -s \"$2\" \"$1\"", "bash", "\(person.home)/config.json5", elsewhere,
        ])
        #expect(moved.code == 0)
        #expect(try person.run("config", "set", "run.once", "true").code == 0)
        #expect(String(decoding: try readFile(elsewhere), as: UTF8.self).contains("once: true"))
        #expect(try shell.run(["-c", "test -L \"$1\"", "bash", "\(person.home)/config.json5"]).code == 0)
    }

    /// As after `sudo tetherline config set --home …` for a service's home.
    @Test("the file keeps its owner and rights, and a link that leads nowhere is left alone")
    func owner() throws {
        let person = try Operator()
        try person.settings("{}\n")
        let shell = try #require(Tool("bash"))
        let path = "\(person.home)/config.json5"
        let isRoot = geteuid() == 0
        let given = try shell.run([
            "-c", "chmod 664 $1; \(isRoot ? "chown 1234:2345 $1" : ":")", "bash", path,
        ])
        #expect(given.code == 0)
        let before = try #require(Tool("stat")).run(["-c", "%u:%g %a", path]).text
        let set = try shell.run(
            ["-c", "umask 077; exec \(Built.tetherline) config set run.once true"],
            environment: ["TETHERLINE_HOME": person.home])
        #expect(set.code == 0, "\(set.errors)")
        #expect(try file(person).contains("once: true"))
        #expect(try #require(Tool("stat")).run(["-c", "%u:%g %a", path]).text == before)
        // What root makes in another user's home is that user's: the bridge takes the same lock.
        if isRoot {
            let lock = "\(person.home)/.config.json5.lock"
            let again = try shell.run([
                "-c",
                "rm -f $2; chown 1234:2345 $1; exec \(Built.tetherline) config set --home $1 run.once false",
                "bash", person.home, lock,
            ])
            #expect(again.code == 0, "\(again.errors)")
            #expect(try #require(Tool("stat")).run(["-c", "%u:%g %a", lock]).lines == ["1234:2345 600"])
            #expect(try shell.run(["-c", "chown 0:0 $1", "bash", person.home]).code == 0)
        }
        #expect(try shell.run(["-c", "ln -sfn /nowhere/settings $1", "bash", path]).code == 0)
        let nowhere = try person.run("config", "set", "run.once", "true")
        #expect(nowhere.code == 78 && nowhere.errors.contains("is no file"), "\(nowhere.errors)")
        #expect(try shell.run(["-c", "test -L $1", "bash", path]).code == 0)
    }

    @Test(
        "words mean what the setting takes",
        arguments: [
            ("run.event", ["2026"], "\"2026\""), ("camera.name", ["true"], "\"true\""),
            ("run.once", ["true"], "true"), ("transfer.minimumRating", ["4"], "4"),
            ("run.cameras", ["auto"], "[\"auto\"]"),
            ("run.cameras", ["auto", "10.0.0.9"], "[\"auto\",\"10.0.0.9\"]"),
            ("transfer.formats", ["['JPG']"], "[\"JPG\"]"), ("spool.keep", ["keep", "7d"], "\"keep 7d\""),
            ("network.ssids.\"My.phone\".limit", ["1"], "1"),
        ])
    func meanings(key: String, words: [String], value: String) throws {
        let person = try Operator()
        let result = try person.run(["config", "set", key] + words)
        #expect(result.code == 0, "\(result.errors)")
        let settings = try shown(person, "--set")
        #expect(settings.map { $0["key"]?.string } == [key])
        #expect(settings.first?["value"]?.compact == value)
    }

    @Test(
        "nothing is written that could not be used",
        arguments: [
            (["transfer.tak", "raw"], "did you mean 'transfer.take'?"),
            (["transfer.take", "rww"], "Did you mean 'raw'?"),
            (["transfer.minimumRating", "9"], "0 to 5, not 9"),
            (["transfer", "raw"], "an object in braces"), (["cameras[3].at", "h"], "a list"),
        ])
    func refused(words: [String], sentence: String) throws {
        let person = try Operator()
        let before = "{ spool: { reserve: 5 } }"
        try person.settings(before)
        let result = try person.run(["config", "set"] + words)
        #expect(result.code == 78 && result.errors.contains(sentence), "\(result.errors)")
        #expect(try file(person) == before)
    }

    @Test("check says every mistake at once, each with its line, and set and unset cure them one by one")
    func check() throws {
        let person = try Operator()
        #expect(try person.run("config", "check").code == 0)
        try person.settings(
            "{\n  transfr: 1,\n  transfer: {\n    take: 'rww',\n    minimumRating: 9 },\n"
                + "  cameras: [{ at: 'h', parts: 'x' }, { at: 5 }],\n  hooks: { onStaged: '/nowhere/cull' },\n}\n"
        )
        let result = try person.run("config", "check")
        #expect(result.code == 78)
        let begins = [
            ": line 2: there is no setting 'transfr'", ": line 4: transfer.take is",
            ": line 5: transfer.minimumRating is",
            ": line 6: cameras[0].parts is", ": line 6: cameras[1].at is",
        ]
        #expect(result.lines.count == begins.count, "\(result.text)")
        for (line, begin) in zip(result.lines, begins) { #expect(line.contains("config.json5\(begin)")) }
        let json = try JSON5.parse(try person.run("config", "check", "--json").output)
        #expect(json["ok"]?.bool == false)
        #expect(json["mistakes"]?.array?.compactMap { $0["line"]?.integer } == [2, 4, 5, 6, 6])
        // A name of the operator's is written as 'unset' takes it, and has the line of the mistake.
        let dotted = try Operator()
        try dotted.settings("{ network: {\n  ssids: {\n    'My.phone': {\n      limt: 1 } } } }\n")
        let misspelt = try JSON5.parse(try dotted.run("config", "check", "--json").output)
        let key = try #require(misspelt["mistakes"]?.array?.first?["key"]?.string)
        #expect(misspelt["mistakes"]?.array?.first?["line"]?.integer == 4, "\(misspelt.compact)")
        #expect(try dotted.run("config", "unset", key).code == 0)
        #expect(try dotted.run("config", "check").code == 0)
        // Another command says the first of them, and where the rest is said.
        let other = try person.run("camera", "info", "127.0.0.1:1")
        #expect(other.code == 78 && other.errors.contains("4 more mistakes"), "\(other.errors)")
        #expect(try person.run("config", "unset", "transfr").code == 0)
        #expect(try person.run("config", "set", "transfer.take", "raw").code == 0)
        for key in ["transfer.minimumRating", "cameras"] {
            #expect(try person.run("config", "unset", key).code == 0)
        }
        // What can be read now names a program that is not there.
        let rest = try person.run("config", "check")
        #expect(rest.code == 78 && rest.text.contains("hooks.onStaged: /nowhere/cull"), "\(rest.text)")
        #expect(try person.run("config", "unset", "hooks").code == 0)
        #expect(try person.run("config", "check").code == 0)
    }

    @Test("show has every setting that the article has, with the value that the article calls usual")
    func usual() throws {
        let person = try Operator()
        let settings = try shown(person)
        #expect(settings.allSatisfy { $0["source"]?.string == "default" && $0["line"] == .null })
        var values: [String: JSONValue] = [:]
        for setting in settings { values[setting["key"]?.string ?? ""] = setting["value"] }
        var compared = 0
        for row in try Documents.text(SettingsTests.article).split(separator: "\n") where row.hasPrefix("| `")
        {
            let cells = row.split(separator: "|").map { $0.filter { $0 != "`" && $0 != " " } }
            guard cells.count == 4, !cells[0].contains("[]"), !cells[0].contains("NAME") else { continue }
            let value = try #require(values[cells[0]], "\(cells[0])")
            let text = value.string ?? value.compact
            // "none", "all", and what is found out are no values.
            guard !["null", "[]"].contains(text) else { continue }
            compared += 1
            #expect(text == cells[2], "\(cells[0])")
        }
        #expect(compared > 20)
    }

    @Test("check looks at the files and folders that the settings name, each with its line")
    func named() throws {
        let person = try Operator()
        try person.folder.write("nonsense", to: "login")
        try person.folder.write("", to: "nofolder")
        try person.settings(
            "{\n  run: { destinations: ['webdavs://h/x?credentials=\(person.folder.file("login"))'] },\n"
                + "  keep: { folder: '\(person.folder.file("nofolder"))/copies' },\n"
                + "  cameras: [{ at: '10.0.0.9', 'ssh-user': 'a', 'ssh-password-file': '/nowhere/word' }],\n}\n"
        )
        let result = try person.run("config", "check")
        #expect(result.code == 78, "\(result.text)")
        let expected = [
            ("line 2: run.destinations[0]: ", "user:password"), ("line 3: keep.folder: ", "nofolder"),
            ("line 4: cameras[0].ssh-password-file: ", "/nowhere/word"),
        ]
        #expect(result.lines.count == expected.count, "\(result.text)")
        for (line, word) in expected {
            #expect(result.lines.contains { $0.contains(line) && $0.contains(word) }, "\(result.text)")
        }
        try person.folder.write("ann:4711\n", to: "login")
        try person.settings(
            "{ run: { destinations: ['webdavs://h/x?credentials=\(person.folder.file("login"))'] } }")
        #expect(try person.run("config", "check").code == 0)
    }

    @Test("a home that others may write to, and settings of another user, are refused before anything begins")
    func exposed() throws {
        let person = try Operator()
        try person.settings("{ run: { event: 'E', cameras: ['127.0.0.1:1'] } }")
        #expect(chmod(person.home, 0o777) == 0)
        let open = try person.run("run")
        #expect(
            open.code == 77 && open.errors.contains("other users may write to \(person.home)"),
            "\(open.errors)")
        #expect(chmod(person.home, 0o700) == 0)
        #expect(chmod("\(person.home)/config.json5", 0o622) == 0)
        #expect(try person.run("run").errors.contains("chmod 600 \(person.home)/config.json5"))
        #expect(chmod("\(person.home)/config.json5", 0o600) == 0)
        guard geteuid() == 0 else { return }
        #expect(chown("\(person.home)/config.json5", 1234, 1234) == 0)
        let other = try person.run("run")
        #expect(other.code == 77 && other.errors.contains("belongs to user 1234"), "\(other.errors)")
        #expect(person.folder.contents() == ["home/config.json5"])
    }

    @Test("on a terminal a table's columns have names; a program gets rows, some at a time")
    func tables() throws {
        let camera = try Camsim("--photos", "3", "--photo-size", "5000")
        let person = try Operator()
        #expect(try person.runOnce([camera]).code == 0)
        let first = try person.run("jobs", "--limit", "2")
        #expect(first.lines.count == 2 && first.errors.contains("--after 2"), "\(first.text)\(first.errors)")
        let rest = try person.run("jobs", "--limit", "2", "--after", "2")
        #expect(rest.lines.count == 1 && rest.errors.isEmpty, "\(rest.text)\(rest.errors)")
        #expect(try person.run("jobs", "--destination", "file:///elsewhere").code == 66)
        #expect(try person.run("jobs", "--destination", "1").lines.count == 3)
        // Python's own terminal.
        let script = "import os, pty, sys; sys.exit(os.waitstatus_to_exitcode(pty.spawn(sys.argv[1:])))"
        for (command, name) in [("jobs", "job "), ("captures", "photo ")] {
            let seen = try #require(Tool("python3")).run(
                ["-c", script, Built.tetherline, command, "--home", person.home])
            let lines = seen.text.split(whereSeparator: \.isNewline)
            #expect(seen.code == 0 && lines.count == 4, "\(seen.text)\(seen.errors)")
            #expect(lines.first?.hasPrefix(name) == true, "\(seen.text)")
        }
    }

    @Test("a secret is not shown, nor what stands behind a webhook's host; the lines are those of the file")
    func secrets() throws {
        let person = try Operator()
        try person.settings(
            "{\n  webhooks: [\n    { url: 'https://h.example/x4711', secret: '0123456789abcdef4711' },\n  ],\n}\n"
        )
        for more in [["--json"], []] {
            let result = try person.run(["config", "show"] + more)
            #expect(
                result.code == 0 && !result.text.contains("4711") && result.text.contains("https://h.example")
            )
        }
        let settings = try shown(person, "webhooks")
        #expect(settings.compactMap { $0["line"]?.integer } == [3, 3])
        #expect(settings.map { $0["isSecret"]?.bool } == [false, true])
    }
}
