import Basics
import Imaging
import TestSupport
import Testing
import Web

@testable import Gallery

/// Pages are made of what strangers typed, and of nothing that they meant as markup.
@Suite struct PageTests {
    static let hostile = [
        "<script>alert(1)</script>", "\"><img src=x onerror=alert(1)>", "' onmouseover='alert(1)",
        "&lt;b&gt;", "</title><b>",
        "javascript:alert(1)", "a\u{202E}b", "--><b>", "]]>", "{{7*7}}", "\u{0}", "💍 Ann & Ben 💍",
    ]

    private func page(_ text: String, count: Int = 1, _ placeholder: Placeholder? = nil) -> GuestPage {
        let photo = PagePhoto(
            id: "11111111-1111-4111-8111-111111111111", sequence: 1, caption: text, tags: [text, "b"],
            capturedAt: Timestamp(milliseconds: 1_795_000_000_000), width: 3000, height: 2000,
            thumbWidth: 400,
            thumbHeight: 267, thumbKey: "a", screenKey: "b", originalKey: "c",
            tile: Photo.Tile(key: "d", size: 1, width: 800),
            placeholder: placeholder)
        return GuestPage(
            event: PageEvent(
                name: text, slug: "ann-ben", photos: 1, guestURL: "https://photos.example/e/ann-ben"),
            photos: Array(repeating: photo, count: count), next: "7", cursor: nil, search: text,
            livePosition: 3)
    }

    private func show(_ text: String) -> ShowPage {
        let page = page(text)
        return ShowPage(event: page.event, photo: page.photos[0], livePosition: 3)
    }

    /// The elements and their attributes as an independent parser sees them.
    private func elements(_ html: String) throws -> String {
        let script = """
            import sys
            from html.parser import HTMLParser
            class Lister(HTMLParser):
                def handle_starttag(self, tag, attributes): print(tag, sorted(name for name, _ in attributes))
                def handle_endtag(self, tag): print('/' + tag)
            Lister().feed(sys.stdin.read())
            """
        let outcome = try #require(Tool("python3")).run(["-c", script], input: Array(html.utf8))
        #expect(outcome.code == 0, "\(outcome.errors)")
        return outcome.text
    }

    @Test("what a stranger typed never becomes an element or an attribute", arguments: hostile)
    func hostileText(text: String) throws {
        #expect(try elements(page(text).html) == elements(page("plain").html))
        let pin = PINPage(name: text, slug: "ann-ben", problem: .wrong)
        #expect(
            try elements(pin.html) == elements(PINPage(name: "plain", slug: "ann-ben", problem: .wrong).html))
        #expect(try elements(show(text).html) == elements(show("plain").html))
        #expect(
            try elements(PlainPage(.english).over(name: text))
                == elements(PlainPage(.english).over(name: "plain")))
    }

    @Test("no script stands in a page, and no style but the guests' sheets, as the policy wants it")
    func policy() throws {
        for (html, sheets) in [
            (page("plain").html, 1), (show("plain").html, 0), (HostPage.html, 0),
            (PINPage(name: "a", slug: "b").html, 0), (PlainPage(.english).notFound, 0),
        ] {
            let elements = try elements(html).split(separator: "\n")
            #expect(elements.count { $0.hasPrefix("style") } == sheets)
            #expect(!elements.contains { $0.contains("'style'") || $0.contains("'on") })
            #expect(elements.filter { $0.hasPrefix("script") }.allSatisfy { $0.contains("'src'") })
        }
    }

    @Test(
        "tags stand one to a line, whatever is in them, and what a link to an original is called is there once"
    )
    func readBack() throws {
        let script = """
            import json, sys
            from html.parser import HTMLParser
            class Reader(HTMLParser):
                tags, names, ids = [], [], []
                def handle_starttag(self, tag, attributes):
                    found = dict(attributes)
                    if 'data-tag' in found: self.tags.append(found['data-tag'].split('\\n'))
                    if 'aria-labelledby' in found and tag == 'a': self.names.append(found['aria-labelledby'])
                    if 'id' in found: self.ids.append(found['id'])
            reader = Reader()
            reader.feed(sys.stdin.read())
            print(json.dumps([reader.tags, reader.names, reader.ids.count('original')]), end='')
            """
        func read(_ page: GuestPage) throws -> String {
            try #require(Tool("python3")).run(["-c", script], input: Array(page.html.utf8)).text
        }
        #expect(try read(page("a\nb\r\nc")) == #"[[["a b c", "b"]], ["original"], 1]"#)
        #expect(try read(page("a \"b\" & <c>")) == #"[[["a \"b\" & <c>", "b"]], ["original"], 1]"#)
        #expect(try read(GuestPage(event: page("a").event, photos: [])) == "[[], [], 0]")
    }

    private func fullPage() -> GuestPage {
        page(
            "A caption as long as captions are, now and then", count: GuestPage.photosAtOnce,
            Placeholder((0..<48).map { UInt8($0 * 5) }))
    }

    /// What a page names to be loaded. The icon for a home screen is asked for where a guest puts the page there.
    private func assets(namedBy html: String) -> [Asset] {
        PageAssets.set.assets.filter { $0.type != "image/png" && html.contains("/\($0.name)\"") }
    }

    private func weight(_ html: String) -> Int {
        html.utf8.count + assets(namedBy: html).map(\.bytes.count).reduce(0, +)
    }

    @Test("a full page stays below 60 KB with what it needs at first, and below 100 KB with all its scripts")
    func budget() throws {
        let page = fullPage()
        let named = assets(namedBy: page.html).map(\.name)
        #expect(named.sorted() == ["icon.svg", "start.js"])
        let first = weight(page.html)
        #expect(first < 60_000)
        // What a photo that is opened, or the button that shares, brings with it comes then; texts come in one language.
        let later = [
            "lightbox.js", "hearts.js", "hearts.css", "scrubber.js", "scrubber.css",
            ScriptWords.wall.name(page.language),
        ]
        let wanted = try scriptsOfStart() + later
        let scripts = PageAssets.set.assets.filter { wanted.contains($0.name) }
        #expect(scripts.count == wanted.count)
        let whole = first + scripts.map(\.bytes.count).reduce(0, +)
        #expect(whole < 100_000)
    }

    @Test(
        "an event's sections add no more than 8 KB to its page, and the button for guests' photos no more than 1 KB"
    )
    func additions() throws {
        let plain = fullPage()
        var (parted, open) = (plain, plain)
        parted.sections = (0..<12).map {
            Section(id: TestIDs.id($0), name: "A part of a long evening", photos: 100)
        }
        open.event.takesUploads = true
        let before = assets(namedBy: plain.html).map(\.name)
        func added(by page: GuestPage) -> [String] {
            assets(namedBy: page.html).map(\.name).filter { !before.contains($0) }
        }
        #expect(added(by: parted) == ["sections.css"] && added(by: open) == ["uploads.js"])
        // It comes by itself where there is a row of sections.
        let script = try #require(PageAssets.set.assets.first { $0.name == "sections.js" })
        #expect(weight(parted.html) + script.bytes.count - weight(plain.html) < 8_000)
        #expect(weight(open.html) - weight(plain.html) < 1_000)
    }

    private func scriptsOfStart() throws -> [String] {
        let start = try #require(PageAssets.set.assets.first { $0.name == "start.js" })
        let text = String(decoding: start.bytes, as: UTF8.self)
        let names = try #require(text.firstMatch(of: /const NAMES = \[([^\]]*)\]/)?.1)
        return names.matches(of: /'([a-z]+)'/).map { "\($0.output.1).js" }
    }

    @Test("whatever the guests' page loads after it stands is there")
    func scripts() throws {
        let names = try scriptsOfStart()
        #expect(names.count > 5)
        for name in names { #expect(PageAssets.set.assets.contains { $0.name == name }, "\(name)") }
    }

    @Test("whatever a script imports, or loads when it is needed, is there")
    func imports() throws {
        let known = Set(PageAssets.set.assets.map(\.name))
        var imported: Set<String> = []
        for asset in PageAssets.set.assets where asset.name.hasSuffix(".js") {
            let text = String(decoding: asset.bytes, as: UTF8.self)
            for match in text.matches(of: /(?:from |import\(|URL\(|styled\()'(?:\.\/)?([a-z]+\.(?:js|css))'/)
            {
                imported.insert(String(match.output.1))
            }
        }
        #expect(imported.isSuperset(of: ["list.js", "picks.css", "takehome.js"]))
        #expect(imported.subtracting(known).isEmpty)
    }

    @Test("a QR code in a terminal says what it was made from, as another program reads it")
    func codes() throws {
        guard let reader = Tool("zbarimg") else { return }
        let url = "https://photos.example.org/e/ann-and-ben-7k2mq9xwpd"
        let folder = try TemporaryFolder()
        try folder.write(picture(ofTerminal: qrTerminal(url, colours: false)), to: "code.pgm")
        let read = try reader.run(["-q", "--raw", folder.file("code.pgm")])
        #expect(read.text.split(separator: "\n").first.map(String.init) == url)
        #expect(qrSVG(url).hasPrefix("<svg ") && qrSVG(String(repeating: "a", count: 5000)).isEmpty)
    }

    /// What a terminal with a dark background shows, as a grey picture.
    private func picture(ofTerminal text: String) -> [UInt8] {
        let scale = 6
        var rows: [[UInt8]] = []
        for line in text.split(separator: "\n") {
            for lights: Set<Character> in [["█", "▀"], ["█", "▄"]] {
                let row = line.flatMap { [UInt8](repeating: lights.contains($0) ? 255 : 0, count: scale) }
                rows += Array(repeating: row, count: scale)
            }
        }
        return Array("P5 \(rows[0].count) \(rows.count) 255\n".utf8) + rows.joined()
    }
}
