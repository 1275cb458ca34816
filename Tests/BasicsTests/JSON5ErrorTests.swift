import Basics
import Testing

@Suite struct JSON5ErrorTests {
    static let aValue = "expected a value: an object, an array, a string, a number, true, false or null"

    private func refused(
        _ text: String, _ expected: String, limits: JSON5.Limits = JSON5.Limits(),
        at location: SourceLocation = #_sourceLocation
    ) {
        do throws(JSON5Error) {
            let value = try JSON5.parse(text, limits: limits)
            Issue.record("\(text) was read as \(value.compact)", sourceLocation: location)
        } catch {
            #expect(error.description == expected, sourceLocation: location)
        }
    }

    @Test("an error is a place and a sentence")
    func description() {
        do throws(JSON5Error) {
            _ = try JSON5.parse("{\n  a: 1,\n  b: 2 3\n}")
            Issue.record("read")
        } catch {
            #expect(error.line == 3)
            #expect(error.column == 8)
            #expect(
                error.problem
                    == #"expected "," or "}" in the object opened at line 1, column 1, but found "3""#)
            #expect(error.description == "line 3, column 8: \(error.problem)")
        }
    }

    @Test("a text without a value, or with more than one, is refused")
    func documents() {
        refused("", "line 1, column 1: \(Self.aValue), but the text ends")
        refused(" \n // nothing\n ", "line 3, column 2: \(Self.aValue), but the text ends")
        refused("1 2", #"line 1, column 3: expected nothing after the value, but found "2""#)
        refused("{}\n}", #"line 2, column 1: expected nothing after the value, but found "}""#)
        refused("[]\u{1B}[2J", #"line 1, column 3: expected nothing after the value, but found "\u{1b}""#)
        refused("''''", #"line 1, column 3: expected nothing after the value, but found "'""#)
        refused(#""""""#, #"line 1, column 3: expected nothing after the value, but found '"'"#)
    }

    @Test("words that are no values are refused")
    func words() {
        refused("yes", "line 1, column 1: \(Self.aValue), but found \"yes\" without quotes")
        refused("[True]", "line 1, column 2: \(Self.aValue), but found \"True\" without quotes")
        refused("nullx", "line 1, column 1: \(Self.aValue), but found \"nullx\" without quotes")
        refused(#"\u006eull"#, "line 1, column 1: \(Self.aValue), but found \"\\\"")
        refused("#", "line 1, column 1: \(Self.aValue), but found \"#\"")
        let finite = "expected a finite number, but found"
        refused("Infinity", "line 1, column 1: \(finite) Infinity, which no JSON value can hold")
        refused("[1, -Infinity]", "line 1, column 5: \(finite) Infinity, which no JSON value can hold")
        refused("{a: +NaN}", "line 1, column 5: \(finite) NaN, which no JSON value can hold")
        refused("NaN", "line 1, column 1: \(finite) NaN, which no JSON value can hold")
    }

    @Test("lines end with LF, CR, both together, and the two separators")
    func lines() {
        for (text, line) in [
            ("\n", 2), ("\r", 2), ("\r\n", 2), ("\n\r", 3), ("\u{2028}", 2), ("\u{2029}", 2),
        ] {
            refused(text + " #", "line \(line), column 2: \(Self.aValue), but found \"#\"")
        }
        // A byte order mark is no column, and a scalar beyond the first plane is one.
        refused("\u{FEFF}#", "line 1, column 1: \(Self.aValue), but found \"#\"")
        refused("['📷', #]", "line 1, column 7: \(Self.aValue), but found \"#\"")
    }

    @Test("comments that do not begin or end are refused")
    func comments() {
        refused("1 /", #"line 1, column 4: expected "/" or "*" for a comment, but the text ends"#)
        refused("/ 1", #"line 1, column 2: expected "/" or "*" for a comment, but found " ""#)
        refused(
            "1\n /* *\n",
            #"line 3, column 1: expected "*/" for the comment opened at line 2, column 2, but the text ends"#)
        refused(
            "/*/",
            #"line 1, column 4: expected "*/" for the comment opened at line 1, column 1, but the text ends"#)
    }

    @Test("arrays and objects that go wrong say where they were opened")
    func containers() {
        let array = "in the array opened at line 1, column 1"
        refused("[", #"line 1, column 2: expected a value or "]" \#(array), but the text ends"#)
        refused("[1", #"line 1, column 3: expected "," or "]" \#(array), but the text ends"#)
        refused("[1,", #"line 1, column 4: expected a value or "]" \#(array), but the text ends"#)
        refused("[1 2]", #"line 1, column 4: expected "," or "]" \#(array), but found "2""#)
        refused("[1}", #"line 1, column 3: expected "," or "]" \#(array), but found "}""#)
        refused("[,]", "line 1, column 2: \(Self.aValue), but found \",\"")
        refused("[1,,]", "line 1, column 4: \(Self.aValue), but found \",\"")
        let object = "in the object opened at line 1, column 1"
        refused("{", #"line 1, column 2: expected a key or "}" \#(object), but the text ends"#)
        refused("{,}", #"line 1, column 2: expected a key or "}" \#(object), but found ",""#)
        refused("{a:1,,}", #"line 1, column 6: expected a key or "}" \#(object), but found ",""#)
        refused("{1: 2}", #"line 1, column 2: expected a key or "}" \#(object), but found "1""#)
        refused("{a:1]", #"line 1, column 5: expected "," or "}" \#(object), but found "]""#)
        refused("{a:1", #"line 1, column 5: expected "," or "}" \#(object), but the text ends"#)
        refused("{a}", #"line 1, column 3: expected ":" after the key "a", but found "}""#)
        refused("{'a b'", #"line 1, column 7: expected ":" after the key "a b", but the text ends"#)
        refused("{a-b: 1}", #"line 1, column 3: expected ":" after the key "a", but found "-""#)
        refused("{a:}", "line 1, column 4: \(Self.aValue), but found \"}\"")
        refused("{a:", "line 1, column 4: \(Self.aValue), but the text ends")
    }

    @Test("a key that comes twice is refused by name, however it is written")
    func duplicates() {
        refused("{a: 1,\n 'a': 2}", #"line 2, column 2: expected every key once, but "a" is here again"#)
        refused(#"{a: 1, \u0061: 2}"#, #"line 1, column 8: expected every key once, but "a" is here again"#)
        // What the subscript could not tell apart.
        refused(
            "{'\u{E9}': 1, 'e\u{301}': 2}",
            "line 1, column 10: expected every key once, but \"e\u{301}\" is here again")
        // The name comes from outside.
        refused(
            #"{'\x1b': 1, '\x1b': 2}"#,
            #"line 1, column 13: expected every key once, but "\u{1b}" is here again"#)
        let long = String(repeating: "k", count: 41)
        let shown = String(repeating: "k", count: 40)
        refused(
            "{\(long):1,\(long):2}",
            "line 1, column 46: expected every key once, but \"\(shown)…\" is here again")
    }

    @Test("names with escapes that are no escapes, or of no letters, are refused")
    func names() {
        let escape = "expected the escape of a character that a key without quotes may have"
        refused(
            #"{\x61: 1}"#,
            #"line 1, column 3: expected "u" after the backslash in a key without quotes, but found "x""#)
        refused(#"{\u00: 1}"#, #"line 1, column 6: expected 4 hexadecimal digits, but found ":""#)
        refused(#"{a\u002d: 1}"#, "line 1, column 3: \(escape)")
        refused(#"{\u0031: 1}"#, "line 1, column 2: \(escape)")
        refused(#"{\ud835\udc00: 1}"#, "line 1, column 2: \(escape)")
    }

    @Test("strings that do not end, or with broken escapes, are refused")
    func strings() {
        let opened = "for the string opened at line 1, column 1"
        refused("'a", #"line 1, column 3: expected "'" \#(opened), but the text ends"#)
        refused("\"a'\n\"", #"line 1, column 4: expected '"' \#(opened), but the line ends"#)
        refused("'\r'", #"line 1, column 2: expected "'" \#(opened), but the line ends"#)
        refused("'a\\\n b", #"line 2, column 3: expected "'" \#(opened), but the text ends"#)
        refused("'\\", "line 1, column 3: expected the rest of an escape, but the text ends")
        refused(#"'\1'"#, #"line 1, column 3: expected an escape without a decimal digit, but found "1""#)
        refused(#"'\9'"#, #"line 1, column 3: expected an escape without a decimal digit, but found "9""#)
        refused(#"'\01'"#, #"line 1, column 4: expected no digit after "\0", but found "1""#)
        refused(#"'\x4'"#, #"line 1, column 5: expected 2 hexadecimal digits, but found "'""#)
        refused(#"'\u12G4'"#, #"line 1, column 6: expected 4 hexadecimal digits, but found "G""#)
        refused(#"'\u１234'"#, #"line 1, column 4: expected 4 hexadecimal digits, but found "１""#)
        refused(#"'\u12"#, "line 1, column 6: expected 4 hexadecimal digits, but the text ends")
    }

    @Test("half a surrogate pair is refused")
    func surrogates() {
        let second = #"expected "\u" and the second half of the surrogate pair"#
        let range = #"expected the second half of the surrogate pair: \udc00 to \udfff"#
        refused(#"'a\ud83d'"#, "line 1, column 9: \(second)")
        refused(#"'\ud83d\n'"#, "line 1, column 8: \(second)")
        refused(#"'\ud83d"#, "line 1, column 8: \(second)")
        refused(#"'\ud83d\u0041'"#, "line 1, column 8: \(range)")
        refused(#"'\ud83d\ud83d'"#, "line 1, column 8: \(range)")
        refused(
            #"'a\udcf7'"#,
            "line 1, column 3: expected a first half of a surrogate pair before this second half")
    }

    @Test("numbers that are not quite numbers are refused")
    func numbers() {
        refused("+", "line 1, column 2: expected a digit, but the text ends")
        refused("- 1", #"line 1, column 2: expected a digit, but found " ""#)
        refused("+-1", #"line 1, column 2: expected a digit, but found "-""#)
        refused("-x", #"line 1, column 2: expected a digit, but found "x""#)
        refused(".", "line 1, column 2: expected a digit, but the text ends")
        refused(".e1", #"line 1, column 2: expected a digit, but found "e""#)
        refused("[01]", "line 1, column 3: expected no digit after a zero at the start of a number")
        refused("-00", "line 1, column 3: expected no digit after a zero at the start of a number")
        refused("0x", "line 1, column 3: expected a hexadecimal digit, but the text ends")
        refused("0xg", #"line 1, column 3: expected a hexadecimal digit, but found "g""#)
        refused("0x1.5", #"line 1, column 4: expected nothing after the value, but found ".""#)
        refused("1e", "line 1, column 3: expected a digit of the exponent, but the text ends")
        refused("1e+]", #"line 1, column 4: expected a digit of the exponent, but found "]""#)
        refused("1.2.3", #"line 1, column 4: expected nothing after the value, but found ".""#)
        refused("[1_000]", #"line 1, column 3: expected the end of the number, but found "_""#)
        refused("12px", #"line 1, column 3: expected the end of the number, but found "p""#)
        refused("1١", #"line 1, column 2: expected the end of the number, but found "١""#)
        let fits = "expected a number that fits a double, up to 1.8e308"
        refused("[1e309]", "line 1, column 2: \(fits)")
        refused(" -1e999999999999999999999", "line 1, column 2: \(fits)")
        refused("0x1" + String(repeating: "0", count: 256), "line 1, column 1: \(fits)")
        refused("1" + String(repeating: "0", count: 309), "line 1, column 1: \(fits)")
    }

    @Test("bytes that are no UTF-8 are refused where they are")
    func bytes() {
        // A stray byte, a sequence cut short, an overlong slash, a surrogate, beyond the last scalar.
        let broken: [[UInt8]] = [
            [0x80], [0xE2, 0x82], [0xC0, 0xAF], [0xED, 0xA0, 0x80], [0xF4, 0x90, 0x80, 0x80], [0xFF],
        ]
        for bytes in broken {
            let error = #expect(throws: JSON5Error.self) {
                try JSON5.parse(Array("\n'é".utf8) + bytes + Array("'".utf8))
            }
            #expect(error?.description == "line 2, column 3: expected UTF-8, but found bytes that are not")
        }
    }
}
