import Basics
import Testing

/// Expected values come from spec.json5.org and ECMAScript 5.1, by hand.
@Suite struct JSON5Tests {
    /// Compared as text, which tells an integer from a double.
    private func reads(_ text: String, _ expected: String, at location: SourceLocation = #_sourceLocation) {
        do throws(JSON5Error) {
            #expect(try JSON5.parse(text).compact == expected, sourceLocation: location)
        } catch {
            Issue.record("\(text): \(error)", sourceLocation: location)
        }
    }

    static let frontPage = #"""
        {
          // comments
          unquoted: 'and you can quote me on that',
          singleQuotes: 'I can use "double quotes" here',
          lineBreaks: "Look, Mom! \
        No \\n's!",
          hexadecimal: 0xdecaf,
          leadingDecimalPoint: .8675309, andTrailing: 8675309.,
          positiveSign: +1,
          trailingComma: 'in objects', andIn: ['arrays',],
          "backwardsCompatible": "with JSON",
        }
        """#

    @Test("the example on the front page of json5.org is read")
    func frontPage() throws {
        let value = try JSON5.parse(JSON5Tests.frontPage)
        let expected: JSONValue = [
            "unquoted": "and you can quote me on that",
            "singleQuotes": "I can use \"double quotes\" here",
            "lineBreaks": "Look, Mom! No \\n's!",
            "hexadecimal": .integer(912_559),
            "leadingDecimalPoint": .double(0.8675309), "andTrailing": .double(8_675_309),
            "positiveSign": .integer(1),
            "trailingComma": "in objects", "andIn": ["arrays"],
            "backwardsCompatible": "with JSON",
        ]
        #expect(value == expected)
    }

    @Test("every kind of value is read, with nothing, blanks or comments around it")
    func values() {
        reads("null", "null")
        reads(" true ", "true")
        reads("[false]", "[false]")
        reads("{}", "{}")
        reads("[ ]", "[]")
        reads("[[],{a:{}},]", #"[[],{"a":{}}]"#)
        reads("\u{FEFF}\t\u{B}\u{C} \u{A0}\u{2003}\u{3000}\n\r\u{2028}\u{2029}1\u{FEFF}", "1")
        reads("// one\n/* two\n * / ** // */1/**/// three", "1")
        reads("/***/[/* a */1/* b */,// c\r2 // d\u{2028}]//", "[1,2]")
        reads("{/**/a/**/:/**/1/**/,/**/}", #"{"a":1}"#)
        reads(#"["//", '/* */']"#, #"["//","/* */"]"#)
    }

    @Test("keys are quoted either way or are names, and keep their order")
    func keys() {
        reads(#"{b: 1, 'a b': 2, "c": 3, '': 4}"#, #"{"b":1,"a b":2,"c":3,"":4}"#)
        reads("{$: 1, _: 2, $a_1: 3, ünï: 4, ⅷ: 5}", #"{"$":1,"_":2,"$a_1":3,"ünï":4,"ⅷ":5}"#)
        reads(
            "{null: 1, true: 2, Infinity: 3, NaN: 4, if: 5}",
            #"{"null":1,"true":2,"Infinity":3,"NaN":4,"if":5}"#)
        reads(#"{\u0061\u0062c\u0031: 1}"#, #"{"abc1":1}"#)
        reads(
            "{a\u{301}: 1, a\u{203F}b: 2, a\u{200C}\u{200D}: 3}",
            "{\"a\u{301}\":1,\"a\u{203F}b\":2,\"a\u{200C}\u{200D}\":3}")
        reads("{a: 1, A: 2}", #"{"a":1,"A":2}"#)
    }

    @Test("strings have every escape of the standard")
    func strings() throws {
        let cases: [(String, String)] = [
            (#""""#, ""), (#"'"'"#, "\""), (#""'""#, "'"),
            (#"'\'\"\\\/'"#, "'\"\\/"),
            (#"'\b\f\n\r\t\v\0'"#, "\u{8}\u{C}\n\r\t\u{B}\u{0}"),
            (#"'\x41\xe9\xFF'"#, "Aéÿ"),
            (#"'\u0041\u20ac\uFFFD'"#, "A€\u{FFFD}"),
            (#"'\ud83d\udcf7\uDBFF\uDFFF\uD800\uDC00'"#, "📷\u{10FFFF}\u{10000}"),
            // Any other character stands for itself.
            (#"'\a\q\ \é\📷\$'"#, "aq é📷$"),
            // "\0" is only half of an octal escape when a digit follows.
            (#"'\0a'"#, "\0a"),
            ("'a\\\nb\\\rc\\\r\nd\\\u{2028}e\\\u{2029}f'", "abcdef"),
            ("'\\\r\\\n'", ""),
            ("'\t\u{0}\u{2028}\u{2029}\u{FEFF}'", "\t\u{0}\u{2028}\u{2029}\u{FEFF}"),
        ]
        for (text, expected) in cases {
            #expect(try JSON5.parse(text) == .string(expected), "\(text)")
        }
    }

    @Test("numbers without point and exponent are integers as long as they fit")
    func integers() throws {
        for (text, expected) in [
            ("0", 0), ("-0", 0), ("+7", 7), ("-12", -12), ("0x0", 0), ("0XfF", 255), ("-0x10", -16),
            ("+0xA", 10),
            ("9223372036854775807", Int64.max), ("-9223372036854775808", .min), ("0x7fffffffffffffff", .max),
            ("-0x8000000000000000", .min), ("0x0000000000000000000001", 1),
        ] {
            #expect(try JSON5.parse(text).integer == expected, "\(text)")
        }
        for text in ["9223372036854775808", "18446744073709551615", "0xFFFFFFFFFFFFFFFF"] {
            guard case .unsigned = try JSON5.parse(text) else {
                Issue.record("\(text) is not unsigned")
                continue
            }
        }
        reads("9223372036854775808", "9223372036854775808")
        reads("0xFFFFFFFFFFFFFFFF", "18446744073709551615")
        reads("18446744073709551616", "1.8446744073709552e+19")
        reads("-9223372036854775809", "-9.223372036854776e+18")
        reads("0x10000000000000000", "1.8446744073709552e+19")
        reads("-0xFFFFFFFFFFFFFFFF", "-1.8446744073709552e+19")
    }

    @Test("numbers with point or exponent are doubles, with the point anywhere")
    func doubles() {
        reads("1.5", "1.5")
        reads(".5", "0.5")
        reads("5.", "5.0")
        reads("-.5", "-0.5")
        reads("+5.", "5.0")
        reads("0.", "0.0")
        reads("-0.0", "-0.0")
        reads("1e3", "1000.0")
        reads("1E+3", "1000.0")
        reads("25e-1", "2.5")
        reads(".5e1", "5.0")
        reads("5.e1", "50.0")
        reads("0e0", "0.0")
        reads("1.7976931348623157e308", "1.7976931348623157e+308")
        reads("5e-324", "5e-324")
        // Too small to be told from zero is zero, as ECMAScript rounds it.
        reads("1e-999999999999999999999", "0.0")
        reads("0e999999999999999999999", "0.0")
    }

    @Test("bytes are read as UTF-8")
    func bytes() throws {
        let value = try JSON5.parse(Array("\u{FEFF}{ é: '📷' }".utf8))
        #expect(value.compact == #"{"é":"📷"}"#)
    }

    @Test("what was read can be asked for by kind")
    func reading() throws {
        let value = try JSON5.parse(
            "{s: 'x', i: 1, b: true, a: [1], o: {k: null}, u: 0xFFFFFFFFFFFFFFFF, d: 1.0}")
        #expect(value["s"]?.string == "x")
        #expect(value["i"]?.integer == 1)
        #expect(value["b"]?.bool == true)
        #expect(value["a"]?.array == [.integer(1)])
        #expect(value["o"]?["k"] == .null)
        #expect(value["o"]?.members?.map(\.key) == ["k"])
        #expect(value["u"]?.integer == nil)
        #expect(value["d"]?.integer == nil)
        #expect(JSONValue.unsigned(5).integer == 5)
        #expect(value["none"] == nil)
        #expect(value["s"]?["k"] == nil)
        #expect(value.string == nil && value.integer == nil && value.bool == nil && value.array == nil)
        #expect(value["s"]?.members == nil)
    }

    @Test("what is written can be read back")
    func roundTrip() throws {
        let value: JSONValue = [
            "b": .integer(.min), "a": .unsigned(.max),
            "": "q\" ' b\\ / n\n r\r t\t \u{0}\u{1}\u{7F}\u{2028} é 📷",
            "n": .null, "t": .bool(true), "f": .bool(false), "d": .double(1.5), "big": .double(1e300),
            "small": .double(-1e-300), "zero": .double(-0.0), "l": ["x", [], [.integer(1)]], "o": [:],
            "k\n\"": ["x": [:]],
        ]
        #expect(try JSON5.parse(value.compact).compact == value.compact)
        #expect(try JSON5.parse(Array(value.compact.utf8)).compact == value.compact)
    }
}
