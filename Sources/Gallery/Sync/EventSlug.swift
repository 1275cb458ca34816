import Basics

/// The part of an event's address that guests type or scan.
enum EventSlug {
    static let lengths = 3...100
    private static let longestName = 40
    /// Without those that look like others.
    private static let digits = Array("abcdefghjkmnpqrstuvwxyz23456789".utf8)
    /// One of 31^10 is not guessed before the wedding is over.
    private static let chanceDigits = 10

    /// What hosts may choose themselves.
    static let rule = FieldRule<String>.text(lengths)
        .and("must be of small letters, digits and single hyphens between them", isSlug)

    static func isSlug(_ text: String) -> Bool {
        let parts = text.split(separator: "-", omittingEmptySubsequences: false)
        return parts.allSatisfy { !$0.isEmpty && $0.utf8.allSatisfy(isLetterOrDigit) }
    }

    private static func isLetterOrDigit(_ byte: UInt8) -> Bool {
        (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte)
            || (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte)
    }

    /// "Anna & Ben" is "anna-ben-7k2mq9xwpd": the name for people, and chance, since all who have the address may look.
    static func made(from name: String, random: any RandomSource) -> String {
        let words = words(of: name, longest: longestName)
        var generator = Randomness(random)
        let chance = (0..<chanceDigits).map { _ in
            digits[Int(generator.next(upperBound: UInt64(digits.count)))]
        }
        let all = words.isEmpty ? chance : words + [UInt8(ascii: "-")] + chance
        return String(decoding: all, as: UTF8.self)
    }

    /// As a guest may have typed it: "Anna & Ben 7K2mq9xwpd".
    static func typed(_ text: String) -> String {
        String(decoding: words(of: text, longest: lengths.upperBound), as: UTF8.self)
    }

    /// In small letters and digits, with single hyphens for all else between them.
    private static func words(of text: String, longest: Int) -> [UInt8] {
        var words: [UInt8] = []
        for byte in text.lowercased().map(plain).joined().utf8 {
            if isLetterOrDigit(byte) {
                words.append(byte)
            } else if words.last != UInt8(ascii: "-"), !words.isEmpty {
                words.append(UInt8(ascii: "-"))
            }
            if words.count >= longest { break }
        }
        while words.last == UInt8(ascii: "-") { words.removeLast() }
        return words
    }

    /// As people write it who have not that letter on their keyboard.
    private static func plain(_ letter: Character) -> String {
        for (letters, plain) in likenesses where letters.contains(letter) { return plain }
        return String(letter)
    }

    private static let likenesses = [
        ("àáâãäåāăą", "a"), ("çćč", "c"), ("ďđ", "d"), ("èéêëēėęě", "e"), ("ğ", "g"), ("ìíîïīı", "i"),
        ("łľ", "l"), ("ñńň", "n"), ("òóôõöøōő", "o"), ("řŕ", "r"), ("śšşș", "s"), ("ťțţ", "t"),
        ("ùúûüūůű", "u"), ("ýÿ", "y"), ("źżž", "z"), ("ß", "ss"), ("æ", "ae"), ("œ", "oe"), ("'’", ""),
    ]
}
