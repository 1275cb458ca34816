import Basics
import Digest
import TestSupport
import Testing

@testable import Gallery

/// The protocol's refusals as they go over a real connection, and its answers' headers.
@Suite(.timeLimit(.minutes(Cases.minutesOfHang))) struct TusWireTests {
    let program: GalleryProgram

    init() throws {
        program = try GalleryProgram.shared.get()
    }

    private static let bytes = "application/offset+octet-stream"

    private func about(_ more: String = "") -> String {
        let pairs = [("event", program.event), ("filetype", "image/jpeg"), ("filename", "naïve.jpg")]
        return pairs.map { "\($0.0) \(Base64.text(Array($0.1.utf8)))" }.joined(separator: ",") + more
    }

    private func ask(
        _ method: String, _ target: String, _ headers: [(String, String)], body: String = "",
        version: String? = "1.0.0"
    ) throws -> Wire.Answer {
        let all =
            (version.map { [("Tus-Resumable", $0)] } ?? [])
            + [("Authorization", "Bearer \(program.token)")] + headers
        return try Wire(program.port).exchange(Wire.head(method, target, all) + body)
    }

    private func begin(_ length: Int) throws -> String {
        let made = try ask(
            "POST", "/uploads/tus", [("Upload-Length", "\(length)"), ("Upload-Metadata", about())])
        #expect(made.status == 201 && made.head.contains("\r\nTus-Resumable: 1.0.0\r\n"), "\(made.head)")
        #expect(made.head.contains("\r\nUpload-Expires: "))
        let location = try #require(header("Location", of: made))
        return location
    }

    private func header(_ name: String, of answer: Wire.Answer) -> String? {
        answer.head.split(separator: "\r\n").first { $0.lowercased().hasPrefix("\(name.lowercased()): ") }
            .map { String($0.dropFirst(name.utf8.count + 2)) }
    }

    private func offset(_ upload: String) throws -> String? {
        let answer = try ask("HEAD", upload, [])
        #expect(answer.status == 200 && answer.text.isEmpty, "\(answer.head)")
        #expect(header("Cache-Control", of: answer) == "no-store")
        #expect(header("Upload-Length", of: answer) == "10")
        #expect(header("Upload-Metadata", of: answer) == about())
        return header("Upload-Offset", of: answer)
    }

    @Test("OPTIONS says what is known here, to clients without a log-in and without a version")
    func options() throws {
        for target in ["/uploads/tus", "/uploads/tus/anything"] {
            let answer = try Wire(program.port).exchange(Wire.head("OPTIONS", target, []))
            #expect(answer.status == 204)
            #expect(header("Tus-Version", of: answer) == "1.0.0")
            #expect(
                header("Tus-Extension", of: answer)
                    == "creation,creation-with-upload,expiration,checksum,termination")
            #expect(header("Tus-Max-Size", of: answer) == "\(2 << 30)")
            #expect(header("Tus-Checksum-Algorithm", of: answer) == "sha256,sha1")
        }
    }

    @Test("a request of another version is told which there is, and is not looked at")
    func versions() throws {
        let upload = try begin(10)
        let patch = [("Upload-Offset", "0"), ("Content-Type", Self.bytes), ("Content-Length", "3")]
        for version in [nil, "0.1", "1.0"] {
            for (method, target, headers) in [
                ("POST", "/uploads/tus", [("Upload-Length", "10"), ("Upload-Metadata", about())]),
                ("HEAD", upload, []), ("PATCH", upload, patch), ("DELETE", upload, []),
            ] {
                let body = method == "PATCH" ? "abc" : ""
                let answer = try ask(method, target, headers, body: body, version: version)
                #expect(answer.status == 412, "\(method): \(answer.head)")
                #expect(header("Tus-Version", of: answer) == "1.0.0")
                #expect(header("Tus-Resumable", of: answer) == "1.0.0")
            }
        }
        #expect(try offset(upload) == "0")
        try program.expectWell()
    }

    @Test("bytes without a length, with too many, of another kind or from a place that is none are refused")
    func bodies() throws {
        let upload = try begin(10)
        let kind = ("Content-Type", Self.bytes)
        let start = ("Upload-Offset", "0")
        func patch(_ headers: [(String, String)], _ body: String = "") throws -> Int {
            let answer = try ask("PATCH", upload, headers, body: body)
            #expect(header("Tus-Resumable", of: answer) == "1.0.0", "\(answer.head)")
            #expect(answer.code != nil, "\(answer.text)")
            return answer.status
        }
        #expect(try patch([start, kind]) == 411)
        #expect(
            try patch([start, kind, ("Transfer-Encoding", "chunked")], "3\r\nabc\r\n0\r\n\r\n") == 411)
        #expect(try patch([start, kind, ("Content-Length", "11")], "abcdefghijk") == 413)
        #expect(try patch([start, kind, ("Content-Length", "9999999999999")]) == 413)
        #expect(try patch([start, ("Content-Length", "3")], "abc") == 415)
        #expect(try patch([start, ("Content-Type", "image/jpeg"), ("Content-Length", "3")], "abc") == 415)
        for wrong in ["", "-1", "+0", "0x0", "1e0", "99999999999999999999", "3.0"] {
            #expect(try patch([("Upload-Offset", wrong), kind, ("Content-Length", "3")], "abc") == 400)
        }
        #expect(try patch([kind, ("Content-Length", "3")], "abc") == 400)
        #expect(try patch([("Upload-Offset", "4"), kind, ("Content-Length", "3")], "abc") == 409)
        #expect(try offset(upload) == "0")
        let good = try ask("PATCH", upload, [start, kind, ("Content-Length", "3")], body: "abc")
        #expect(good.status == 204 && header("Upload-Offset", of: good) == "3")
        // Nothing is a piece, too.
        let none = try ask("PATCH", upload, [("Upload-Offset", "3"), kind, ("Content-Length", "0")])
        #expect(none.status == 204 && header("Upload-Offset", of: none) == "3")
        #expect(try offset(upload) == "3")
        try program.expectWell()
    }

    @Test("a creation says how long its file is, and names it in few words")
    func creations() throws {
        func create(_ headers: [(String, String)], _ body: String = "") throws -> Int {
            try ask("POST", "/uploads/tus", headers, body: body).status
        }
        let names = ("Upload-Metadata", about())
        for wrong in ["", "-1", "0", "ten", "99999999999999999999"] {
            #expect(try create([("Upload-Length", wrong), names]) == 400, "\(wrong)")
        }
        #expect(try create([names]) == 400)
        #expect(try create([("Upload-Defer-Length", "1"), names]) == 400)
        #expect(try create([("Upload-Length", "\(513 << 20)"), names]) == 413)
        #expect(try create([("Upload-Length", "10")]) == 422)
        #expect(
            try create([
                ("Upload-Length", "10"),
                ("Upload-Metadata", about(",a " + String(repeating: "YWFh", count: 1024))),
            ]) == 400)
        #expect(
            try create(
                [("Upload-Length", "2"), names, ("Content-Type", Self.bytes), ("Content-Length", "3")], "abc")
                == 413)
        #expect(
            try create(
                [("Upload-Length", "9"), names, ("Content-Type", "text/plain"), ("Content-Length", "3")],
                "abc") == 415)
        try program.expectWell()
    }

    @Test("other methods, other ids and callers without a log-in get the answers of the whole API")
    func others() throws {
        #expect(try ask("PUT", "/uploads/tus", [("Content-Length", "0")]).status == 405)
        for id in ["none", "00000000-0000-0000-0000-000000000000", "..%2f"] {
            let answer = try ask("HEAD", "/uploads/tus/\(id)", [])
            #expect([400, 404].contains(answer.status), "\(answer.head)")
            #expect(header("Upload-Offset", of: answer) == nil)
        }
        let stranger = try Wire(program.port).exchange(
            Wire.head("POST", "/uploads/tus", [("Tus-Resumable", "1.0.0"), ("Upload-Length", "10")]))
        #expect(stranger.status == 401 && header("WWW-Authenticate", of: stranger) == "Bearer")
    }
}
