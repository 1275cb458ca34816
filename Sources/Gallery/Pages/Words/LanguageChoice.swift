import Basics
package import HTTPServer
import Web

extension Language {
    /// `?lang=de` chooses a language, and a cookie of this name keeps the choice.
    package static let parameter = "lang"
    private static let kept = Duration.seconds(365 * 86_400)
    private static let longestHeader = 1000

    /// The language of the pages that answer this request: the one that the guest has chosen, or else the best of those that
    /// the browser asks for.
    package init(for request: Request) {
        self =
            Self.chosen(by: request)
            ?? request.cookies(named: Self.parameter).lazy.compactMap { Language(rawValue: String($0)) }.first
            ?? Language(accepting: Self.accepted(request))
    }

    /// What its address says, in either case.
    static func chosen(by request: Request) -> Language? {
        request.query[parameter].flatMap { Language(rawValue: $0.lowercased()) }
    }

    private static func accepted(_ request: Request) -> String {
        // "…MAY be combined into one field line" (RFC 9110 §5.2).
        request.headers.filter { $0.isNamed("Accept-Language") }.map(\.value).joined(separator: ",")
    }

    /// The best of an `Accept-Language` (RFC 9110 §12.5.4): of those with the same weight the first, by the first part of
    /// their names, so that "de-AT" is German (RFC 4647 §3.4). English where there is none, and where the header is longer
    /// than any that browsers send.
    package init(accepting header: String) {
        guard header.utf8.count <= Self.longestHeader else {
            self = .english
            return
        }
        let ranges = header.split(separator: ",").compactMap { AcceptedLanguage($0) }
        let refused = Set(ranges.filter { $0.weight == 0 }.map(\.range))
        var best: (language: Language, weight: Int)?
        for range in ranges where range.weight > best?.weight ?? 0 {
            guard let language = range.language(besides: refused) else { continue }
            best = (language, range.weight)
        }
        self = best?.language ?? .english
    }

    /// Keeps what was chosen. It is no secret, and is the same by http and https; no script needs it.
    static func cookie(_ language: Language) -> HTTPHeader {
        .cookie(parameter, language.code, path: "/", life: kept, isSecure: false)
    }
}

/// One member of an `Accept-Language`.
private struct AcceptedLanguage {
    /// In small letters: "de-at", or "*" for any.
    let range: String
    /// In thousandths.
    let weight: Int

    /// Nil for what is written as none can be.
    init?(_ text: Substring) {
        let parts = text.split(separator: ";", omittingEmptySubsequences: false).map(FieldWeight.trimmed)
        guard parts.count <= 2, let name = parts.first, Self.isRange(name) else { return nil }
        range = name.lowercased()
        guard parts.count == 2 else {
            weight = 1000
            return
        }
        guard let weight = FieldWeight.thousandths(parts[1]) else { return nil }
        self.weight = weight
    }

    func language(besides refused: Set<String>) -> Language? {
        if range == "*" { return Language.allCases.first { !refused.contains($0.code) } }
        return range.split(separator: "-").first.flatMap { Language(rawValue: String($0)) }
    }

    /// "1*8ALPHA *("-" 1*8alphanum) / "*"" (RFC 4647 §2.1).
    private static func isRange(_ text: Substring) -> Bool {
        if text == "*" { return true }
        let parts = text.split(separator: "-", omittingEmptySubsequences: false)
        return parts.allSatisfy { part in
            (1...8).contains(part.utf8.count)
                && part.utf8.allSatisfy { isLetter($0) || isDigit($0) }
        } && parts[0].utf8.allSatisfy(isLetter)
    }

    private static func isLetter(_ byte: UInt8) -> Bool {
        (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte | 0x20)
    }

    private static func isDigit(_ byte: UInt8) -> Bool {
        (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte)
    }
}
