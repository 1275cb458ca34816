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

    private let place: ProgramPlace
    private let daemon: Daemon
    let port: UInt16
    let account: String
    let token: String
    let event: String
    let slug: String
    let secret: ServerSecret

    static let pin = "13579"
    /// Longer than anything takes that is brought here, beside whatever else runs.
    private static let patience = Duration.seconds(240)
    /// What the whole server may ever hold, whatever is sent to it.
    static let mostMemory = 80 << 20

    /// `prepare` is told of the data's folder before anything lies in it.
    init(
        _ options: [String] = [], environment: [String: String] = [:],
        prepare: (String) throws -> Void = { _ in }
    ) throws {
        var options = options
        var storage: String?
        if let index = options.firstIndex(of: "--storage") {
            storage = options[index + 1]
            options.removeSubrange(index...index + 1)
        }
        place = try ProgramPlace(storage: storage, environment: environment)
        let folder = place.folder
        try prepare(place.data)
        try folder.write("correct horse\n", to: "password")
        let added = try #require(Tool(Built.gallery)).run(
            ["user", "add", "host@example.org", "--password-file", folder.file("password")] + place.rows)
        guard added.code == 0 else { throw Surprise(added.errors) }
        // It is never released, so that it has to end with this process.
        daemon = try Daemon(
            Built.gallery,
            [
                "serve", "--listen", "127.0.0.1:0", "--port-file", folder.file("port"), "--workers", "1",
            ] + place.serving + options,
            environment: place.environment, isLeashed: true)
        try daemon.wait(for: "everything in")
        while access(folder.file("port"), R_OK) != 0 { sched_yield() }
        let text = String(decoding: try readFile(folder.file("port")), as: UTF8.self)
        port = try #require(UInt16(text.filter(\.isNumber)))
        secret = try place.secret()
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

    /// Before its database goes, which it would miss.
    deinit { end() }

    /// Ends it at once, as a crash does; what it has kept stays.
    func end() { daemon.letGo() }

    // MARK: For commands, and for one that serves the same after it

    var data: String { place.data }
    var rows: [String] { place.rows }
    var everything: [String] { place.everything }
    var serving: [String] { place.serving }
    var environment: [String: String] { place.environment }
    /// What lines of its log and its metrics say of it, where there may be others beside it.
    var node: String? { place.node }
    /// Where its pages may have pictures from, besides itself.
    var imageSource: String? { place.imageSource }

    /// What an operator does beside it.
    func run(_ words: [String], input: String = "") throws -> Tool.Output {
        try #require(Tool(Built.gallery)).run(
            words, input: Array(input.utf8), environment: place.environment)
    }

    func check() throws -> Tool.Output { try run(["check"] + everything) }

    /// An object is gone, as by an accident.
    func lose(_ key: String) throws { try place.lose(key) }

    /// All that is kept of rows and of keys, as a thief would have it.
    func kept() throws -> [(name: String, bytes: [UInt8])] { try place.kept() }

    /// A line of its metrics.
    func metric(_ name: String, _ value: Int) -> String {
        name + (node.map { #"{node="\#($0)"}"# } ?? "") + " \(value)"
    }

    // MARK: How it is

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
        let peak = try #require(try peak())
        #expect(peak < Self.mostMemory, "it has held \(peak >> 20) MB", sourceLocation: location)
        let complaints = daemon.output.filter { $0.contains("request=") && !$0.contains(" info ") }
        #expect(complaints == [], sourceLocation: location)
    }

    /// The one that is served by is a child of the one that holds the leash.
    private func peak() throws -> Int? {
        let lock = String(decoding: try readFile("\(data)/lock"), as: UTF8.self)
        let status = String(decoding: try readFile("/proc/\(lock.filter(\.isNumber))/status"), as: UTF8.self)
        let line = status.split(separator: "\n").first { $0.hasPrefix("VmHWM:") }
        return line.flatMap { Int($0.filter(\.isNumber)) }.map { $0 << 10 }
    }

    // MARK: Places

    struct Place: Sendable {
        let upload: String
        let key: String
        /// Of this program, or of the bucket.
        let port: UInt16
        /// Without the server's address.
        let target: String
        let headers: [(String, String)]
    }

    func place(for bytes: [UInt8], _ type: String = "image/jpeg", says: Bool = true) throws -> Place {
        let hash = says ? #","sha256":"\#(SHA256.of(bytes))""# : ""
        let made = try ask(
            "POST", "/uploads/presign",
            #"{"eventId":"\#(event)","contentType":"\#(type)","contentLength":\#(bytes.count)\#(hash)}"#)
        return try Self.place(in: made)
    }

    /// What an answer says of a place.
    static func place(in made: Wire.Answer) throws -> Place {
        let url = try #require(made["putUrl"]?.string, "\(made.text)")
        let parts = try #require(url.wholeMatch(of: /http:\/\/(127\.0\.0\.1:([0-9]+))(\/.+)/), "\(url)")
        // A bucket's address is signed with its host's name.
        return Place(
            upload: try #require(made["uploadId"]?.string), key: try #require(made["objectKey"]?.string),
            port: try #require(UInt16(parts.2)), target: String(parts.3),
            headers: [("Host", String(parts.1))]
                + (made["requiredHeaders"]?.members ?? []).map { ($0.key, $0.value.string ?? "") })
    }

    func put(_ bytes: [UInt8], at place: Place) throws -> Wire.Answer {
        try Wire(place.port).put(place.target, place.headers, bytes)
    }

    /// Puts it there and waits for what becomes of it.
    func bring(_ bytes: [UInt8], _ type: String = "image/jpeg") throws -> (status: String, code: String?) {
        let end = try upload(bytes, type)
        return (try #require(end["status"]?.string), end["errorCode"]?.string)
    }

    /// The same, with all that is said of it.
    func upload(_ bytes: [UInt8], _ type: String) throws -> JSONValue {
        let place = try place(for: bytes, type)
        let put = try put(bytes, at: place)
        #expect(put.status == 200, "\(put.text)")
        return try ending(of: place.upload)
    }

    /// What has become of an upload, once something has.
    func ending(of upload: String) throws -> JSONValue { try ending(of: upload, at: port) }

    /// The same at another server, which knows the host as this one does.
    func ending(of upload: String, at port: UInt16) throws -> JSONValue {
        let end = ContinuousClock.now + Self.patience
        while true {
            let states = try Wire(port).ask("GET", "/uploads/status?ids=\(upload)", token: token)
            let state = try #require(states.data?.array?.first)
            if !["pending", "processing"].contains(try #require(state["status"]?.string)) { return state }
            guard ContinuousClock.now < end else { throw Surprise("an upload has come to no end: \(state)") }
            sched_yield()
        }
    }
}
