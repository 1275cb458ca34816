import Bridge
import Captions
import Testing

@Suite struct CaptionTemplateTests {
    static let facts = CaptionFacts(
        NameTemplate.Facts(
            event: "Cup Final", date: "2026-11-21", time: "185903", camera: "Z 9", serial: "6001234",
            sequence: 42, name: "DSC_0001.NEF"))

    static let roster = """
        7\tJude Bellingham (5)\tBellingham\tJude
        6001234\tAnn Smith

        """

    static func caption(
        _ template: String, of facts: CaptionFacts = CaptionTemplateTests.facts,
        delimiter: Unicode.Scalar = "\\", constants: [String: String] = [:]
    ) throws -> PhotoCaption {
        var book = CaptionBook()
        book.fields[.caption] = [
            try CaptionTemplate(template, delimiter: delimiter, constants: constants)
        ]
        return book.caption(of: facts, try CodeRoster(Array(roster.utf8)))
    }

    static let table: [(String, String)] = [
        (
            "{event}: {camera} {serial}, {name} is {stem} dot {ext}, {seq}",
            "Cup Final: Z 9 6001234, DSC_0001.NEF is DSC_0001 dot NEF, 00042"
        ),
        (
            "{date} {time}; {day} {monthName} {year}; {month}/{day} {hour}.{minute}.{second}",
            "2026-11-21 18:59; 21 November 2026; 11/21 18.59.03"
        ),
        (#"\7\ scores"#, "Jude Bellingham (5) scores"),
        (
            #"\7#2\, \7#1\ and \7#3\"#,
            "Bellingham, Jude Bellingham (5) and Jude"
        ),
        (#"by \{serial}\"#, "by Ann Smith"), (#"a \\ b {{c}}"#, #"a \ b {c}"#),
        (#"\7\\7\"#, "Jude Bellingham (5)Jude Bellingham (5)"),
        ("  spaces around \n", "spaces around"), ("two\nlines", "two\nlines"), ("é{{", "é{"),
    ]

    @Test("variables and codes stand for what is known of the photo", arguments: table)
    func texts(template: String, text: String) throws {
        let caption = try Self.caption(template)
        #expect(caption.texts[.caption] == [text])
        #expect(caption.unknownCodes.isEmpty)
    }

    @Test("a code that the roster does not have stays as it was written, and is named once")
    func unknownCodes() throws {
        let caption = try Self.caption(#"\99\ and \7\, \99\, \7#9\ and \7#x\"#)
        #expect(caption.texts[.caption] == [#"\99\ and Jude Bellingham (5), \99\, \7#9\ and \7#x\"#])
        #expect(caption.unknownCodes == ["99", "7#9", "7#x"])
    }

    @Test("another delimiter leaves the backslash alone")
    func delimiter() throws {
        let caption = try Self.caption(#"=7= \o/ 1==1"#, delimiter: "=")
        #expect(caption.texts[.caption] == [#"Jude Bellingham (5) \o/ 1=1"#])
    }

    @Test("what a variable stands for is no code and no variable")
    func nothingTwice() throws {
        var facts = Self.facts
        facts.photo.event = #"\7\ {camera}"#
        #expect(try Self.caption("{event}", of: facts).texts[.caption] == [#"\7\ {camera}"#])
        let constants = ["venue": "Wembley", "date": "today"]
        #expect(
            try Self.caption("{venue}, {date}", constants: constants).texts[.caption] == ["Wembley, today"])
    }

    @Test(
        "what cannot be meant is refused, with what probably is",
        arguments: [
            ("{evnet}", "did you mean {event}?"), ("{monthname}", "did you mean {monthName}?"),
            ("{x", "not closed"), ("x}", "closes nothing"), (#"\7"#, "not closed"),
            ("{}", "there are {event}"),
            (String(repeating: "x", count: 10_001), "longer than 10000"),
        ])
    func refused(template: String, reason: String) {
        let error = #expect(throws: CaptionTemplate.Invalid.self) { try CaptionTemplate(template) }
        #expect(error?.description.contains(reason) == true, "\(error?.description ?? "")")
    }

    @Test("a time that the camera does not have is nothing, and not a wrong one")
    func noTime() throws {
        var facts = Self.facts
        (facts.photo.date, facts.photo.time) = ("", "")
        let caption = try Self.caption("x{time}{year}{monthName}", of: facts)
        #expect(caption.texts[.caption] == ["x"])
        #expect(!caption.entries.contains { $0.key.contains("DateCreated") })
    }
}
