package import Basics
import Digest

/// A JSON Web Token (RFC 7519) that says who its user is, for a quarter of an hour.
///
/// It is a pure function of its claims and the key: asked again, the same pair has the same bytes. Its header names the key
/// where that is not the gallery's first (RFC 7515 §4.1.4).
package struct AccessToken: Equatable, Sendable {
    package let account: String
    package let family: String
    /// Of the pair that it belongs to.
    package let number: Int
    package let issuedAt: Int64

    package static let life: Int64 = 15 * 60
    static let issuer = "tetherline-gallery"
    /// Made in the past second, perhaps by a node whose clock is ahead of this one's, or before this one's was set back.
    private static let mostAhead: Int64 = 10 * 60
    private static let longest = 1024
    private static let beginning = #"{"alg":"HS256","typ":"JWT""#
    private static let keyName = #","kid":""#
    private static let firstHeader = Base64URL.text(Array("\(beginning)}".utf8))

    /// We take what we write and nothing else: no other algorithm, no "none", no key that is not ours.
    private static func header(_ key: SigningKey) -> String {
        if key.number == SigningKey.firstNumber { return firstHeader }
        return Base64URL.text(Array("\(beginning)\(keyName)\(key.number)\"}".utf8))
    }

    /// Which key a token says it was signed with, whether or not that is so.
    static func keyNumber(in text: String) -> Int64? {
        guard text.utf8.count <= longest, let part = text.split(separator: ".").first else { return nil }
        if part == firstHeader { return SigningKey.firstNumber }
        guard let bytes = Base64URL.bytes(part) else { return nil }
        let header = String(decoding: bytes, as: UTF8.self)
        guard header.hasPrefix(beginning + keyName), header.hasSuffix("\"}") else { return nil }
        return SigningKeys.number(header.dropFirst(beginning.utf8.count + keyName.utf8.count).dropLast(2))
    }

    package init(account: String, family: String, number: Int, issuedAt: Int64) {
        self.account = account
        self.family = family
        self.number = number
        self.issuedAt = issuedAt
    }

    package var expiresAt: Int64 { issuedAt + Self.life }

    package func signed(with key: SigningKey) -> String {
        let claims: JSONValue = [
            "iss": .string(Self.issuer), "sub": .string(account), "fam": .string(family),
            "seq": .integer(Int64(number)), "iat": .integer(issuedAt), "exp": .integer(expiresAt),
        ]
        let body = "\(Self.header(key)).\(Base64URL.text(Array(claims.compact.utf8)))"
        return "\(body).\(Base64URL.text(key.code(of: Array(body.utf8))))"
    }

    /// Nothing for what was not signed here, or is not good at this moment.
    package init?(_ text: String, keys: SigningKeys, now: Timestamp) {
        guard text.utf8.count <= Self.longest else { return nil }
        let parts = text.split(separator: ".", omittingEmptySubsequences: false)
        guard parts.count == 3, let key = keys.all.first(where: { Self.header($0) == parts[0] }),
            let signature = Base64URL.bytes(parts[2]),
            key.isCode(signature, of: Array("\(parts[0]).\(parts[1])".utf8)),
            let claims = Self.claims(parts[1]), claims["iss"]?.string == Self.issuer,
            let account = claims["sub"]?.string, let family = claims["fam"]?.string,
            let number = claims["seq"]?.integer.flatMap(Int.init(exactly:)),
            let issuedAt = claims["iat"]?.integer, let expiresAt = claims["exp"]?.integer
        else { return nil }
        self.init(account: account, family: family, number: number, issuedAt: issuedAt)
        guard issuedAt <= now.seconds + Self.mostAhead, now.seconds < expiresAt,
            // Only this server has the key; a longer life was never given.
            expiresAt.subtractingReportingOverflow(issuedAt) == (Self.life, false)
        else { return nil }
    }

    private static func claims(_ part: Substring) -> JSONValue? {
        var limits = JSON5.Limits()
        limits.bytes = longest
        limits.depth = 1
        limits.elements = 20
        limits.isStrict = true
        guard let bytes = Base64URL.bytes(part) else { return nil }
        do throws(JSON5Error) {
            return try JSON5.parse(bytes, limits: limits)
        } catch {
            return nil
        }
    }
}
