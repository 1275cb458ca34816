import Basics
import Digest
import TestSupport
import Testing

@testable import Gallery

/// The program, sent bad requests over real sockets: each is answered as documented, nothing is learned, and the program is
/// as well as before.
@Suite(.timeLimit(.minutes(Cases.minutesOfHang))) struct BadRequestTests {
    let program: GalleryProgram

    init() throws {
        program = try GalleryProgram.shared.get()
    }

    struct Body: Sendable, CustomTestStringConvertible {
        let name: String
        let bytes: [UInt8]
        let status: Int
        var testDescription: String { name }

        init(_ name: String, _ text: String, _ status: Int = 400) {
            self.init(name, Array(text.utf8), status)
        }

        init(_ name: String, _ bytes: [UInt8], _ status: Int = 400) {
            self.name = name
            self.bytes = bytes
            self.status = status
        }
    }

    static let bodies = [
        Body("nothing", ""), Body("half of it", #"{"name": "Wed"#),
        Body("an array", #"[{"name": "Wedding"}]"#),
        Body("a text", #""Wedding""#), Body("two values", #"{"name": "a"} {"name": "b"}"#),
        Body("a form", "name=Wedding"), Body("XML", "<name>Wedding</name>"),
        Body("a comment", #"{"name": "Wedding" /* ours */}"#),
        Body("a key without quotes", "{name: 'Wedding'}"),
        Body("a comma at the end", #"{"name": "Wedding",}"#),
        Body("a byte order mark", [0xEF, 0xBB, 0xBF] + Array(#"{"name": "Wedding"}"#.utf8)),
        Body("UTF-16", Array(#"{"name": "W"}"#.utf8).flatMap { [$0, 0] }),
        Body("bytes that are no UTF-8", Array(#"{"name": "W"#.utf8) + [0xC0, 0xAF] + Array(#""}"#.utf8)),
        Body(
            "half a surrogate pair in UTF-8",
            Array(#"{"name": "W"#.utf8) + [0xED, 0xA0, 0x80] + Array(#""}"#.utf8)),
        Body("half a surrogate pair, escaped", #"{"name": "W\ud800"}"#),
        Body("a NUL as it is", "{\"name\": \"W\u{0}\"}"),
        Body("a NUL, escaped", #"{"name": "W\u0000"}"#, 422),
        Body("a line's end in a name", #"{"name": "W\nx"}"#, 422),
        Body("an escape of terminals", #"{"name": "W\u001b[2J"}"#, 422),
        Body("a key twice", #"{"name": "a", "name": "b"}"#), Body("a number too large", #"{"name": 1e999}"#),
        Body("four hundred digits", #"{"name": \#(String(repeating: "9", count: 400))}"#),
        Body("too deep", String(repeating: "[", count: 100_000)),
        Body("deep in a field", #"{"name": "a", "x": \#(String(repeating: #"{"a":"#, count: 5000))1"#),
        Body("too many values", #"{"x": [\#(String(repeating: "0,", count: 200_000))0]}"#),
        Body("too many keys", "{" + (0..<60_000).map { #""k\#($0)":0,"# }.joined() + #""name":[]}"#, 422),
        Body("a megabyte and a byte", #"{"name": "\#(String(repeating: "x", count: (1 << 20) - 11))"}"#, 413),
        Body("a megabyte", #"{"name": "\#(String(repeating: "x", count: (1 << 20) - 12))"}"#, 422),
        Body("another type", #"{"name": {"$gt": ""}}"#, 422),
        Body("a time that never was", #"{"name": "W", "startsAt": "2026-02-30T00:00:00Z"}"#, 422),
        Body(
            "the end before the beginning",
            #"{"name":"W","startsAt":"2026-05-02T00:00:00Z","expiresAt":"2026-05-01T00:00:00Z"}"#, 422),
        Body("an address that leads elsewhere", #"{"name": "W", "slug": "../../host"}"#, 422),
        Body("a name that is too long", #"{"name": "\#(String(repeating: "🎉", count: 201))"}"#, 422),
        Body("a PIN of other digits", #"{"name": "W", "pin": "١٢٣٤"}"#, 422),
    ]

    @Test("bodies that make no sense", arguments: bodies)
    func body(_ body: Body) throws {
        let answer = try Wire(program.port).ask("POST", "/events", token: program.token, bytes: body.bytes)
        #expect(answer.status == body.status, "\(answer.text)")
        #expect(
            answer.code == [400: "BAD_REQUEST", 413: "PAYLOAD_TOO_LARGE", 422: "UNPROCESSABLE"][body.status])
        #expect(Contract.has(answer.status, at: "POST /events"))
        // What was sent is not sent back at length.
        #expect(answer.text.utf8.count < 1000)
        try program.expectWell()
    }

    @Test(
        "addresses that lead out of the tree, or nowhere",
        arguments: [
            ("/images/../secret.key", 400), ("/images/%2e%2e/secret.key", 400),
            ("/images/%2E%2E%2Fsecret.key", 400),
            ("/images/..%2f..%2fetc%2fpasswd", 400), ("/%c0%ae%c0%ae/secret.key", 400), ("/images/%00", 400),
            ("/images/a%00.jpg", 400), ("/images/%zz", 400), ("/images/%", 400),
            ("/images/%5c..%5csecret.key", 404),
            ("/assets/x/..%2fhost.js", 400), ("/assets/x/secret.key", 404), ("//me", 308), ("/me/", 308),
            ("/ME", 308),
            ("/me;a=b", 308), ("/me%2f", 400), ("/.", 400), ("/e/%20", 404), ("/e/'%20OR%201=1--", 404),
            ("/images/\(String(repeating: "a", count: 1900))", 404), ("/photos/0", 404),
            ("/events/null", 404),
            ("/events/%F0%9F%8E%89", 404), ("/\(String(repeating: "a/", count: 30))", 404),
            ("/\(String(repeating: "a/", count: 500))", 400),
            ("/images/\(String(repeating: "a", count: 5000))", 400),
            ("/me?\(String(repeating: "a=b&", count: 300))", 400),
            ("/me?\(String(repeating: "&", count: 8000))", 200),
            ("/me?\(String(repeating: "a&", count: 4000))", 400), ("/me?a=%zz", 400), ("me", 400),
            ("http://elsewhere.example/me", 200), ("/me#fragment", 400),
            ("/objects/..%2f..%2fsecret.key", 400),
        ])
    func addresses(target: String, status: Int) throws {
        let answer = try program.ask("GET", target)
        // What takes bytes is asked by PUT.
        let expected = target.hasPrefix("/objects/") ? [status, 405] : [status]
        #expect(expected.contains(answer.status), "\(answer.head)")
        // A browser that asks for a page gets the error as a page.
        let isTold = answer.code != nil || target.hasPrefix("/e/") && answer.text.hasPrefix("<!doctype html>")
        // What was only written another way is sent on within this gallery, and nowhere else.
        let place = answer.head.split(separator: "\r\n").first { $0.hasPrefix("Location: ") }?.dropFirst(10)
        let isSentOn = answer.status == 308 && place?.first == "/" && place?.dropFirst().first != "/"
        #expect(answer.status == 200 || isTold || isSentOn, "\(answer.head)")
        try program.expectWell()
    }

    @Test(
        "lists that are asked for in pieces that are none",
        arguments: [
            "limit=0", "limit=-1", "limit=201", "limit=1e2", "limit=", "limit=%20", "limit=NaN", "limit=+5",
            "limit=%2B5",
            "limit=99999999999999999999999", "limit=0x10", "cursor=", "cursor=0", "cursor=-1", "cursor=1.5",
            "cursor=01",
            "cursor=9223372036854775808", "cursor=null", "cursor='%20OR%201=1", "cursor=%F0%9F%8E%89",
        ])
    func pieces(query: String) throws {
        for list in ["/events/\(program.event)/photos", "/uploads/events/\(program.event)"] {
            let answer = try program.ask("GET", "\(list)?\(query)")
            #expect(
                answer.status == 422 && answer.code == "UNPROCESSABLE", "\(list)?\(query): \(answer.text)")
        }
        try program.expectWell()
    }

    @Test("searches for nonsense find nothing, and too long ones are refused")
    func searches() throws {
        let list = "/events/\(program.event)/photos"
        for text in [
            "%25", "_", "'", "%22", "%5c", "*", "99:99", "2026-02-30", "%F0%9F%8E%89", "a%20OR%20b",
            "%28%28%28",
        ] {
            let answer = try program.ask("GET", "\(list)?q=\(text)")
            #expect(
                answer.status == 200 && answer["photos"]?.array?.isEmpty == true, "\(text): \(answer.text)")
        }
        #expect(try program.ask("GET", "\(list)?q=\(String(repeating: "a", count: 201))").status == 422)
        #expect(try program.ask("GET", "\(list)?rating=6").status == 422)
        #expect(try program.ask("GET", "\(list)?rating=-0").status == 422)
        let many = Array(repeating: program.event, count: 51).joined(separator: ",")
        #expect(try program.ask("GET", "/uploads/status?ids=\(many)").status == 422)
        #expect(try program.ask("GET", "/uploads/status?ids=,").status == 422)
        #expect(try program.ask("GET", "/uploads/status?ids=x,y,'").data?.array?.isEmpty == true)
        try program.expectWell()
    }

    @Test("changes to be merged that are too many, none, or from tomorrow")
    func sync() throws {
        func change(_ index: Int, _ at: String) -> String {
            #"{"type":"event","action":"upsert","id":"00000000-0000-4000-8000-\#(100_000_000_000 + index)","data":{"name":"x"},"updatedAt":"\#(at)"}"#
        }
        func sync(_ changes: [String]) throws -> Wire.Answer {
            try program.ask(
                "POST", "/sync", #"{"lastSync":null,"changes":[\#(changes.joined(separator: ","))]}"#)
        }
        let many = try sync((0...1000).map { change($0, "2026-01-01T00:00:00Z") })
        #expect(many.status == 422 && many.code == "UNPROCESSABLE", "\(many.text.prefix(300))")
        let none = try sync([
            "1", "null", "[]", "{}", #""x""#, #"{"type":"user","action":"upsert"}"#, #"{"type":5}"#,
        ])
        #expect(none.status == 200 && none["rejected"]?.array?.count == 7, "\(none.text)")
        let future = try sync([change(1, "2999-01-01T00:00:00Z")])
        #expect(future.status == 200 && future["rejected"]?.array?.count == 1, "\(future.text)")
        let garbage = try sync(Array(repeating: "{}", count: 1000))
        #expect(garbage.status == 200 && garbage["rejected"]?.array?.count == 1000)
        try program.expectWell()
    }
}
