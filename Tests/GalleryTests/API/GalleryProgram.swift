import Basics
import Digest
import Glibc
import HTTPServer
import Posix
import TestSupport
import Testing

@testable import Gallery

/// The program as an operator starts it, with one host who is logged in. Tests share it, and what it has seen: whatever came
/// before, the next request is answered as ever.
final class GalleryProgram: Sendable {
    static let shared = Result { try GalleryProgram() }

    private let folder: TemporaryFolder
    private let daemon: Daemon
    let data: String
    let port: UInt16
    let account: String
    let token: String
    let event: String
    let slug: String
    let secret: ServerSecret

    static let pin = "13579"
    /// What the whole server may ever hold, whatever is sent to it.
    static let mostMemory = 80 << 20

    /// `prepare` is told of the data's folder before anything lies in it.
    init(
        _ options: [String] = [], environment: [String: String] = [:],
        prepare: (String) throws -> Void = { _ in }
    ) throws {
        folder = try TemporaryFolder(in: TemporaryFolder.memory)
        data = folder.file("data")
        try prepare(data)
        try folder.write("correct horse\n", to: "password")
        let tool = try #require(Tool(Built.gallery))
        let added = try tool.run(
            ["user", "add", "host@example.org", "--data", data, "--password-file", folder.file("password")])
        guard added.code == 0 else { throw Surprise(added.errors) }
        // It is never released, so that it has to end with this process.
        daemon = try Daemon(
            Built.gallery,
            [
                "serve", "--listen", "127.0.0.1:0", "--data", data, "--port-file", folder.file("port"),
                "--workers", "1",
            ] + options,
            environment: environment, isLeashed: true)
        try daemon.wait(for: "everything in")
        while access(folder.file("port"), R_OK) != 0 { sched_yield() }
        let text = String(decoding: try readFile(folder.file("port")), as: UTF8.self)
        port = try #require(UInt16(text.filter(\.isNumber)))
        secret = ServerSecret(try readFile("\(data)/\(KeyFiles.firstName)"))
        let login = try Wire(port).ask(
            "POST", "/auth/login", body: #"{"email":"host@example.org","password":"correct horse"}"#)
        let token = try #require(login["accessToken"]?.string, "\(login.text)")
        self.token = token
        account = try #require(login["user"]?["id"]?.string)
        let consent = try Wire(port).ask("POST", "/consent", token: token, body: #"{"version":1}"#)
        guard consent.status == 200 else { throw Surprise(consent.text) }
        let made = try Wire(port).ask(
            "POST", "/events", token: token, body: #"{"name":"Wedding","pin":"\#(Self.pin)"}"#)
        event = try #require(made["id"]?.string, "\(made.text)")
        slug = try #require(made["slug"]?.string)
    }

    /// Ends it at once, as a crash does; what lies in its folder stays.
    func end() { daemon.letGo() }

    /// What it has said to its operator.
    var log: [String] { daemon.output }

    /// A line with both in it, as soon as it has been said.
    @discardableResult
    func hear(_ text: String, and other: String) throws -> String { try daemon.wait(for: text, and: other) }

    func ask(_ method: String, _ target: String, _ body: String? = nil) throws -> Wire.Answer {
        try Wire(port).ask(method, target, token: token, body: body)
    }

    /// Whatever came, it is as well as before: it answers, holds little, and has met nothing that it did not expect.
    func expectWell(at location: SourceLocation = #_sourceLocation) throws {
        let health = try ask("GET", "/events/\(event)")
        #expect(health.status == 200, "\(health.text)", sourceLocation: location)
        let peak = try #require(try GalleryProgram.peak(in: folder))
        #expect(peak < Self.mostMemory, "it has held \(peak >> 20) MB", sourceLocation: location)
        let complaints = daemon.output.filter { $0.contains("request") }
        #expect(complaints == [], sourceLocation: location)
    }

    /// The one that is served by is a child of the one that holds the leash.
    private static func peak(in folder: TemporaryFolder) throws -> Int? {
        let lock = String(decoding: try readFile("\(folder.file("data"))/lock"), as: UTF8.self)
        let status = String(decoding: try readFile("/proc/\(lock.filter(\.isNumber))/status"), as: UTF8.self)
        let line = status.split(separator: "\n").first { $0.hasPrefix("VmHWM:") }
        return line.flatMap { Int($0.filter(\.isNumber)) }.map { $0 << 10 }
    }

    // MARK: Places

    struct Place: Sendable {
        let upload: String
        let key: String
        /// Without the server's address.
        let target: String
        let headers: [(String, String)]
    }

    func place(for bytes: [UInt8], _ type: String = "image/jpeg", says: Bool = true) throws -> Place {
        let hash = says ? #","sha256":"\#(SHA256.of(bytes))""# : ""
        let made = try ask(
            "POST", "/uploads/presign",
            #"{"eventId":"\#(event)","contentType":"\#(type)","contentLength":\#(bytes.count)\#(hash)}"#)
        let url = try #require(made["putUrl"]?.string, "\(made.text)")
        let start = try #require(url.firstRange(of: "/objects/"))
        return Place(
            upload: try #require(made["uploadId"]?.string), key: try #require(made["objectKey"]?.string),
            target: String(url[start.lowerBound...]),
            headers: (made["requiredHeaders"]?.members ?? []).map { ($0.key, $0.value.string ?? "") })
    }

    /// Puts it there and waits for what becomes of it.
    func bring(_ bytes: [UInt8], _ type: String = "image/jpeg") throws -> (status: String, code: String?) {
        let place = try place(for: bytes, type)
        let put = try Wire(port).put(place.target, place.headers, bytes)
        #expect(put.status == 200, "\(put.text)")
        let end = try ending(of: place.upload)
        return (try #require(end["status"]?.string), end["errorCode"]?.string)
    }

    /// What has become of an upload, once something has.
    func ending(of upload: String) throws -> JSONValue {
        while true {
            let states = try ask("GET", "/uploads/status?ids=\(upload)")
            let state = try #require(states.data?.array?.first)
            if !["pending", "processing"].contains(try #require(state["status"]?.string)) { return state }
            sched_yield()
        }
    }
}
