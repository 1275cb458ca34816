import Basics
import TestSupport
import Testing

@testable import Gallery

/// A page as a messenger reads it, by a parser that is not ours.
struct HeadReader {
    let tags: [String: String]
    let title: String
    let pictures: [String]
    /// Of elements that lead elsewhere, and of the head.
    let links: [String]
    let fields: [String: String]
    let scripts: Int

    init(_ html: String) throws {
        let outcome = try #require(Tool("python3")).run(["-c", Self.script], input: Array(html.utf8))
        #expect(outcome.code == 0, "\(outcome.errors)")
        let read = try JSON5.parse(outcome.text)
        func texts(_ name: String) -> [String: String] {
            (read[name]?.members ?? []).reduce(into: [:]) { $0[$1.key] = $1.value.string }
        }
        tags = texts("tags")
        fields = texts("fields")
        title = read["title"]?.string ?? ""
        pictures = (read["pictures"]?.array ?? []).compactMap(\.string)
        links = (read["links"]?.array ?? []).compactMap(\.string)
        scripts = Int(read["scripts"]?.integer ?? -1)
    }

    /// All that the tags say, for what must not be in any.
    var said: String { tags.values.joined(separator: "\n") }

    private static let script = """
        import json, sys
        from html.parser import HTMLParser
        class Reader(HTMLParser):
            def __init__(self):
                super().__init__()
                self.tags, self.fields, self.pictures, self.links = {}, {}, [], []
                self.title, self.scripts, self.inside = "", 0, False
            def handle_starttag(self, tag, attributes):
                values = dict(attributes)
                name = values.get("property") or values.get("name")
                if tag == "meta" and name and name != "theme-color":
                    assert name not in self.tags, name
                    self.tags[name] = values["content"]
                if tag == "img" and "src" in values: self.pictures.append(values["src"])
                if tag in ("a", "link") and "href" in values: self.links.append(values["href"])
                if tag == "input": self.fields[name] = values.get("value", "")
                self.scripts += tag == "script"
                self.inside = tag == "title"
            def handle_endtag(self, tag): self.inside = False
            def handle_data(self, data):
                if self.inside: self.title += data
        reader = Reader()
        reader.feed(sys.stdin.buffer.read().decode())
        sys.stdout.buffer.write(json.dumps({name: value for name, value in vars(reader).items() if name in
            ("tags", "fields", "pictures", "links", "title", "scripts")}, ensure_ascii=False).encode())
        """
}
