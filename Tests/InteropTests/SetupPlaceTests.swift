import Basics
import Glibc
import TestSupport
import Testing

/// Places that photos go to, each a real server with a secret of its own: typed in, tried, and delivered to.
@Suite(.timeLimit(.minutes(Cases.minutesOfHang)), .enabled(if: Tool.isThere("python3")))
struct SetupPlaceTests {
    private let person: Operator
    /// What this machine's user has is no business of a test.
    private let environment = ["AWS_CONFIG_FILE": "/dev/null", "AWS_SHARED_CREDENTIALS_FILE": "/dev/null"]

    init() throws { person = try Operator() }

    private func setup(_ turns: [Typist.Turn]) throws -> Typist.Outcome {
        try Typist.types(
            turns, into: [Built.tetherline, "setup", "destination"], home: person.home,
            environment: environment)
    }

    private func settings() throws -> String {
        String(decoding: try readFile("\(person.home)/config.json5"), as: UTF8.self)
    }

    /// The one file with a secret, of this user alone.
    private func secret() throws -> String {
        let files = person.folder.contents().filter { $0.hasPrefix("home/credentials/") }
        try #require(files.count == 1, "\(files)")
        var facts = stat()
        #expect(lstat(person.folder.file(files[0]), &facts) == 0 && facts.st_mode & 0o777 == 0o600)
        return String(decoding: try readFile(person.folder.file(files[0])), as: UTF8.self)
    }

    /// Two photos go there by a run that says nothing of it.
    private func deliver() throws {
        let camera = try Camsim("--photos", "2", "--photo-size", "2000")
        let words = ["run", "--camera", camera.address, "--once", "--since", "all", "--idle", "300ms"]
        let run = try #require(Tool(Built.tetherline)).run(
            words, environment: environment.merging(["TETHERLINE_HOME": person.home]) { $1 })
        #expect(run.code == 0, "\(run.errors)")
    }

    private func photos(in folder: TemporaryFolder) -> [String] {
        folder.contents().filter { $0.hasSuffix(".JPG") }
    }

    @Test(
        "a server's password is asked for and not shown; it lies in a file for this user alone, and a wrong one is asked for again",
        .enabled(if: DAVServer.isThere, "nginx is not installed"))
    func server() throws {
        let server = try DAVServer(
            server: """
                root FOLDER/files;
                location / {
                    auth_basic photos; auth_basic_user_file FOLDER/users;
                    dav_methods PUT DELETE MKCOL COPY MOVE;
                    dav_access user:rw;
                }
                """)
        server.folder.makeFolder("files")
        try server.folder.write("desk:{PLAIN}correct horse\n", to: "users")
        let place = "127.0.0.1:\(server.port)/"
        let typed = try setup([
            ("Number: [1]", "4\n"), ("event called", "Wedding\n"),
            ("Which server?", "webdav://desk:correct%20horse@\(place)\n"), ("Leave the password out", ""),
            ("Which server?", "webdav://desk@\(place)\n"), ("Password of desk", "wrong horse\n"),
            ("all the same", "n\n"), ("Which server?", "webdav://desk@\(place)\n"),
            ("Password of desk", "correct horse\n"), ("works: a small file was written", ""),
            ("Another place", "\n"),
        ])
        #expect(typed.code == 0, "\(typed.shown)")
        #expect(
            !typed.shown.contains("wrong horse") && !typed.shown.contains("correct horse"), "\(typed.shown)")
        let settings = try settings()
        #expect(settings.contains("webdav://desk@\(place)") && !settings.contains("horse"), "\(settings)")
        #expect(try secret() == "desk:correct horse\n")
        try deliver()
        #expect(photos(in: server.folder).count == 2)
    }

    @Test(
        "a bucket's keys are asked for where there are none; they lie in a file that every S3 tool reads",
        .enabled(if: SeaweedFS.isThere, "SeaweedFS is not installed"))
    func bucket() throws {
        let store = try SeaweedFS.shared.get()
        let bucket = try store.makeBucket()
        let place = "s3://\(bucket)/2026?endpoint=\(store.endpoint)"
        let typed = try setup([
            ("Number: [1]", "3\n"), ("event called", "Wedding\n"), ("Which bucket?", "\(place)\n"),
            ("there are no keys for S3", ""), ("Access key ID of \(bucket)", "\(SeaweedFS.keyID)\n"),
            ("secret access key", "wrongsecret\n"), ("all the same", "n\n"),
            ("Which bucket?", "\(place)\n"), ("Access key ID", "\(SeaweedFS.keyID)\n"),
            ("secret access key", "\(SeaweedFS.secret)\n"), ("works: a small file was written", ""),
            ("Another place", "\n"),
        ])
        #expect(typed.code == 0 && !typed.shown.contains(SeaweedFS.secret), "\(typed.shown)")
        #expect(!typed.shown.contains("wrongsecret"))
        let settings = try settings()
        #expect(settings.contains("\(place)&credentials=/") && !settings.contains("secret\n"), "\(settings)")
        #expect(try secret().contains("aws_secret_access_key = \(SeaweedFS.secret)\n"))
        try deliver()
        let listed = try store.curl([
            "-H", "Accept: application/json", "\(store.filer)/buckets/\(bucket)/2026/",
        ])
        let entries = try JSON5.parse(String(decoding: listed, as: UTF8.self))["Entries"]?.array ?? []
        #expect(entries.count { $0["FullPath"]?.string?.hasSuffix(".JPG") == true } == 2, "\(entries)")
    }

    @Test(
        "a place that does not answer is typed anew: no command is named that corrects what stands nowhere yet"
    )
    func nothingThere() throws {
        let typed = try setup([
            ("Number: [1]", "4\n"), ("event called", "Wedding\n"),
            ("Which server?", "webdav://127.0.0.1:\(try FreePort.next())/x\n"), ("all the same", "quit\n"),
        ])
        #expect(typed.shown.contains("typing error"), "\(typed.shown)")
        #expect(!typed.shown.contains("destination replace"), "\(typed.shown)")
    }

    @Test(
        "a bucket's keys that only the terminal has are kept for a service where that is agreed to, and otherwise it is said how",
        .enabled(if: SeaweedFS.isThere, "SeaweedFS is not installed"))
    func keysOfTheTerminal() throws {
        let store = try SeaweedFS.shared.get()
        let place = "s3://\(try store.makeBucket())/2026?endpoint=\(store.endpoint)"
        let keys = ["AWS_ACCESS_KEY_ID": SeaweedFS.keyID, "AWS_SECRET_ACCESS_KEY": SeaweedFS.secret]
        func types(_ turns: [Typist.Turn], _ step: String) throws -> String {
            let typed = try Typist.types(
                turns, into: [Built.tetherline, "setup", step], home: person.home,
                environment: environment.merging(keys) { $1 })
            #expect(typed.code == 0 && !typed.shown.contains(SeaweedFS.secret), "\(typed.shown)")
            return typed.shown
        }
        let named: [Typist.Turn] = [
            ("Number: [1]", "3\n"), ("event called", "Wedding\n"), ("Which bucket?", "\(place)\n"),
        ]
        let works: [Typist.Turn] = [("works: a small file was written", ""), ("Another place", "\n")]
        _ = try types(named + [("Keep it in a file", "n\n")] + works, "destination")
        #expect(try !settings().contains("credentials="))
        let service = try types([("start by itself", "y\n")], "service")
        let lines = service.split(whereSeparator: \.isNewline).map { $0.drop { $0 == " " } }
        let command = try #require(lines.first { $0.hasPrefix("(umask 077;") }, "\(service)")
        #expect(try #require(Tool("sh")).run(["-c", "\(command)"], environment: keys).code == 0)
        let file = try readFile("\(person.home)/environment")
        #expect(
            String(decoding: file, as: UTF8.self).split(separator: "\n").sorted()
                == keys.map { "\($0.key)=\($0.value)" }.sorted().map { Substring($0) })

        _ = try types(
            [("keep that?", "n\n")] + named + [("Keep it in a file", "\n")] + works, "destination")
        #expect(try secret().contains("aws_secret_access_key = \(SeaweedFS.secret)\n"))
        #expect(try !types([("start by itself", "y\n")], "service").contains("AWS_ACCESS_KEY_ID"))
        try deliver()
    }

    @Test(
        "SFTP by a key: an unknown host is told with the line that makes it known, and nothing else is asked",
        .enabled(if: SFTPDaemon.isThere, "\(SFTPDaemon.reason)"))
    func sftp() throws {
        let daemon = try SFTPDaemon()
        let user = try SystemUser.own().name
        let place =
            "sftp://\(user)@127.0.0.1:\(daemon.port)\(daemon.folder.file("data"))?key=\(daemon.folder.file("key"))&known-hosts="
        try daemon.folder.write("", to: "nobody")
        let typed = try setup([
            ("Number: [1]", "4\n"), ("event called", "Wedding\n"),
            ("Which server?", "\(place)\(daemon.folder.file("nobody"))\n"), ("ssh-keyscan", ""),
            ("all the same", "n\n"), ("Which server?", "\(place)\(daemon.folder.file("known"))\n"),
            ("works: a small file was written", ""), ("Another place", "\n"),
        ])
        #expect(typed.code == 0 && !typed.shown.contains("Password"), "\(typed.shown)")
        try deliver()
        #expect(photos(in: daemon.folder).count == 2)
    }

    @Test(
        "FTP: a server that cannot do TLS is told so; where that is given up the password is asked for",
        .enabled(if: Tool.isThere(RcloneFTPDaemon.program), "rclone is not installed"))
    func ftp() async throws {
        let daemon = try await RcloneFTPDaemon(user: "desk", password: "correct horse")
        let place = "ftp://desk@127.0.0.1:\(daemon.port)/in"
        let typed = try setup([
            ("Number: [1]", "4\n"), ("event called", "Wedding\n"),
            ("Which server?", "\(place)\n"), ("Password of desk", "correct horse\n"), ("tls=none", ""),
            ("all the same", "n\n"), ("Which server?", "\(place)?tls=none\n"),
            ("Password of desk", "correct horse\n"), ("works: a small file was written", ""),
            ("Another place", "\n"),
        ])
        #expect(typed.code == 0 && !typed.shown.contains("horse"), "\(typed.shown)")
        #expect(try secret() == "desk:correct horse\n")
        try deliver()
        #expect(photos(in: daemon.folder).count == 2)
    }

    @Test(
        "FTP at vsftpd: a folder that may not be written to is told before anything is kept",
        .enabled(if: FTPDaemon.isThere, "\(FTPDaemon.reason)"))
    func vsftpd() async throws {
        let daemon = try await FTPDaemon(.none, nil)
        let place = "ftp://anonymous@127.0.0.1:\(daemon.port)"
        let typed = try setup([
            ("Number: [1]", "4\n"), ("event called", "Wedding\n"),
            ("Which server?", "\(place)/?tls=none\n"), ("Password of anonymous", "desk\n"),
            ("all the same", "n\n"), ("Which server?", "\(place)/in?tls=none\n"),
            ("Password of anonymous", "desk\n"), ("works: a small file was written", ""),
            ("Another place", "\n"),
        ])
        #expect(typed.code == 0, "\(typed.shown)")
        try deliver()
        #expect(photos(in: daemon.folder).count == 2)
    }
}
