import Bridge
import Captions
import Testing

@Suite struct CaptionBookTests {
    static func facts(
        event: String = "Cup Final", camera: String = "Z 9", serial: String = "6001234",
        date: String = "2026-11-21", time: String = "185903", ahead: Int64? = nil
    ) -> CaptionFacts {
        CaptionFacts(
            NameTemplate.Facts(
                event: event, date: date, time: time, camera: camera, serial: serial, sequence: 1,
                name: "A.JPG"), clockAhead: ahead)
    }

    static func book(_ rules: [CaptionRule]) throws -> CaptionBook {
        var book = CaptionBook()
        book.fields = [.headline: [try CaptionTemplate("usual")], .city: [try CaptionTemplate("London")]]
        book.rules = rules
        return book
    }

    static func says(_ rule: CaptionRule, _ facts: CaptionFacts) throws -> Bool {
        var rule = rule
        rule.fields = [.headline: [try CaptionTemplate("by rule")]]
        let caption = try book([rule]).caption(of: facts, CodeRoster())
        #expect(caption.texts[.city] == ["London"])
        return caption.texts[.headline] == ["by rule"]
    }

    @Test(
        "a rule holds for the events and cameras that it names",
        arguments: [
            ("Cup Final", true), ("cup final", true), ("Cup*", true), ("*final", true), ("*p*F*", true),
            ("*", true), ("Cup", false), ("Final*", false), ("", false), ("Cup Final*", true),
            ("*a*a*", false),
        ])
    func patterns(pattern: String, holds: Bool) throws {
        #expect(try Self.says(CaptionRule(event: pattern), Self.facts()) == holds)
        #expect(try Self.says(CaptionRule(camera: pattern), Self.facts(camera: "Cup Final")) == holds)
        #expect(try Self.says(CaptionRule(camera: pattern), Self.facts(serial: "Cup Final")) == holds)
    }

    static let times: [(String?, String?, String, Bool)] = [
        ("18:00", "19:00", "185903", true), ("18:00", "18:59", "185903", false),
        ("18:59:03", nil, "185903", true), ("18:59:04", nil, "185903", false),
        (nil, "18:59:04", "185903", true), (nil, "18:59:03", "185903", false),
        ("22:00", "02:00", "230000", true), ("22:00", "02:00", "013000", true),
        ("22:00", "02:00", "120000", false), ("2026-11-21T18:00", nil, "185903", true),
        ("2026-11-22T18:00", nil, "185903", false), ("2026-11-20T23:00", "2026-11-21T19:00", "185903", true),
        (nil, "2026-11-21T18:00", "185903", false), (nil, "18:00", "", false),
    ]

    @Test("a rule holds from its first moment on, and before its last", arguments: times)
    func moments(from: String?, until: String?, time: String, holds: Bool) throws {
        let rule = CaptionRule(
            from: try from.map { try #require(CaptionMoment($0)) },
            until: try until.map { try #require(CaptionMoment($0)) })
        #expect(try Self.says(rule, Self.facts(time: time)) == holds)
    }

    @Test(
        "what is no time is refused",
        arguments: [
            "", "18", "24:00", "18:60", "8:00", "18:00:60", "2026-13-01T10:00", "2026-11-21", "T10:00",
        ])
    func noMoment(text: String) { #expect(CaptionMoment(text) == nil) }

    @Test("of two rules that hold the later counts, field by field")
    func order() throws {
        let first = CaptionRule(
            fields: [.headline: [try CaptionTemplate("one")], .credit: [try CaptionTemplate("PA")]])
        let second = CaptionRule(fields: [.headline: [try CaptionTemplate("two")]])
        let caption = try Self.book([first, second]).caption(of: Self.facts(), CodeRoster())
        #expect(caption.texts == [.headline: ["two"], .credit: ["PA"], .city: ["London"]])
    }

    @Test("a list leaves out what is empty or there already")
    func keywords() throws {
        var book = CaptionBook()
        book.fields[.keywords] = try ["football", "{event}", "{ext}", "football", " "].map {
            try CaptionTemplate($0)
        }
        let caption = book.caption(of: Self.facts(event: "football"), CodeRoster())
        #expect(caption.texts[.keywords] == ["football", "JPG"])
        book.fields = [.city: [try CaptionTemplate("{event}")]]
        #expect(book.caption(of: Self.facts(event: ""), CodeRoster()).isEmpty)
        #expect(book.caption(of: Self.facts(event: ""), CodeRoster()).entries.isEmpty)
    }

    @Test("what no XML may hold is left out of a text")
    func control() throws {
        let event = "a\u{0}b\u{8}\tc\r\nd\u{FFFE}"
        var book = CaptionBook()
        book.fields[.caption] = [try CaptionTemplate("{event}")]
        #expect(book.caption(of: Self.facts(event: event), CodeRoster()).texts[.caption] == ["ab\tc\nd"])
    }

    @Test("XMP has every text whole, IIM as much as its standard has room for")
    func room() throws {
        var book = CaptionBook()
        // 16 times two bytes are 32, and one more does not fit.
        book.fields[.creator] = [try CaptionTemplate(String(repeating: "é", count: 17))]
        book.fields[.usageTerms] = [try CaptionTemplate("editorial use only")]
        let caption = book.caption(of: Self.facts(), CodeRoster())
        #expect(caption.shortened == [.creator])
        let values = Dictionary(uniqueKeysWithValues: caption.entries.map { ($0.key, $0.values) })
        #expect(values["Xmp.dc.creator"] == [String(repeating: "é", count: 17)])
        #expect(values["Iptc.Application2.Byline"] == [String(repeating: "é", count: 16)])
        #expect(values["Xmp.xmpRights.UsageTerms"] == ["editorial use only"])
    }

    @Test("a time of day has its zone where the camera's clock has shown it, and IIM has it only then")
    func zones() throws {
        func values(_ ahead: Int64?) throws -> [String: [String]] {
            let caption = try Self.book([]).caption(of: Self.facts(ahead: ahead), CodeRoster())
            return Dictionary(uniqueKeysWithValues: caption.entries.map { ($0.key, $0.values) })
        }
        let none = try values(nil)
        #expect(none["Xmp.photoshop.DateCreated"] == ["2026-11-21T18:59:03"])
        #expect(none["Iptc.Application2.DateCreated"] == ["2026-11-21"])
        #expect(none["Iptc.Application2.TimeCreated"] == nil)
        let table: [(Int64, String?)] = [
            (3_603, "+01:00"), (0, "+00:00"), (-12_600 + 60, "-03:30"), (20_700, "+05:45"), (400, nil),
            (90_000, nil),
        ]
        for (ahead, zone) in table {
            let found = try values(ahead)
            #expect(found["Iptc.Application2.TimeCreated"] == zone.map { ["18:59:03\($0)"] })
            #expect(found["Xmp.photoshop.DateCreated"] == ["2026-11-21T18:59:03\(zone ?? "")"])
        }
    }
}
