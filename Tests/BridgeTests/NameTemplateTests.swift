import Bridge
import Testing

@Suite struct NameTemplateTests {
    static let facts = NameTemplate.Facts(
        event: "Wedding", date: "2026-11-21", time: "185903", camera: "Z 9", serial: "6001234", sequence: 42,
        name: "DSC_0001.NEF")

    static func path(_ template: String, _ facts: NameTemplate.Facts = facts) throws -> String {
        try NameTemplate(template).components(for: facts).joined(separator: "/")
    }

    static func named(_ name: String) -> NameTemplate.Facts {
        var facts = facts
        facts.name = name
        return facts
    }

    static let paths: [(String, String)] = [
        ("{name}", "DSC_0001.NEF"), ("{event}/{date}/{name}", "Wedding/2026-11-21/DSC_0001.NEF"),
        ("{date}_{time}_{seq}.{ext}", "2026-11-21_185903_00042.NEF"),
        ("{camera}-{serial}/{stem}.{ext}", "Z 9-6001234/DSC_0001.NEF"),
        ("{ext}/{stem}-{seq}.{ext}", "NEF/DSC_0001-00042.NEF"),
        ("{{{event}}}/{name}", "{Wedding}/DSC_0001.NEF"),
        ("{{name}}/{name}", "{name}/DSC_0001.NEF"), ("été/{name}", "été/DSC_0001.NEF"),
        (".hidden/-x/{name}", "_hidden/_x/DSC_0001.NEF"), ("a:b/{name}", "a_b/DSC_0001.NEF"),
    ]

    @Test("every field stands for what is known of the photo", arguments: paths)
    func fields(template: String, path: String) throws {
        #expect(try Self.path(template) == path)
        #expect(try NameTemplate(template).description == template)
    }

    @Test("numbers have five digits, or as many as they need")
    func sequence() throws {
        let table: [(Int64, String)] = [
            (0, "00000.NEF"), (7, "00007.NEF"), (99_999, "99999.NEF"), (100_000, "100000.NEF"),
            (.max, "9223372036854775807.NEF"), (.min, "_9223372036854775808.NEF"),
        ]
        for (sequence, name) in table {
            var facts = Self.facts
            facts.sequence = sequence
            #expect(try Self.path("{seq}.{ext}", facts) == name)
        }
    }

    @Test("a slash in what a camera or an operator wrote separates nothing")
    func slashes() throws {
        var facts = Self.facts
        facts.event = "../Smith/Jones\\x"
        facts.camera = ".."
        facts.name = "../../etc/passwd"
        let components = try NameTemplate("{event}/{camera}/{name}").components(for: facts)
        #expect(components == ["_._Smith_Jones_x", "_", "_._.._etc_passwd"])
        // To Swift this is one character that is no slash.
        facts.event = "a/\u{301}b"
        #expect(try NameTemplate("{event}/{name}").components(for: facts).first == "a_\u{301}b")
    }

    @Test("no component is ever empty")
    func nothingKnown() throws {
        let none = NameTemplate.Facts(
            event: "", date: "", time: "", camera: " ", serial: "", sequence: 0, name: "")
        #expect(try Self.path("{event}/{camera}/{name}", none) == "unknown/unknown/unnamed")
        #expect(try Self.path("{stem}.{ext}", none) == "_")
    }

    @Test("the extension is what follows the last dot, as the camera wrote it")
    func extensions() throws {
        let table: [(String, String, String)] = [
            ("a.b.jpg", "a.b", "jpg"), ("noextension", "noextension", ""), (".hidden", ".hidden", ""),
            ("a.JPG. .", "a", "JPG"), ("a.", "a", ""), ("...", "", ""),
        ]
        for (name, stem, ext) in table {
            let components = try NameTemplate("x{stem}x/x{ext}x/{name}").components(for: Self.named(name))
            #expect(components.prefix(2) == ["x\(stem)x", "x\(ext)x"])
        }
        #expect(try Self.path("{stem}.{ext}", Self.named("noextension")) == "noextension")
    }

    @Test("a name that is too long keeps the photo's extension")
    func long() throws {
        var facts = Self.facts
        facts.event = String(repeating: "é", count: 300)
        for template in ["{event}_{name}", "{stem}-{event}.{ext}", "{event}/{event}{seq}.{ext}"] {
            let components = try NameTemplate(template).components(for: facts)
            #expect(components.allSatisfy { $0.utf8.count <= 255 })
            #expect(components.last?.hasSuffix(".NEF") == true)
        }
    }

    static let refused: [(String, String)] = [
        ("", "empty"), ("{nam}", "did you mean {name}?"), ("{NAME}", "did you mean {name}?"),
        ("{sequence}/{name}", "did you mean {seq}?"), ("{extension}", "did you mean {ext}?"),
        ("{s}", "{serial}, {seq}, {stem}"), ("{photo}", "{event}, {date}, {time}, {camera}, {serial}, {seq}"),
        ("{}", "there is no field {}"), ("{ name}", "there is no field { name}"), ("{a/b}", "{a/b}"),
        ("{name", "not closed"), ("{na{me}", "not closed"), ("{name}{", "not closed"),
        ("name}", "closes nothing"),
        ("{name}}", "closes nothing"), ("/{name}", "begins with"), ("/", "begins with"),
        ("a//{name}", "empty"),
        ("{name}/", "empty"), ("./{name}", "\".\""), ("a/../{name}", "\"..\""), ("..", "\"..\""),
        ("photo", "one name"), ("{event}.{ext}", "one name"), ("{name}/{date}.{ext}", "one name"),
        ("{{name}}", "one name"), ("{stem}", "extension"), ("{ext}/{seq}", "extension"),
        ("a\\{name}", "backslash"),
    ]

    @Test("what would go wrong at the event is refused before it, with a sentence", arguments: refused)
    func invalid(template: String, words: String) {
        let error = #expect(throws: NameTemplate.Invalid.self) { try NameTemplate(template) }
        #expect(error?.description.contains(words) == true, "\(error?.description ?? "")")
    }

    @Test("sixteen components and a thousand characters are taken, and no more")
    func limits() throws {
        let folders = String(repeating: "a/", count: 15)
        #expect(try NameTemplate(folders + "{name}").components(for: Self.facts).count == 16)
        #expect(throws: NameTemplate.Invalid.self) { try NameTemplate("a/" + folders + "{name}") }
        let letters = String(repeating: "é", count: 994)
        #expect(try NameTemplate(letters + "{name}").components(for: Self.facts).count == 1)
        #expect(throws: NameTemplate.Invalid.self) { try NameTemplate("a" + letters + "{name}") }
    }

    @Test("templates are the same when they are written the same")
    func equality() throws {
        #expect(try NameTemplate("{name}") == NameTemplate("{name}"))
        #expect(try NameTemplate("{name}") != NameTemplate("{stem}.{ext}"))
    }
}
