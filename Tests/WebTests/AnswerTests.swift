import Basics
import HTTPServer
import TestSupport
import Testing
import Web

@Suite struct AnswerTests {
    @Test(
        "a source that could end its directive is left out of the policy",
        arguments: [
            "https://a.example; script-src *", "https://a.example, https://b.example", "https://a.example x",
            "",
        ])
    func policy(source: String) {
        let policy = PageAnswers(imageSources: [source, "https://c.example"]).policy
        #expect(policy.contains("img-src 'self' https://c.example;"))
        #expect(policy.contains("default-src 'none'") && !policy.contains("a.example"))
    }

    @Test("a sheet in a page is let in by its hash, as an independent program reckons it")
    func ownSheet() throws {
        let sheet = OwnSheet(Asset("a.css", .style, Array("body > p { color: red }".utf8)))
        let page = PageShell(
            Self.set, title: "A page", ownSheets: [sheet], styles: ["a.css"], kind: "any"
        ).html("<p>words</p>")
        let text = try #require(page.firstMatch(of: /<style>(.*)<\/style>/)?.1)
        let script =
            "import base64, hashlib, sys; print(base64.b64encode(hashlib.sha256(sys.stdin.buffer.read()).digest()).decode())"
        let told = try #require(Tool("python3")).run(["-c", script], input: Array(text.utf8))
        let policy = PageAnswers(ownSheets: [sheet]).policy
        #expect(policy.contains("style-src 'self' 'sha256-\(told.lines[0])';"), "\(policy) \(told.errors)")
        #expect(!PageAnswers().policy.contains("sha256"))
        // It comes before the others, which may say more.
        let places = try ["<style>", "rel=\"stylesheet\""].map {
            try #require(page.firstRange(of: $0)).lowerBound
        }
        #expect(places[0] < places[1])
    }

    static let set = AssetSet([Asset("a.js", .script, [1, 2, 3]), Asset("a.css", .style, [4])])

    private func answer(_ name: String, _ version: String, _ headers: [HTTPHeader] = []) -> Response? {
        Self.set.answer(
            Request(path: "/", parameters: ["name": name, "version": version], headers: headers))
    }

    private func header(_ name: String, of response: Response?) -> String? {
        response?.headers.first { $0.name == name }?.value
    }

    @Test("an asset is kept for good under its version, and not under another one's")
    func versions() {
        let current = answer("a.js", Self.set.version)
        #expect(
            current?.status == 200 && header("Content-Type", of: current) == "text/javascript; charset=utf-8")
        #expect(header("Cache-Control", of: current) == "public, max-age=31536000, immutable")
        let old = answer("a.js", "0123456789abcdef")
        #expect(old?.status == 200 && header("Cache-Control", of: old) == "no-cache")
        let known = [HTTPHeader("If-None-Match", "\"\(Self.set.version)\"")]
        #expect(answer("a.js", Self.set.version, known)?.status == 304)
        // The tag stands for the file compressed, too.
        let tag = header("ETag", of: current)
        #expect(tag == "W/\"\(Self.set.version)\"")
        let list = [HTTPHeader("If-None-Match", "\"other\", \(tag ?? "")")]
        let same = answer("a.js", Self.set.version, list)
        #expect(same?.status == 304 && header("ETag", of: same) == tag)
        #expect(answer("b.js", Self.set.version) == nil)
        #expect(Self.set.path("a.css") == "/assets/\(Self.set.version)/a.css")
    }

    @Test(
        "scripts and style sheets are sent without what a browser does not need, and everything else as it is"
    )
    func comments() {
        let script = Array("// Why.\nif (a) {\n  // How.\n  b('//c'); // d\n}\n".utf8)
        #expect(Asset("a.js", .script, script).bytes == Array("if (a) {b('//c'); // d\n}".utf8))
        // Without a semicolon the end of a line may be one, and a comment has its end where the line has it.
        let loose = Array("a({\n  b,\n  c: [\n1]\n})\nd = () => {\n}\ne(); // f;\ng();\n".utf8)
        #expect(
            Asset("a.js", .script, loose).bytes
                == Array("a({b,c: [1]\n})\nd = () => {}\ne(); // f;\ng();".utf8))
        // A text of several lines stays as it is.
        let long = Array("a = `b;\nc;`;\nd();\n".utf8)
        #expect(Asset("a.js", .script, long).bytes == Array("a = `b;\nc;`;\nd();".utf8))
        let style = Array("/* Why. */\na { /* b */ }\n  /* c\n  d */\n\n@media {\n  e {}\n}\n".utf8)
        #expect(
            Asset("a.css", .style, style).bytes
                == Array("a { /* b */ }/* c\nd */\n@media{e{}}".utf8))
        // What a text or an address has is no space between two words of the language.
        let tight = Array(
            "a > b, c { c: d e, f; f: g; }\nh::before { content: \"; { } \"; }\ni { b: url(x; y); }\n".utf8)
        #expect(
            Asset("a.css", .style, tight).bytes
                == Array(
                    "a > b,c{c:d e,f;f:g}h::before { content: \"; { } \"; }i { b: url(x; y); }".utf8))
        let icon = Array("  <svg>\n  // a\n</svg>\n".utf8)
        #expect(Asset("a.svg", .icon, icon).bytes == icon)
    }

    @Test("the version changes with a byte and with a name")
    func version() {
        let others = [
            AssetSet([Asset("a.js", .script, [1, 2, 4]), Asset("a.css", .style, [4])]),
            AssetSet([Asset("b.js", .script, [1, 2, 3]), Asset("a.css", .style, [4])]),
        ]
        #expect(Set((others + [Self.set]).map(\.version)).count == 3)
    }
}
