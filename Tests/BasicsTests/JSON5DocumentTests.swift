import Basics
import TestSupport
import Testing

/// A text that people write is changed at one place, and the rest of it stays as it is.
@Suite struct JSON5DocumentTests {
    private func set(_ text: String, _ path: [JSON5Step], _ value: JSONValue) throws -> String {
        try JSON5Document(Array(text.utf8)).setting(path, to: value).text
    }

    private func removed(_ text: String, _ path: [JSON5Step]) throws -> String {
        try JSON5Document(Array(text.utf8)).removing(path).text
    }

    private static let written = """
        // What the studio wants.
        {
            run: { cameras: ["192.168.1.1"], /* two */ event: 'E' },
            // Only pictures.
            transfer: {
                take: 'raw',   // as they like it
                "formats": ["JPG"]   // no comma
            },
            spool: {},
        }

        """

    @Test("a value is replaced where it stands, and every other character stays")
    func replaced() throws {
        let text = try set(Self.written, [.key("transfer"), .key("take")], "both")
        #expect(text == Self.written.replacing("take: 'raw'", with: "take: \"both\""))
        let list = try set(Self.written, [.key("run"), .key("cameras"), .index(0)], "auto")
        #expect(list == Self.written.replacing("\"192.168.1.1\"", with: "\"auto\""))
    }

    @Test("a value that is not there is put behind its neighbours, in their way of writing")
    func inserted() throws {
        let below = try set(Self.written, [.key("transfer"), .key("only")], .bool(true))
        #expect(
            below
                == Self.written.replacing(
                    "[\"JPG\"]   // no comma\n",
                    with: "[\"JPG\"],   // no comma\n        \"only\": true\n"))
        let beside = try set(Self.written, [.key("run"), .key("once")], .bool(true))
        #expect(beside == Self.written.replacing("event: 'E' }", with: "event: 'E', once: true }"))
        let inside = try set(Self.written, [.key("spool"), .key("reserve")], .integer(5))
        #expect(inside == Self.written.replacing("spool: {}", with: "spool: { reserve: 5 }"))
        let section = try set(
            Self.written, [.key("network"), .key("ssids"), .key("My phone"), .key("limit")], .integer(1))
        #expect(
            section
                == Self.written.replacing(
                    "spool: {},\n",
                    with: "spool: {},\n    network: { ssids: { \"My phone\": { limit: 1 } } },\n"))
    }

    @Test("empty texts and one-line texts get what is set, too")
    func small() throws {
        #expect(try set("{}", [.key("a")], .integer(1)) == "{\n    a: 1,\n}")
        #expect(try set("{\n}\n", [.key("a")], .integer(1)) == "{\n    a: 1,\n}\n")
        #expect(try set("{b: 2}", [.key("a")], .integer(1)) == "{b: 2, a: 1}")
        #expect(try set("{ b: 2, }", [.key("a")], .integer(1)) == "{ b: 2, a: 1, }")
        #expect(try set("{ \"b\": 2 }", [.key("a")], .integer(1)) == "{ \"b\": 2, \"a\": 1 }")
        #expect(try set("{ // none\n}", [.key("a")], .integer(1)) == "{ // none\n    a: 1,\n}")
        #expect(try set("{ /* none */ }", [.key("a")], .integer(1)) == "{ /* none */ a: 1 }")
        #expect(try set("{\r\n  b: 2,\r\n}", [.key("a")], .integer(1)) == "{\r\n  b: 2,\r\n  a: 1,\r\n}")
    }

    @Test("a value goes with its key and its comma, and its line when it had one to itself")
    func removing() throws {
        let formats = try removed(Self.written, [.key("transfer"), .key("formats")])
        #expect(
            formats
                == Self.written.replacing("take: 'raw',", with: "take: 'raw'")
                .replacing("\"formats\": [\"JPG\"]   // no comma", with: "// no comma"))
        let event = try removed(Self.written, [.key("run"), .key("event")])
        #expect(event == Self.written.replacing(", /* two */ event: 'E' }", with: " /* two */ }"))
        let spool = try removed(Self.written, [.key("spool")])
        #expect(spool == Self.written.replacing("    spool: {},\n", with: ""))
        #expect(try removed("{ a: 1, b: 2, c: 3 }", [.key("b")]) == "{ a: 1, c: 3 }")
        #expect(try removed("{ a: 1, b: 2 }", [.key("b")]) == "{ a: 1 }")
        #expect(try removed("{ a: 1 }", [.key("z")]) == "{ a: 1 }")
    }

    @Test("what cannot hold it is an error with its place, and nothing is guessed")
    func refused() {
        #expect(throws: JSON5Error.self) { try set("{ a: 5 }", [.key("a"), .key("b")], .integer(1)) }
        #expect(throws: JSON5Error.self) { try set("[1]", [.key("a")], .integer(1)) }
        #expect(throws: JSON5Error.self) { try set("{ a: [] }", [.key("a"), .index(0)], .integer(1)) }
        #expect(throws: JSON5Error.self) { try set("{ a: 5", [.key("a")], .integer(1)) }
    }

    @Test("whatever is set or removed, in whatever order: the text says that and everything else as before")
    func anyOrder() throws {
        let keys = ["a", "b", "c-d", "e"]
        var random = Seeded(15)
        for _ in 0..<300 {
            var document = try JSON5Document(Array(Self.layouts.randomElement(using: &random)!.utf8))
            for _ in 0..<12 {
                let path: [JSON5Step] = [
                    .key(keys.randomElement(using: &random)!), .key(keys.randomElement(using: &random)!),
                ]
                let before = document.value
                let number = Int64.random(in: 0...99, using: &random)
                let adds = Bool.random(using: &random)
                document = try adds ? document.setting(path, to: .integer(number)) : document.removing(path)
                for outer in keys {
                    for inner in keys {
                        let isIt = path == [.key(outer), .key(inner)]
                        let wanted = isIt ? (adds ? .integer(number) : nil) : before[outer]?[inner]
                        #expect(document.value[outer]?[inner] == wanted, "\(document.text)")
                    }
                }
                #expect(document.text.contains("// kept") && document.text.contains("/* kept */"))
            }
        }
    }

    private static let layouts = [
        "// kept\n{ /* kept */ }", "{ // kept\n/* kept */\n}\n",
        "{\n  a: { b: 1, /* kept */ e: 2 }, // kept\n  b: {\n    a: 1 // x\n  }\n}",
        "{ a: { a: 1,\n b: 2 /* kept */ }, // kept\n e: {} }",
        "{\n  // kept\n  \"a\": {\"b\": 1}, \"b\": {\n\n    \"e\": 4, /* kept */\n\n  },\n}\n",
    ]
}
