import Digest

/// What an access token is renewed with: opaque, good for thirty days, and once.
///
/// It is derived from its family and its number, so that the same successor can be given again without being kept
/// anywhere: `<family>_<number>.<code>`.
package struct RefreshToken: Equatable, Sendable {
    package let family: String
    /// From 1 on, one more at each refresh.
    package let number: Int

    package static let life = Duration.seconds(30 * 86_400)
    /// How long one that is spent gives its successor again, because the answer may have been lost.
    package static let grace = Duration.seconds(600)
    private static let longest = 128

    package init(family: String, number: Int) {
        self.family = family
        self.number = number
    }

    package func text(key: [UInt8]) -> String {
        "\(family)_\(number).\(Base64URL.text(HMACSHA256.code(of: claim, key: key)))"
    }

    private var claim: [UInt8] { Array("\(family)\n\(number)".utf8) }

    /// Nothing for what was not made here.
    package init?(_ text: String, key: [UInt8]) {
        guard text.utf8.count <= Self.longest else { return nil }
        let parts = text.split(separator: ".", omittingEmptySubsequences: false)
        guard parts.count == 2, let code = Base64URL.bytes(parts[1]) else { return nil }
        let names = parts[0].split(separator: "_", omittingEmptySubsequences: false)
        guard names.count == 2, let number = Int(names[1]), number > 0, "\(number)" == names[1] else {
            return nil
        }
        self.init(family: String(names[0]), number: number)
        guard HMACSHA256.isCode(code, of: claim, key: key) else { return nil }
    }

    /// What is kept of it.
    static func hash(_ text: String) -> [UInt8] { SHA256.of(Array(text.utf8)).bytes }
}
