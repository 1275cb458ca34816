import Basics
import Bridge
import Console
import TestSupport
import Testing

/// Every view of a status, from one table of statuses.
@Suite struct StatusViewTests {
    private static func lines(_ status: BridgeStatus) -> [TextLine] {
        StatusText.lines(status.json) { _ in 3600 }
    }

    @Test("each status reads as it was written down by hand", arguments: StatusTable.rows)
    func text(_ row: StatusTable.Row) {
        #expect(TextLayout().render(Self.lines(row.status)) == row.text)
    }

    @Test("its JSON has what was written down by hand", arguments: StatusTable.rows)
    func json(_ row: StatusTable.Row) {
        let text = row.status.json.compact
        for part in row.json { #expect(text.contains(part), "\(part) in \(text)") }
    }

    @Test("a bridge of an earlier version, which says less, is shown with what it says")
    func earlier() throws {
        let said = try JSON5.parse(
            #"{"running":true,"paused":false,"event":{"id":"e","name":"W"},"photos":{"staged":1},"#
                + #""jobs":{"queued":2},"cameras":[{"address":"a:1","name":null,"state":"connected"}],"#
                + #""destinations":[{"url":"file:///d","jobs":{"queued":2},"hold":{"reason":"no"},"way":null}],"#
                + #""spool":{"free":1000,"total":2000},"missing":[],"notes":[]}"#)
        #expect(
            TextLayout().render(StatusText.lines(said) { _ in 0 }) == [
                "W: running", "photos     1 staged", "deliveries 2 queued", "camera     a:1  connected",
                "to         file:///d  2 queued", "           waits: no", "spool      1.0 kB free",
            ])
    }

    // MARK: Layout

    @Test(
        "no line is wider than the terminal, however wide its characters are, and nothing is lost",
        arguments: [30, 40, 80, 200])
    func width(_ width: Int) {
        for row in StatusTable.rows {
            let wrapped = TextLayout(width: width).render(Self.lines(row.status))
            for line in wrapped { #expect(DisplayWidth.of(line) <= width, "\(line)") }
            func bare(_ lines: [String]) -> String { lines.joined().filter { $0 != " " } }
            #expect(bare(wrapped) == bare(row.text), "\(row.name)")
        }
    }

    @Test("a long line goes on below its own text")
    func hanging() {
        let lines = [
            TextLine(label: "", text: "head"), TextLine(label: "to", text: "one two three four five"),
        ]
        #expect(
            TextLayout(width: 30).render(lines) == [
                "head", "to         one two three four", "           five",
            ])
        // Six columns of a name that has three characters.
        #expect(
            TextLayout(width: 30).render([TextLine(label: "", text: "結婚式 結婚式 結婚式 結婚式 結婚式")]) == [
                "結婚式 結婚式 結婚式 結婚式", "結婚式",
            ])
    }

    @Test("colours stand around the text and not around its label")
    func colours() {
        let lines = [
            TextLine(label: "", text: "W", tone: .good), TextLine(label: "to", text: "x", tone: .bad),
            TextLine(label: "note", text: "y", tone: .warning), TextLine(label: "spool", text: "z"),
        ]
        // "30-37: foreground" (ECMA-48 §8.3.117): 31 red, 32 green, 33 yellow.
        #expect(
            TextLayout(hasColours: true).render(lines) == [
                "\u{1B}[32mW\u{1B}[0m", "to         \u{1B}[31mx\u{1B}[0m", "note       \u{1B}[33my\u{1B}[0m",
                "spool      z",
            ])
    }

    @Test(
        "colours and wrapping are for terminals; NO_COLOR, when it is not empty, and a dumb terminal have none"
    )
    func environment() {
        func layout(_ isTerminal: Bool, _ environment: [String: String]) -> TextLayout {
            TextLayout(isTerminal: isTerminal, columns: 70) { environment[$0] }
        }
        #expect(layout(true, ["TERM": "xterm"]) == TextLayout(width: 70, hasColours: true))
        #expect(layout(true, ["TERM": "xterm", "NO_COLOR": ""]) == TextLayout(width: 70, hasColours: true))
        #expect(layout(true, ["TERM": "xterm", "NO_COLOR": "0"]) == TextLayout(width: 70))
        #expect(layout(true, ["TERM": "dumb"]) == TextLayout(width: 70))
        #expect(layout(true, [:]) == TextLayout(width: 70))
        #expect(layout(false, ["TERM": "xterm"]) == TextLayout())
    }

    @Test("characters take the columns that Unicode's own table says", .enabled(if: Tool.isThere("python3")))
    func columns() throws {
        let python = try #require(Tool("python3"))
        let texts = ["a", "é", "e\u{301}", "結", "ｱ", "Ａ", "ß", "가", "→", "😀", "\u{3000}", "ж", "א", "ก"]
        let script = """
            import sys, unicodedata
            for text in sys.stdin.read().split("|"):
                print(max(0 if unicodedata.combining(c) else 2 if unicodedata.east_asian_width(c) in "WF" else 1
                    for c in text))
            """
        let judged = try python.run(["-c", script], input: Array(texts.joined(separator: "|").utf8))
        #expect(judged.code == 0, "\(judged.errors)")
        #expect(judged.lines == texts.map { "\(DisplayWidth.of($0))" })
    }

    // MARK: The schema

    private static let python = ".build/python/bin/python"

    /// The schema itself is judged first. Members that it does not name are no fault to a reader, but are one here: what is
    /// shown is promised.
    private static let judge = """
        import datetime, json, sys
        from jsonschema import Draft202012Validator, FormatChecker
        given = json.load(sys.stdin)
        formats = FormatChecker(formats=())
        @formats.checks("date-time", raises=ValueError)
        def is_moment(value):
            return not isinstance(value, str) or (value.endswith("Z")
                and datetime.datetime.fromisoformat(value[:-1] + "+00:00"))
        def strict(schema):
            if isinstance(schema, dict):
                if "properties" in schema: schema["additionalProperties"] = False
                for value in list(schema.values()): strict(value)
            elif isinstance(schema, list):
                for value in schema: strict(value)
        Draft202012Validator.check_schema(given["schema"])
        strict(given["schema"])
        validator = Draft202012Validator(given["schema"], format_checker=formats)
        for status in given["statuses"]:
            faults = [f"{list(error.absolute_path)}: {error.message[:200]}"
                for top in validator.iter_errors(status) for error in (top.context or [top])]
            print("kept" if not faults else " ".join(faults))
        """

    private func judged(_ statuses: [JSONValue]) throws -> [String] {
        let python = try #require(Tool(Self.python))
        let given: JSONValue = [
            "schema": try JSON5.parse(StatusSchema.text), "statuses": .array(statuses),
        ]
        let answer = try python.run(["-c", Self.judge], input: Array(given.compact.utf8))
        #expect(answer.code == 0, "\(answer.errors)")
        return answer.lines
    }

    @Test(
        "every status keeps to the schema that is published, and one that does not is found",
        .enabled(if: Tool.isThere(".build/python/bin/jsonschema"), "jsonschema is not installed"))
    func schema() throws {
        let statuses = StatusTable.rows.map(\.status.json)
        #expect(try judged(statuses) == statuses.map { _ in "kept" })
        #expect(try judged([["event": .null]]) == ["kept"])
        func changed(_ from: String, _ to: String) throws -> JSONValue {
            let text = StatusTable.rows[1].status.json.compact
            try #require(text.contains(from))
            return try JSON5.parse(text.replacing(from, with: to))
        }
        let broken = [
            try changed(#""queued":1"#, #""queued":-1"#), try changed(#""running":true,"#, ""),
            try changed(#""phase":"fetching""#, #""phase":"flying""#),
            try changed("2026-11-23T20:00:00.000Z", "eight o'clock"),
            try changed(#""paused":false"#, #""paused":false,"mood":"good""#),
            try changed(#""inTimeShare":0.9"#, #""inTimeShare":90"#),
        ]
        for fault in try judged(broken) { #expect(fault != "kept") }
    }
}
