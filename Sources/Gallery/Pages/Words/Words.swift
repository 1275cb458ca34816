package import Basics
package import Web

/// The texts of one language.
///
///     let words = Words.of(.german)
///     words[.skip]                                    // "Zu den Fotos springen"
///     words(.photos, 2345)                            // "2.345 Fotos"
///     words(.photoOf, ["event": event.name])
///
/// The same files are read by scripts (``ScriptWords``).
package struct Words: Sendable {
    package let language: Language
    /// By key; a text with a number has a key for each of its forms: "wall.photos.one".
    let texts: [(key: String, text: String)]
    private let known: [String: String]

    private static let all: [Language: Words] = Dictionary(
        uniqueKeysWithValues: Language.allCases.map { ($0, Words($0)) })

    package static func of(_ language: Language) -> Words { all[language] ?? Words(language) }

    private init(_ language: Language) {
        self.language = language
        texts = Self.read(language.file)
        known = Dictionary(texts.map { ($0.key, $0.text) }) { first, _ in first }
    }

    /// The files are compiled in, and a test reads each of them: nothing where one could not be read.
    private static func read(_ file: [UInt8]) -> [(key: String, text: String)] {
        do throws(JSON5Error) {
            let members = try JSON5.parse(String(decoding: file, as: UTF8.self)).members ?? []
            return members.compactMap { key, value in value.string.map { (key, $0) } }
        } catch {
            return []
        }
    }

    package subscript(word: Word) -> String { text(word.rawValue) }

    /// With what stands in its places.
    package func callAsFunction(_ word: Word, _ values: [String: String]) -> String {
        filled(self[word]) { values[$0] }
    }

    /// In the form that the number asks for, with the number in it.
    package func callAsFunction(_ word: CountedWord, _ count: Int) -> String {
        let form = text("\(word.rawValue).\(language.form(of: count).rawValue)")
        return filled(form) { $0 == "count" ? language.written(count) : nil }
    }

    /// A text with markup in its places.
    package func markup(_ word: Word, _ values: [String: HTMLText]) -> HTMLText {
        var markup = HTMLText.none
        for part in Self.parts(self[word]) {
            switch part {
            case .text(let text): markup = "\(markup)\(String(text))"
            case .place(let name): markup = "\(markup)\(values[String(name)] ?? "{\(String(name))}")"
            }
        }
        return markup
    }

    /// "21 November 2026".
    package func date(_ date: CivilTime) -> String {
        let values = [
            "day": String(date.day), "month": text("page.month\(date.month)"),
            "year": String(date.year + language.yearsAhead),
        ]
        return filled(self[.date]) { values[$0] }
    }

    /// "21 November 2026, 21:45".
    func moment(_ moment: CivilTime) -> String {
        self(.moment, ["date": date(moment), "clock": moment.clock])
    }

    /// "40 seconds", "2 minutes": rounded up, so that a guest who waits as long may try.
    package func wait(_ wait: Duration) -> String {
        let seconds = Int(max(1, (wait.wholeMilliseconds + 999) / 1000))
        if seconds <= 90 { return self(.seconds, seconds) }
        if seconds <= 5400 { return self(.minutes, (seconds + 59) / 60) }
        return self(.hours, (seconds + 3599) / 3600)
    }

    /// A text that is missing stands there by its key, where a test does not see it before.
    private func text(_ key: String) -> String { known[key] ?? key }

    private func filled(_ text: String, _ value: (String) -> String?) -> String {
        Self.parts(text).map { part in
            switch part {
            case .text(let text): String(text)
            case .place(let name): value(String(name)) ?? "{\(name)}"
            }
        }.joined()
    }
}

extension Words {
    enum Part: Equatable {
        case text(Substring)
        /// What stands between braces.
        case place(Substring)
    }

    static func parts(_ text: String) -> [Part] {
        var parts: [Part] = []
        var rest = text[...]
        while let begin = rest.firstIndex(of: "{"), let end = rest[begin...].firstIndex(of: "}") {
            if begin > rest.startIndex { parts.append(.text(rest[..<begin])) }
            parts.append(.place(rest[rest.index(after: begin)..<end]))
            rest = rest[rest.index(after: end)...]
        }
        if !rest.isEmpty { parts.append(.text(rest)) }
        return parts
    }
}
