import Glibc
import TestSupport
import Testing

/// Our account at a gallery, as typed by an operator; the gallery is the model, behind a real socket.
@Suite struct GalleryCommandTests {
    let served: ServedGallery
    let member: ModelAccount
    let person: Operator
    var gallery: ModelGallery { served.gallery }

    init() throws {
        served = try ServedGallery()
        member = served.gallery.account()
        person = try Operator()
        try person.folder.write("correct horse\nnot this\n", to: "password")
    }

    private var passwordFile: String { person.folder.file("password") }

    private func logIn() throws {
        let login = try person.run(
            "login", served.url, "--email", member.email, "--password-file", passwordFile)
        #expect(login.code == 0, "\(login.errors)")
        #expect(login.text == "logged in at \(served.url) as ann@example.org\n")
    }

    @Test("log in, look who one is, log out: nothing of it stays, here or there")
    func wholeStay() throws {
        try logIn()
        var facts = stat()
        #expect(lstat("\(person.home)/credentials.json", &facts) == 0 && facts.st_mode & 0o777 == 0o600)
        let who = try person.run("whoami")
        #expect(who.text == "ann@example.org, Ann, at \(served.url)\n", "\(who.errors)")
        try CommandTests.expectJSON(try person.run("whoami", "--json"))
        let out = try person.run("logout")
        #expect(out.code == 0 && out.text == "logged out from \(served.url)\n", "\(out.errors)")
        let kept = String(decoding: try readFile("\(person.home)/credentials.json"), as: UTF8.self)
        #expect(!kept.contains(served.url) && !kept.contains("eyJ"))
        let nobody = try person.run("whoami")
        #expect(nobody.code == 77 && nobody.errors.contains("tetherline login SERVER"))
        #expect(gallery.violations.isEmpty)
    }

    @Test("an address that leads to no gallery is told by what is wrong with it")
    func wrongAddress() throws {
        let house = try GalleryHouse()
        let port = String(house.url.drop { !$0.isNumber }.drop { $0 != ":" }.filter(\.isNumber))
        for (address, words) in [
            ("https://127.0.0.1:\(port)", "does not speak TLS"),
            ("http://127.0.0.1:\(port)/host", "no gallery is at this address"),
        ] {
            let login = try person.run(
                "login", address, "--email", member.email, "--password-file", passwordFile)
            #expect(login.code != 0 && login.errors.contains(words), "\(login.errors)")
        }
    }

    @Test("a password comes from standard input, from a file, or from nowhere")
    func passwords() throws {
        let tool = try #require(Tool(Built.tetherline))
        func login(_ input: String, _ more: String...) throws -> Tool.Output {
            try tool.run(
                ["login", served.url, "--email", member.email] + more, input: Array(input.utf8),
                environment: ["TETHERLINE_HOME": person.home])
        }
        #expect(try login("correct horse\n").code == 0)
        #expect(try login("correct horse").code == 0)
        let wrong = try login("wrong secret horse\n")
        #expect(wrong.code == 77 && wrong.errors.contains("the address or the password is wrong"))
        #expect(!wrong.errors.contains("secret") && wrong.output.isEmpty)
        let none = try login("")
        #expect(none.code == 64 && none.errors.contains("Nothing was typed"))
        #expect(try login(String(repeating: "x", count: 10_000)).code == 64)
        #expect(try login("", "--password-file", "/nowhere").code == 66)
        #expect(try login("", "--password", "x").code == 64)
        let noEmail = try tool.run(["login", served.url], environment: ["TETHERLINE_HOME": person.home])
        #expect(noEmail.code == 64 && noEmail.errors.contains("--email"))
        #expect(gallery.violations.isEmpty)
    }

    /// Types what it is asked for into a terminal of its own, and prints what the terminal showed.
    private static let typist = """
        import os, pty, sys, termios
        pid, fd = pty.fork()
        if pid == 0:
            os.execv(sys.argv[1], sys.argv[1:])
        shown = b""
        for prompt, answer in ((b"E-mail: ", b"ann@example.org\\n"), (b"Password: ", b"correct horse\\n")):
            while not shown.endswith(prompt):
                shown += os.read(fd, 1)
            os.write(fd, answer)
        try:
            while True:
                part = os.read(fd, 1000)
                if not part: break
                shown += part
        except OSError:
            pass
        sys.stdout.write(shown.decode())
        sys.exit(os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]))
        """

    @Test("at a terminal the password is asked for and not shown", .enabled(if: Tool.isThere("python3")))
    func terminal() throws {
        let run = try #require(Tool("python3")).run(
            ["-c", Self.typist, Built.tetherline, "login", served.url],
            environment: ["TETHERLINE_HOME": person.home])
        #expect(run.code == 0, "\(run.text) \(run.errors)")
        #expect(run.text.contains("logged in at") && run.text.contains("ann@example.org\r\n"))
        #expect(!run.text.contains("horse"), "\(run.text)")
    }

    @Test("register makes an account where there is none")
    func register() throws {
        let run = try person.run(
            "register", served.url, "--email", "bob@example.org", "--name", "Bob", "--password-file",
            passwordFile)
        #expect(run.code == 0, "\(run.errors)")
        #expect(try person.run("whoami").text.hasPrefix("bob@example.org, Bob"))
        let again = try person.run(
            "register", served.url, "--email", "bob@example.org", "--name", "Bob", "--password-file",
            passwordFile)
        #expect(again.code == 1 && again.errors.contains("that address is taken"))
    }

    @Test("consent is shown and given")
    func consent() throws {
        try logIn()
        gallery.setConsent(false, of: member)
        let before = try person.run("consent")
        #expect(before.code == 1 && before.text.contains("2026-11 is not given"))
        #expect(before.text.contains("tetherline consent --give"))
        #expect(try person.run("consent", "--give").text.contains("2026-11 is given"))
        #expect(try person.run("consent").code == 0)
        #expect(gallery.violations.isEmpty)
    }

    @Test(
        "events are listed, made and selected; an unknown one says which there are",
        .enabled(if: Tool.isThere("sqlite3")))
    func events() throws {
        try logIn()
        #expect(try person.run("events", "list").errors.contains("there is no event"))
        let id = gallery.event("Ann and Bob", of: member)
        let made = try person.run("events", "create", "Carla's 50th")
        #expect(made.code == 0 && made.text.contains("Carla's 50th"), "\(made.errors)")
        let unknown = try person.run("events", "select", "Ann and Bop")
        #expect(unknown.code == 66 && unknown.output.isEmpty)
        for word in ["'Ann and Bop'", "'Ann and Bob', 'Carla's 50th'", "Did you mean 'Ann and Bob'?"] {
            #expect(unknown.errors.contains(word), "\(unknown.errors)")
        }
        let chosen = try person.run("events", "select", "Ann and Bob")
        #expect(chosen.code == 0 && chosen.text == "selected: \(id)  Ann and Bob\n", "\(chosen.errors)")
        #expect(
            try person.query("SELECT key || ' ' || value FROM state WHERE key LIKE 'selected.%' ORDER BY key")
                == ["selected.event \(id)", "selected.server \(served.url)"])
        #expect(
            try person.query("SELECT id || ' ' || name || ' ' || origin FROM events")
                == ["\(id) Ann and Bob gallery"])
        let list = try person.run("events", "list")
        #expect(list.lines.filter { $0.hasPrefix("* ") } == ["* \(id)  Ann and Bob  0 photos"])
        #expect(list.lines.count == 2)
        try CommandTests.expectJSON(try person.run("events", "list", "--json"))
        #expect(try person.run("events", "select", id).code == 0)
        _ = gallery.event("Ann and Bob", of: member)
        let twins = try person.run("events", "select", "Ann and Bob")
        #expect(twins.code == 66 && twins.errors.contains(id))
        #expect(gallery.violations.isEmpty)
    }

    @Test(
        "a bridge that is told no event goes into the selected one",
        .enabled(if: Tool.isThere("sqlite3")))
    func runsSelected() throws {
        try logIn()
        let id = gallery.event("Ann and Bob", of: member)
        let camera = try Camsim("--photos", "1", "--photo-size", "2000")
        let words = ["--camera", camera.address, "--destination", "file://\(person.out)"]
        let none = try person.run(["run"] + words)
        #expect(none.code == 64 && none.errors.contains("tetherline events select"))
        #expect(try person.run("events", "select", "Ann and Bob").code == 0)
        let run = try person.run(["run", "--once", "--since", "all", "--idle", "300ms"] + words)
        #expect(run.code == 0, "\(run.errors)")
        #expect(try person.query("SELECT DISTINCT event_id FROM upload_jobs") == [id])
    }

    @Test("while a bridge runs, its log-in and its event are left to it")
    func besideBridge() throws {
        try logIn()
        let camera = try Camsim("--photos", "1", "--photo-size", "2000")
        let bridge = try person.start([camera])
        try bridge.waitForDelivered(1)
        #expect(try person.run("whoami").code == 0)
        let select = try person.run("events", "select", "x")
        #expect(select.code == 75 && select.errors.contains("a bridge runs in"))
        gallery.expireAccessTokens()
        let expired = try person.run("whoami")
        #expect(expired.code == 75 && expired.errors.contains("for the bridge that runs here"))
        bridge.end()
        #expect(try person.run("whoami").code == 0)
        #expect(gallery.count(.refresh) == 1 && gallery.violations.isEmpty)
    }

    @Test("with log-ins at two galleries a command wants to know which")
    func twoServers() throws {
        try logIn()
        let other = try ServedGallery()
        _ = other.gallery.account()
        let login = try person.run(
            "login", other.url, "--email", "ann@example.org", "--password-file", passwordFile)
        #expect(login.code == 0)
        let which = try person.run("whoami")
        #expect(which.code == 64 && which.errors.contains(served.url) && which.errors.contains(other.url))
        #expect(try person.run("whoami", "--server", other.url).text.contains(other.url))
        let unknown = try person.run("whoami", "--server", "https://third.example")
        #expect(unknown.code == 77 && unknown.errors.contains("tetherline login https://third.example/"))
    }

    @Test("a host without a scheme works, or the command that does is said; --server is the same as SERVER")
    func withoutScheme() throws {
        let place = served.url.dropFirst("http://".count)
        let account = ["--email", member.email, "--password-file", passwordFile]
        let login = try person.run(["login", "--server", "\(place)"] + account)
        #expect(login.code == 0 && login.text.contains("logged in at \(served.url)"), "\(login.errors)")
        #expect(try person.run("whoami", "--server", "\(place)").code == 0)
        // An address of this machine that nothing knows as one: https is tried, and the gallery speaks http.
        let port = try #require(place.split(separator: ":").last).prefix { $0 != "/" }
        let elsewhere = "[::ffff:127.0.0.1]:\(port)"
        for words in [["login", elsewhere], ["register", elsewhere, "--name", "Ann"]] {
            let guessed = try person.run(words + account)
            let command = "tetherline \(words[0]) http://\(elsewhere)/ --plain-http"
            #expect(guessed.code == 69 && guessed.errors.contains(command), "\(guessed.errors)")
        }
        let told = try person.run(["login", "http://\(elsewhere)/", "--plain-http"] + account)
        #expect(told.code == 0, "\(told.errors)")
        #expect(try person.run("whoami", "--server", elsewhere).text.contains("http://\(elsewhere)/"))
        for words in [["login"], ["login", served.url, "--server", served.url]] {
            let unclear = try person.run(words + account)
            #expect(unclear.code == 64 && unclear.errors.contains("tetherline login https://"))
        }
    }

    @Test("what cannot be meant is said before anything is sent")
    func mistakes() throws {
        for (server, word) in [
            ("http://gallery.example", "--plain-http"), ("ftp://x", "is no gallery's address"),
            ("", "address"),
        ] {
            let run = try person.run("login", server, "--email", "a@b.c", "--password-file", passwordFile)
            #expect(run.code == 64 && run.errors.contains(word), "\(run.errors)")
        }
        let silent = try person.run(
            "login", "http://127.0.0.1:1", "--email", "a@b.c", "--password-file", passwordFile)
        #expect(silent.code == 69 && silent.errors.contains("did not answer"), "\(silent.errors)")
        person.folder.makeFolder("home")
        try person.folder.write("{secret", to: "home/credentials.json")
        let damaged = try person.run("whoami")
        #expect(damaged.code == 65 && damaged.errors.contains("is damaged"))
        #expect(!damaged.errors.contains("secret"))
    }
}
