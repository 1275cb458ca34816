/// A language that guests' pages speak. Each has a file of texts, `Languages/de.json`.
package enum Language: String, CaseIterable, Sendable {
    // The order of the menu.
    case english = "en"
    case german = "de"
    case french = "fr"
    case spanish = "es"
    case italian = "it"
    case portuguese = "pt"
    case thai = "th"
    case japanese = "ja"

    /// Its name in addresses, in the cookie and in the names of files.
    package var code: String { rawValue }

    /// As `lang` and `Content-Language` say it (BCP 47), with a country where its texts are written for one.
    package var tag: String { self == .portuguese ? "pt-BR" : code }

    /// What those who speak it call it.
    package var name: String {
        switch self {
        case .english: "English"
        case .german: "Deutsch"
        case .french: "Français"
        case .spanish: "Español"
        case .italian: "Italiano"
        case .portuguese: "Português"
        case .thai: "ไทย"
        case .japanese: "日本語"
        }
    }

    /// As `dir` says it.
    package var direction: String {
        switch self {
        case .english, .german, .french, .spanish, .italian, .portuguese, .thai, .japanese: "ltr"
        }
    }

    /// As the Open Graph protocol says it, which wants a country.
    package var openGraph: String {
        switch self {
        case .english: "en_GB"
        case .german: "de_DE"
        case .french: "fr_FR"
        case .spanish: "es_ES"
        case .italian: "it_IT"
        case .portuguese: "pt_BR"
        case .thai: "th_TH"
        case .japanese: "ja_JP"
        }
    }

    var file: [UInt8] { BuiltInFile.bytes(of: "\(code).json") }
}

/// How numbers are written, and which forms of a text they ask for; as browsers do it (CLDR), so that what a script writes
/// anew stays as it was.
extension Language {
    /// A form of a text that has a number: a key of that text ends with its name.
    package enum Form: String, CaseIterable, Sendable {
        case one
        case other
    }

    /// Those that its file has of each text with a number.
    package var forms: [Form] {
        switch self {
        case .thai, .japanese: [.other]
        case .english, .german, .french, .spanish, .italian, .portuguese: [.one, .other]
        }
    }

    package func form(of count: Int) -> Form {
        switch self {
        case .english, .german, .spanish, .italian: count == 1 ? .one : .other
        case .french, .portuguese: (0...1).contains(count) ? .one : .other
        case .thai, .japanese: .other
        }
    }

    /// What stands between thousands, and from how many digits on.
    private var grouping: (separator: String, fewestDigits: Int) {
        switch self {
        case .english, .thai, .japanese: (",", 4)
        case .german, .portuguese: (".", 4)
        case .spanish, .italian: (".", 5)
        // A narrow space at which no line ends.
        case .french: ("\u{202F}", 4)
        }
    }

    /// "2,345".
    package func written(_ number: Int) -> String {
        let digits = String(number.magnitude)
        guard digits.utf8.count >= grouping.fewestDigits else { return String(number) }
        var text = number < 0 ? "-" : ""
        for (place, digit) in digits.enumerated() {
            if place > 0, (digits.utf8.count - place).isMultiple(of: 3) { text += grouping.separator }
            text.append(digit)
        }
        return text
    }

    /// By how much its calendar is ahead of the Gregorian one.
    var yearsAhead: Int { self == .thai ? 543 : 0 }
}
