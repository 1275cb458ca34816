import Basics
import HTTPServer
import Testing

@testable import Gallery

@Suite struct JSONFieldsTests {
    static func request(_ body: String) -> Request {
        Request(method: "POST", path: "/", body: Array(body.utf8))
    }

    /// The sentences about one field that is read by a rule.
    private func problems<Value>(_ body: String, _ rule: FieldRule<Value>) throws -> [String] {
        do {
            _ = try JSONFields.read(Self.request(body)) { $0.required("a", rule) }
            return []
        } catch let error as APIError {
            #expect(error.code == .unprocessable)
            return error.fields.flatMap(\.problems)
        }
    }

    @Test(
        "a body that is no JSON object is refused before any field is looked at",
        arguments: [
            "", "{", "[]", "null", "1", "\"a\"", #"{"a": "\ud800"}"#, #"{"a": 1, "a": 2}"#, "{\"a\": \"\u{0}",
            #"{a: "b"}"#, #"{"a": "b",}"#, #"{"a": "b"} // why"#,
        ])
    func noObject(body: String) throws {
        #expect {
            try JSONFields.read(Self.request(body)) { $0.required("a", .text(0...9)) }
        } throws: { ($0 as? APIError)?.code == .badRequest }
    }

    @Test("all that is wrong is said at once, by field")
    func allAtOnce() throws {
        let body = Self.request(#"{"name": 5, "count": 99, "extra": [], "flag": null}"#)
        let error = #expect(throws: APIError.self) {
            try JSONFields.read(body) { fields in
                _ = fields.required("name", .text(1...5))
                _ = fields.required("count", .integer(0...5))
                _ = fields.required("flag", .bool)
                _ = fields.required("time", .time)
                fields.refuse("name", "is taken")
            }
        }
        #expect(error?.code == .unprocessable)
        #expect(error?.fields.map(\.name) == ["name", "count", "flag", "time"])
        #expect(
            error?.fields.map(\.problems) == [
                ["must be a text", "is taken"], ["must be from 0 to 5"], ["must not be null"], ["is missing"],
            ])
    }

    @Test("texts are measured in Unicode scalars and may not move a cursor")
    func texts() throws {
        #expect(try problems(#"{"a": "äöü"}"#, .text(1...3)).isEmpty)
        #expect(try problems(#"{"a": "äöüß"}"#, .text(1...3)) == ["must have at most 3 characters"])
        #expect(try problems(#"{"a": ""}"#, .text(1...3)) == ["must not be empty"])
        for control in [#"\u0000"#, #"\u001b"#, #"\n"#, #"\u2028"#, #"\u0085"#] {
            let body = #"{"a": "x\#(control)y"}"#
            #expect(try problems(body, .text(1...9)) == ["must be without control characters"], "\(control)")
        }
        #expect(try problems(#"{"a": "x\ny"}"#, .text(1...9, .paragraph)).isEmpty)
        #expect(try problems(#"{"a": "x\u0000y"}"#, .text(1...9, .paragraph)).count == 1)
        #expect(try problems(#"{"a": "x\u0001y"}"#, .text(1...9, .secret)).isEmpty)
        #expect(try problems(#"{"a": "x\u0000y"}"#, .text(1...9, .secret)).count == 1)
    }

    @Test(
        "whole numbers are numbers without a fraction, in their range",
        arguments: [
            ("0", true), ("5", true), ("5.0", true), ("6", false), ("-1", false), ("1.5", false),
            ("1e300", false),
            ("18446744073709551615", false), ("\"5\"", false), ("true", false),
        ])
    func integers(text: String, isGood: Bool) throws {
        #expect(try problems(#"{"a": \#(text)}"#, .integer(0...5)).isEmpty == isGood)
    }

    @Test("UUIDs come in either case and go on in lower case")
    func uuids() throws {
        let id = "3F2504E0-4F89-41D3-9A0C-0305E82C3301"
        let read = try JSONFields.read(Self.request(#"{"a": "\#(id)"}"#)) { $0.required("a", .uuid) }
        #expect(read == "3f2504e0-4f89-41d3-9a0c-0305e82c3301")
        for wrong in [
            "", "3f2504e04f8941d39a0c0305e82c3301", id + "0", id.replacing("E", with: "G"),
            "3f2504e0-4f89-41d3-9a0c-0305e82c330ı", "3f2504e0_4f89_41d3_9a0c_0305e82c3301",
        ] {
            #expect(try problems(#"{"a": "\#(wrong)"}"#, .uuid) == ["must be a UUID"], "\(wrong)")
        }
    }

    @Test("times are those of RFC 3339, in years of four digits")
    func times() throws {
        let body = Self.request(#"{"a": "2026-11-21T18:59:03.123+01:00"}"#)
        let moment = try JSONFields.read(body) { $0.required("a", .time) }
        #expect(moment == Timestamp(rfc3339: "2026-11-21T17:59:03.123Z"))
        for wrong in ["2026-11-21", "0000-01-01T00:00:00Z", "9999-12-31T23:59:59-01:00", "now", ""] {
            #expect(try problems(#"{"a": "\#(wrong)"}"#, .time).count == 1, "\(wrong)")
        }
    }

    @Test("a list says which of its elements is wrong, and has a limit")
    func lists() throws {
        let rule = FieldRule<[String]>.list(0...2, of: FieldRule<String>.text(1...3))
        #expect(try problems(#"{"a": ["x", "y"]}"#, rule).isEmpty)
        #expect(try problems(#"{"a": ["x", 5]}"#, rule) == ["has an element 1 that must be a text"])
        #expect(try problems(#"{"a": ["x", "y", "z"]}"#, rule) == ["must have from 0 to 2 elements"])
    }

    @Test("missing and null are told apart where a field is to be changed")
    func changes() throws {
        let body = Self.request(#"{"a": null, "b": "x"}"#)
        let read = try JSONFields.read(body) { fields in
            ["a", "b", "c"].map { fields.change($0, .text(1...3)) }
        }
        #expect(read == [.cleared, .value("x"), .absent])
        #expect(read.map { $0.applied(to: "old" as String?) } == [nil, "x", "old"])
        #expect(throws: APIError.self) {
            try JSONFields.read(body) { $0.replacement("a", .text(1...3)) }
        }
    }
}
