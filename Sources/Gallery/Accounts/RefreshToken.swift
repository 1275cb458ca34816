import Digest

/// What an access token is renewed with: opaque, good for thirty days, and once.
///
/// It is derived from its family, its number and the key of that time, so that the same successor can be given again without
/// being kept anywhere: `<family>_<number>.<signature>`.
package struct RefreshToken: Equatable, Sendable {
    package let family: String
    /// From 1 on, one more at each refresh.
    package let number: Int
    /// It was made with.
    package let key: SigningKey

    package static let life = Duration.seconds(30 * 86_400)
    /// How long one that is spent gives its successor again, because the answer may have been lost.
    package static let grace = Duration.seconds(600)
    private static let longest = 128

    package init(family: String, number: Int, key: SigningKey) {
        self.family = family
        self.number = number
        self.key = key
    }

    package var text: String {
        "\(family)_\(number).\(key.signature(of: Self.claim(family, number)))"
    }

    private static func claim(_ family: some StringProtocol, _ number: Int) -> [UInt8] {
        Array("\(family)\n\(number)".utf8)
    }

    /// Nothing for what was not made here.
    package init?(_ text: String, keys: SigningKeys) {
        guard text.utf8.count <= Self.longest else { return nil }
        let parts = text.split(separator: ".", omittingEmptySubsequences: false)
        guard parts.count == 2 else { return nil }
        let names = parts[0].split(separator: "_", omittingEmptySubsequences: false)
        guard names.count == 2, let number = Int(names[1]), number > 0, "\(number)" == names[1] else {
            return nil
        }
        guard let key = keys.signer(of: parts[1], over: Self.claim(names[0], number)) else { return nil }
        self.init(family: String(names[0]), number: number, key: key)
    }

    /// Which key one says it was made with, whether or not that is so.
    static func keyNumber(in text: String) -> Int64? {
        guard text.utf8.count <= longest, let dot = text.firstIndex(of: ".") else { return nil }
        return SigningKeys.number(in: text[text.index(after: dot)...])
    }

    /// What is kept of it.
    static func hash(_ text: String) -> [UInt8] { SHA256.of(Array(text.utf8)).bytes }
}
