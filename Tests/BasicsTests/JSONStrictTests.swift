import Basics
import Testing

/// What is JSON5 and no JSON; expectations from RFC 8259, by hand.
@Suite struct JSONStrictTests {
    private static var strict: JSON5.Limits {
        var limits = JSON5.Limits()
        limits.isStrict = true
        return limits
    }

    @Test(
        "what only people write is refused where programs talk",
        arguments: [
            "{a: 1}", "{'a': 1}", "{\"a\": 1,}", "{\"a\": 1, // why\n\"b\": 2}", "[1,]", "[1, /* two */ 2]",
            "'a'", "+1",
            ".5", "5.", "5.e1", "-.5", "0x10", "-0x10", "\u{FEFF}1", "\u{A0}1", "1\u{B}", "\u{2028}1",
            #""\x41""#,
            #""\v""#, #""\0""#, #""\'""#, "\"a\\\nb\"", "\"a\tb\"", "\"\u{1}\"",
        ])
    func refused(text: String) throws {
        // Each of them is JSON5: what refuses it is the strictness.
        _ = try JSON5.parse(text)
        #expect(throws: JSON5Error.self) { try JSON5.parse(text, limits: Self.strict) }
        #expect(throws: JSON5Error.self) { try JSON5.parse(Array(text.utf8), limits: Self.strict) }
    }

    @Test(
        "what is neither is refused all the same",
        arguments: [
            "", "[1 2]", "[,1]", "{,}", "[,]", "01", "-", "1e", "NaN", "Infinity", "-Infinity", "tru", "1 1",
            "\"\n\"",
        ])
    func neither(text: String) {
        #expect(throws: JSON5Error.self) { try JSON5.parse(text, limits: Self.strict) }
    }

    @Test(
        "all of JSON is taken, and means what it means",
        arguments: [
            ("{}", "{}"), (" [ ] ", "[]"), ("\t\r\n1 ", "1"), ("-0", "0"), ("1.50E+1", "15.0"),
            ("[1, -2.5e-1]", "[1,-0.25]"), (#""\ud83d\ude00""#, "\"😀\""),
            (#"{"a": {"b": [null, true, false]}, "": 0}"#, #"{"a":{"b":[null,true,false]},"":0}"#),
        ])
    func taken(text: String, expected: String) throws {
        #expect(try JSON5.parse(text, limits: Self.strict).compact == expected)
    }

    @Test("every escape that JSON has is taken, and what needs none")
    func escapes() throws {
        let escaped = #""\"\\\/\b\f\n\r\t\u0041""#
        #expect(
            try JSON5.parse(escaped, limits: Self.strict) == .string("\"\\/\u{8}\u{C}\n\r\tA"))
        #expect(
            try JSON5.parse("\"\u{2028}\u{7F}'\"", limits: Self.strict) == .string("\u{2028}\u{7F}'"))
    }
}
