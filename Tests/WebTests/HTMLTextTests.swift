import TestSupport
import Testing
import Web

@Suite struct HTMLTextTests {
    static let hostile = [
        "<script>alert(1)</script>", "\"><img src=x onerror=alert(1)>", "' onmouseover='alert(1)",
        "&lt;b&gt;",
        "--><b>", "]]>", "a & b", "💍",
    ]

    /// The elements, their attributes and the text between them, as a parser finds them that is not ours.
    private func parsed(_ markup: HTMLText) throws -> [String] {
        let script = """
            import sys
            from html.parser import HTMLParser
            class Lister(HTMLParser):
                def handle_starttag(self, tag, attributes): print(tag, *[f'{n}={v}' for n, v in attributes], sep='|')
                def handle_data(self, data): print('text', data, sep='|')
            Lister().feed(sys.stdin.read())
            """
        let outcome = try #require(Tool("python3")).run(["-c", script], input: Array(markup.text.utf8))
        #expect(outcome.code == 0, "\(outcome.errors)")
        return outcome.text.split(separator: "\n").map(String.init)
    }

    @Test("what is put in is read back as it was, as text and as an attribute", arguments: hostile)
    func escaped(text: String) throws {
        #expect(try parsed("<b title=\"\(text)\">\(text)</b>") == ["b|title=\(text)", "text|\(text)"])
    }

    @Test("each character of a keyboard is read back as it was, and is no markup")
    func keyboard() throws {
        let keys = try (UInt32(0x20)..<0x7F).map { String(Character(try #require(Unicode.Scalar($0)))) }
        let escaped = keys.map { ("\($0)" as HTMLText).text }
        #expect(!escaped.joined().contains { "<>\"'".contains($0) })
        let script =
            "import html, sys; print(*[html.unescape(line) for line in sys.stdin.read().split('\\n')], sep='\\n')"
        let outcome = try #require(Tool("python3"))
            .run(["-c", script], input: Array(escaped.joined(separator: "\n").utf8))
        #expect(outcome.code == 0, "\(outcome.errors)")
        #expect(outcome.text == keys.joined(separator: "\n") + "\n")
    }

    @Test("markup inside of markup stays markup")
    func nested() {
        let inner: HTMLText = "<i>\("<")</i>"
        #expect(
            ("<b>\(inner)\([inner, inner])\(7)</b>" as HTMLText).text == """
                <b><i>&lt;</i><i>&lt;</i><i>&lt;</i>7</b>
                """)
    }

    @Test(
        "what HTML may not contain is shown as the sign for what cannot be shown",
        arguments: [0, 0x1B, 0x7F, 0xFDD0, 0x1FFFF] as [UInt32])
    func forbidden(value: UInt32) throws {
        let text = String(Character(try #require(Unicode.Scalar(value))))
        #expect(("\(text)" as HTMLText).text == "\u{FFFD}")
    }
}
