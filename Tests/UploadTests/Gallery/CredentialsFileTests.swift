import Basics
import Glibc
import Posix
import TestSupport
import Testing
import Upload

/// `credentials.json`, as other programs see it.
@Suite struct CredentialsFileTests {
    let folder: TemporaryFolder
    var file: CredentialsFile { CredentialsFile(folder: folder.path) }

    init() throws {
        folder = try TemporaryFolder()
    }

    private func entry(_ server: GalleryAddress, _ secret: String = "s") -> GalleryCredentials.Entry {
        GalleryCredentials.Entry(
            server: "\(server)",
            user: GalleryUser(id: "42", email: "ann@example.org", displayName: "Ann \"A\" é"),
            tokens: GalleryTokens(access: "access-\(secret)", refresh: "refresh-\(secret)"))
    }

    private func logIn(_ server: String, _ secret: String = "s") throws {
        let address = try GalleryAddress(server)
        let entry = entry(address, secret)
        try file.update { $0[address] = entry }
    }

    @Test("there is none before the first log-in, and that is no error")
    func missing() throws {
        #expect(try file.read() == GalleryCredentials())
        try file.update { _ in }
        #expect(folder.contents() == [".credentials.json.lock"])
    }

    @Test("each server has its own log-in, and only this user may read the file")
    func servers() throws {
        try logIn("https://one.example", "1")
        try logIn("https://two.example:8443/photos", "2")
        try logIn("https://one.example/", "3")
        let read = try file.read()
        #expect(read.entries.map(\.server) == ["https://one.example/", "https://two.example:8443/photos/"])
        #expect(read.entries.map(\.tokens.refresh) == ["refresh-3", "refresh-2"])
        #expect(read.entries[0].user.displayName == "Ann \"A\" é")
        var facts = stat()
        #expect(lstat(file.path, &facts) == 0 && facts.st_mode & 0o777 == 0o600)
        let address = try GalleryAddress("one.example")
        try file.update { $0[address] = nil }
        #expect(try file.read().entries.map(\.server) == ["https://two.example:8443/photos/"])
    }

    @Test("it is JSON that another program reads", .enabled(if: Tool.isThere("python3")))
    func isJSON() throws {
        try logIn("https://one.example", "1")
        let program = """
            import json,sys
            f=json.load(open(sys.argv[1]))
            s=f["servers"]["https://one.example/"]
            print(f["version"], s["user"]["email"], s["user"]["displayName"], s["accessToken"], s["refreshToken"])
            """
        let output = try #require(Tool("python3")).run(["-c", program, file.path])
        #expect(output.text == "1 ann@example.org Ann \"A\" é access-1 refresh-1\n", "\(output.errors)")
    }

    @Test("it is replaced as a whole: a process that has the old one open reads the old one")
    func replaces() throws {
        try logIn("https://one.example", "1")
        let old = try ReadableFile(path: file.path)
        try logIn("https://one.example", "2")
        var bytes = [UInt8](repeating: 0, count: Int(old.size))
        try bytes.withUnsafeMutableBytes { try old.read(into: $0, at: 0) }
        #expect(String(decoding: bytes, as: UTF8.self).contains("refresh-1"))
        #expect(folder.contents() == [".credentials.json.lock", "credentials.json"])
    }

    @Test(
        "a damaged file says where and what to do, and repeats nothing of itself",
        arguments: [
            ("", "line 1, column 1"), ("{", "line 1, column 2"),
            (#"{"version": 1, "servers": {"https://a/": {"refreshToken": "secret" "#, "line 1, column"),
            (#"secret"#, "line 1, column 1"), (#"["secret"]"#, "no object"),
            (#"{"version": 2, "servers": {}}"#, "version"), (#"{"version": 1}"#, "no servers"),
            (#"{"version": 1, "servers": {"https://a/": "secret"}}"#, "no object"),
            (
                #"{"version": 1, "servers": {"https://a/": {"user": {"id": "1", "email": "e"}, "accessToken": "secret"}}}"#,
                "'refreshToken' is missing"
            ),
            (
                #"{"version": 1, "servers": {"https://a/": {"user": {"id": "1", "email": "e"}, "accessToken": "secret\r\nX: y", "refreshToken": "r"}}}"#,
                "'accessToken' is no token"
            ),
        ])
    func damaged(text: String, what: String) throws {
        try folder.write(text, to: CredentialsFile.fileName)
        do throws(CredentialsFile.Problem) {
            _ = try file.read()
            Issue.record("it was read")
        } catch {
            let sentence = error.description
            #expect(sentence.contains("\(file.path) is damaged") && sentence.contains(what), "\(sentence)")
            #expect(sentence.contains("tetherline login"))
            #expect(!sentence.contains("secret"))
        }
        #expect(throws: CredentialsFile.Problem.self) { try logIn("https://one.example") }
        #expect(
            try readFile(file.path) == Array(text.utf8), "a damaged file is left for the operator to look at")
    }

    @Test("a file that is larger than any could be is not read")
    func huge() throws {
        try folder.write([UInt8](repeating: 0x20, count: 1 << 20 + 1), to: CredentialsFile.fileName)
        #expect(throws: CredentialsFile.Problem.self) { try file.read() }
    }

    @Test("two that change it at once do so one after the other")
    func locks() throws {
        let lock = try FileLock(path: "\(folder.path)/.credentials.json.lock")
        do throws(CredentialsFile.Problem) {
            try file.update { _ in }
            Issue.record("it was not locked")
        } catch {
            #expect(error.isBusy)
        }
        withExtendedLifetime(lock) {}
    }
}
