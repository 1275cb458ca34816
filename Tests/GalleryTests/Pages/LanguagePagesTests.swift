import Basics
import TestSupport
import Testing
import Web

@testable import Gallery

/// Pages in each language, as values, and the same texts as scripts say them.
@Suite struct LanguagePagesTests {
    private static let event = PageEvent(
        name: "7", slug: "7", startsAt: Timestamp(milliseconds: 1_795_293_900_000), photos: 2345,
        guestURL: "https://photos.example/e/7", isOpen: true)

    /// With a caption, or without.
    private static func photo(_ caption: String) -> PagePhoto {
        PagePhoto(
            id: "11111111-1111-4111-8111-111111111111", sequence: 1, caption: caption,
            // 2026-11-21T20:45:00Z.
            shownAt: Timestamp(milliseconds: 1_795_293_900_000), width: 3000, height: 2000, thumbWidth: 400,
            thumbHeight: 267, thumbKey: "a", screenKey: "b", originalKey: caption.isEmpty ? nil : "c")
    }

    /// Every page that guests may see, with every sentence that it may have.
    private static func pages(_ language: Language) -> [String] {
        let photos = [photo(""), photo("8")]
        let plain = PlainPage(language)
        let problems: [PINPage.Problem?] = [
            nil, .wrong, .oldKey, .tooMany(retryAfter: .seconds(1)), .tooMany(retryAfter: .seconds(500)),
            .tooMany(retryAfter: .seconds(9000)), .noCookies(mark: "7"),
        ]
        let codes: [APIError.Code] = [.forbidden, .badRequest, .requestTimeout]
        return [
            GuestPage(event: event, photos: photos, next: "1", language: language).html,
            GuestPage(event: event, photos: [], cursor: "1", language: language).html,
            GuestPage(event: event, photos: [], search: "9", language: language).html,
            ShowPage(event: event, photo: photos[0], language: language).html,
            EntrancePage(language: language).html, EntrancePage(unknown: "9", language: language).html,
            plain.notFound, plain.noPhoto(of: event), plain.over, plain.over(name: "7"), plain.tooLarge,
            plain.tooMany(retryAfter: .seconds(3)), plain.offline, plain.trouble,
        ] + photos.map { PhotoPage(event: event, photo: $0, language: language).html }
            + problems.map { PINPage(name: "7", slug: "7", problem: $0, language: language).html }
            + codes.map { plain.refused($0.rawValue, "in words of the API") }
    }

    /// What stands between tags, and in attributes.
    private static func pieces(_ html: String) -> Set<String> {
        Set(
            html.split { "<>\"".contains($0) }
                .map { $0.split(whereSeparator: \.isWhitespace).joined(separator: " ") })
    }

    /// The longest part of a text that has no place in it.
    private static func longest(_ text: String) -> String {
        let parts = Words.parts(text).map { part in
            if case .text(let text) = part { return text.trimmingPrefix(/\s+/) }
            return ""
        }
        return parts.max { $0.count < $1.count }.map(String.init) ?? ""
    }

    @Test("a page has no sentence of English in another language", arguments: LanguageTests.others)
    func noEnglish(language: Language) {
        let theirs = Dictionary(Words.of(language).texts.map { ($0.key, $0.text) }) { first, _ in first }
        let said = Set(Word.allCases.map(\.rawValue) + CountedWord.allCases.map(\.rawValue))
        let english = Words.of(.english).texts.filter {
            said.contains(LanguageTests.base($0.key)) && theirs[$0.key] != $0.text
        }
        for html in Self.pages(language) {
            let pieces = Self.pieces(html)
            for (key, text) in english {
                #expect(!pieces.contains(text), "\(language): \(key): \(text)")
                let part = Self.longest(text)
                if part.contains(" "), part.count > 12 {
                    #expect(!html.contains(part), "\(language): \(key): \(part)")
                }
            }
        }
    }

    @Test("no page shows a key or a place of a text, and all of a language's pages say that they are in it")
    func whole() {
        for language in Language.allCases {
            let mark = "<html lang=\"\(language.tag)\" dir=\"\(language.direction)\">"
            for html in Self.pages(language) {
                #expect(html.contains(mark))
                #expect(html.contains("<meta property=\"og:locale\" content=\"\(language.openGraph)\">"))
                #expect(
                    !html.contains(/\{[a-zA-Z]+\}/)
                        && !html.contains(/[">](page|wall|picks|hearts|show)\.[a-z]/))
            }
        }
    }

    @Test(
        "where a code has no sentence of its own, the API's stands there in English, and none of it elsewhere"
    )
    func refused() {
        #expect(PlainPage(.english).refused("CONFLICT", "it is taken").contains("<p>It is taken.</p>"))
        #expect(!PlainPage(.german).refused("CONFLICT", "it is taken").contains("t is taken"))
        // Hosts and operators read the API's own words.
        for language in [Language.english, .german] {
            #expect(PlainPage(language).refused(nil, "it is taken").contains("<p>It is taken.</p>"))
        }
        let known = PlainPage(.german).refused("FORBIDDEN", "enter the PIN")
        #expect(!known.contains("nter the PIN"))
    }

    @Test("the menu leads to the same page in each language, by the name that its speakers give it")
    func menu() throws {
        let html = LanguageMenu.html(.thai, at: "/e/a").text
        for language in Language.allCases {
            let mark = language == .thai ? " aria-current=\"true\"" : ""
            #expect(
                html.contains(
                    "<a lang=\"\(language.tag)\" href=\"/e/a?lang=\(language.code)\"\(mark)>\(language.name)</a>"
                ))
        }
        #expect(LanguageMenu.html(.thai).text.contains("href=\"?lang=de\""))
        let searched = LanguageMenu.html(.thai, keeping: "q=cake&cursor=7").text
        #expect(searched.contains("href=\"?q=cake&amp;cursor=7&amp;lang=de\""))
    }

    // MARK: The same by scripts

    private static let counts = [0, 1, 2, 11, 999, 1000, 1234, 9999, 12_345, 1_234_567]

    /// So that what a script writes anew is what the server wrote.
    @Test(
        "numbers, forms and dates are written as browsers write them",
        .enabled(if: Tool.isThere("node"), "node is not installed; tools/setup does it"),
        arguments: Language.allCases)
    func asInBrowsers(language: Language) async throws {
        let node = try #require(Tool("node"))
        let folder = try TemporaryFolder()
        for name in ["text.js"] + ScriptWords.allCases.map({ $0.name(language) }) {
            let asset = try #require(PageAssets.set.assets.first { $0.name == name })
            try folder.write(asset.bytes, to: name)
        }
        try folder.write(Array("{\"type\": \"module\"}".utf8), to: "package.json")
        try folder.write(Array(Self.driver.utf8), to: "driver.js")
        let seen = try await aside { () throws -> JSONValue in
            let run = try node.run([folder.file("driver.js"), language.tag] + Self.counts.map { "\($0)" })
            #expect(run.code == 0, "\(run.errors)")
            return try JSON5.parse(run.text)
        }
        let words = Words.of(language)
        let photos = seen["photos"]?.array?.compactMap(\.string)
        #expect(photos == Self.counts.map { words(.photos, $0) })
        let dates = try (1...12).map { month in
            let day = month == 3 ? 1 : 21
            return words.date(
                try #require(
                    CivilTime(year: 2026, month: month, day: day, hour: 0, minute: 0, second: 0)))
        }
        #expect(seen["dates"]?.array?.compactMap(\.string) == dates)
        // "many" is for millions, and may be left out; other forms of the language are there.
        let forms = Set(seen["forms"]?.array?.compactMap(\.string) ?? []).subtracting(["many"])
        #expect(forms == Set(language.forms.map(\.rawValue)))
        #expect(seen["unknown"]?.string == "wall.unknown" && seen["place"]?.string?.contains("<7>") == true)
    }

    private static let driver = """
        const [, , language, ...counts] = process.argv;
        globalThis.document = { documentElement: { lang: language } };
        const { learn, locale, text } = await import('./text.js');
        for (const part of ['wall', 'picks', 'hearts', 'show']) await learn(part);
        const day = new Intl.DateTimeFormat(locale, { day: 'numeric', month: 'long', year: 'numeric', timeZone: 'UTC' });
        console.log(JSON.stringify({
          photos: counts.map((count) => text('wall.photos', { count: Number(count) })),
          dates: Array.from({ length: 12 }, (_, month) => day.format(Date.UTC(2026, month, month === 2 ? 1 : 21))),
          forms: new Intl.PluralRules(locale).resolvedOptions().pluralCategories,
          unknown: text('wall.unknown'), place: text('wall.nothingFound', { search: '<7>' }),
        }));
        """
}
