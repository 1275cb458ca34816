import Basics
import TestSupport
import Testing
import Web

@testable import Gallery

/// The files of texts: each language says all that English says, in the forms that it has.
@Suite struct LanguageTests {
    static let others = Language.allCases.filter { $0 != .english }

    /// A key without the form that it ends with.
    static func base(_ key: String) -> String {
        for form in Language.Form.allCases where key.hasSuffix(".\(form.rawValue)") {
            return String(key.dropLast(form.rawValue.count + 1))
        }
        return key
    }

    private static func bases(_ language: Language) -> Set<String> {
        Set(Words.of(language).texts.map { base($0.key) })
    }

    private static func places(_ text: String) -> [String] {
        Words.parts(text).compactMap { part in
            if case .place(let name) = part { return String(name) }
            return nil
        }.sorted()
    }

    @Test("every language has the texts that English has, and no other", arguments: others)
    func keys(language: Language) {
        let (theirs, ours) = (Self.bases(language), Self.bases(.english))
        #expect(theirs.subtracting(ours).sorted() == [], "they have no use")
        #expect(ours.subtracting(theirs).sorted() == [], "they are missing")
    }

    @Test("a text with a number is there in each form of the language, and no text is there twice or empty")
    func forms() {
        let counted = Set(
            Words.of(.english).texts.map(\.key).filter { Self.base($0) != $0 }.map(Self.base))
        #expect(counted.isSuperset(of: CountedWord.allCases.map(\.rawValue)))
        for language in Language.allCases {
            let texts = Words.of(language).texts
            let keys = texts.map(\.key)
            #expect(Set(keys).count == keys.count, "\(language): a key stands there twice")
            for key in keys where Self.base(key) == key {
                #expect(!counted.contains(key), "\(language) \(key)")
            }
            for key in counted {
                let found = Set(keys.filter { Self.base($0) == key })
                let wanted = Set(language.forms.map { "\(key).\($0.rawValue)" })
                #expect(found == wanted, "\(language): \(key)")
            }
            for (key, text) in texts {
                #expect(!text.isEmpty && text.first != " " && text.last != " ", "\(language) \(key)")
                #expect(
                    !text.contains("<") && !text.contains("&"), "\(language) \(key): texts have no markup")
            }
        }
    }

    /// "in a minute" says its number without a digit.
    @Test("the places of a text are the same in every language", arguments: Language.allCases)
    func places(language: Language) {
        let english = Dictionary(
            Words.of(.english).texts.map { (Self.base($0.key), Set(Self.places($0.text))) }
        ) { $0.union($1) }
        for (key, text) in Words.of(language).texts {
            var wanted = english[Self.base(key)] ?? []
            let found = Self.places(text)
            #expect(Set(found).count == found.count, "\(language) \(key): a place stands there twice")
            if key.hasSuffix(".one"), !found.contains("count") { wanted.remove("count") }
            #expect(Set(found) == wanted, "\(language) \(key): \(text)")
            #expect(!text.replacing(/\{[a-z]+\}/, with: "").contains(/[{}]/), "\(language) \(key): \(text)")
        }
    }

    @Test("the server says no text that is not there, and each that only the server can say")
    func server() {
        let texts = Self.bases(.english)
        let months = Set((1...12).map { "page.month\($0)" })
        let said = Set(Word.allCases.map(\.rawValue) + CountedWord.allCases.map(\.rawValue))
        #expect(said.subtracting(texts).sorted() == [])
        #expect(texts.filter { $0.hasPrefix("page.") }.subtracting(said).subtracting(months).sorted() == [])
        let parts = Set(ScriptWords.allCases.map(\.rawValue) + ["page"])
        #expect(Set(texts.compactMap { $0.split(separator: ".").first.map(String.init) }) == parts)
    }

    /// Scripts that say texts of other parts than the guests' page has from the beginning.
    private static let parts: [String: Set<String>] = [
        "show.js": ["show"], "marks.js": ["wall", "picks"], "takehome.js": ["wall", "picks"],
        "liking.js": ["wall", "hearts"], "comments.js": ["wall", "hearts"],
        "bring.js": ["wall", "bring"], "broughtrow.js": ["bring"], "credit.js": ["bring"],
        "video.js": ["wall", "video"],
    ]

    /// What a script says as 'wall.close'; a file is no text.
    private static func keys(_ script: Asset) -> Set<String> {
        let text = String(decoding: script.bytes, as: UTF8.self)
        let parts = Set(ScriptWords.allCases.map(\.rawValue))
        let found = text.matches(of: /'([a-z]+)\.([A-Za-z]+)'/).filter { match in
            parts.contains(String(match.output.1)) && !["js", "css"].contains(match.output.2)
        }
        return Set(found.map { "\($0.output.1).\($0.output.2)" })
    }

    @Test("scripts say no text that is not there, or that they have not loaded, and each is said")
    func scripts() {
        let texts = Self.bases(.english).filter { !$0.hasPrefix("page.") }
        let files = Set(ScriptWords.assets.map(\.name))
        let scripts = PageAssets.set.assets.filter { $0.name.hasSuffix(".js") && !files.contains($0.name) }
        var said = Set(Word.allCases.map(\.rawValue) + CountedWord.allCases.map(\.rawValue))
        for script in scripts {
            let keys = Self.keys(script)
            #expect(keys.subtracting(texts).sorted() == [], "\(script.name)")
            said.formUnion(keys)
            let parts = Set(keys.compactMap { $0.split(separator: ".").first.map(String.init) })
            #expect(
                parts.isSubset(of: Self.parts[script.name] ?? ["wall"]),
                "\(script.name) says what it has not loaded")
        }
        #expect(texts.subtracting(said).sorted() == [], "they are said nowhere")
    }

    @Test("a script gets the texts of its part in the page's language, and few bytes of them")
    func files() throws {
        for part in ScriptWords.allCases {
            for language in Language.allCases {
                let asset = try #require(PageAssets.set.assets.first { $0.name == part.name(language) })
                let text = String(decoding: asset.bytes, as: UTF8.self)
                let object = try JSON5.parse(
                    String(text.dropFirst("export default ".count).dropLast()))
                let keys = object.members?.map(\.key) ?? []
                #expect(!keys.isEmpty && keys.allSatisfy { $0.hasPrefix("\(part.rawValue).") })
                #expect(asset.bytes.count < 6000, "\(asset.name) has \(asset.bytes.count) bytes")
            }
        }
    }

    /// One word may be the same: "Photo", "Live", "Pause".
    @Test("texts are another in each language, but for words that both have", arguments: others)
    func translated(language: Language) {
        let english = Dictionary(Words.of(.english).texts.map { ($0.key, $0.text) }) { first, _ in first }
        for (key, text) in Words.of(language).texts where text == english[key] {
            let words = text.replacing(/\{[a-z]+\}/, with: "").matches(of: /[A-Za-z]+/)
            #expect(words.count <= 1, "\(language) \(key): \(text)")
        }
    }
}
