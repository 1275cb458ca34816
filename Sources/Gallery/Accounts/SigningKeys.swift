import Digest

/// One of the keys that a gallery signs with, made for one purpose. Its number stands in what it signs.
package struct SigningKey: Equatable, Sendable, CustomStringConvertible, CustomReflectable {
    package let number: Int64
    package let bytes: [UInt8]

    /// What is signed with it names no number, as it was when a gallery had one key only.
    package static let firstNumber: Int64 = 1

    package init(number: Int64 = SigningKey.firstNumber, _ bytes: [UInt8]) {
        self.number = number
        self.bytes = bytes
    }

    func code(of claim: [UInt8]) -> [UInt8] { HMACSHA256.code(of: claim, key: bytes) }

    func isCode(_ code: [UInt8], of claim: [UInt8]) -> Bool {
        HMACSHA256.isCode(code, of: claim, key: bytes)
    }

    /// The code, and before it the key's number: `2~<code>`.
    func signature(of claim: [UInt8], as form: SigningKeys.Form = .base64URL) -> String {
        let code = form.text(code(of: claim))
        return number == Self.firstNumber ? code : "\(number)\(SigningKeys.mark)\(code)"
    }

    package var description: String { "key \(number)" }
    package var customMirror: Mirror { Mirror(self, children: [:]) }
}

/// All keys of a gallery that are good, made for one purpose. One of them signs what is new.
package struct SigningKeys: Sendable {
    /// How a code is written.
    package enum Form: Sendable {
        case base64URL
        case hexadecimal

        fileprivate func text(_ code: [UInt8]) -> String {
            switch self {
            case .base64URL: Base64URL.text(code)
            case .hexadecimal: Hexadecimal.text(code)
            }
        }

        fileprivate func bytes(_ text: some StringProtocol) -> [UInt8]? {
            switch self {
            case .base64URL: Base64URL.bytes(text)
            case .hexadecimal: Hexadecimal.bytes(String(text))
            }
        }
    }

    static let mark: Character = "~"

    /// What is new is signed with it.
    package let current: SigningKey
    /// The one that signs before the others.
    package let all: [SigningKey]

    package init(_ current: SigningKey, and others: [SigningKey] = []) {
        self.current = current
        all = [current] + others
    }

    /// Of a gallery that has one key.
    package init(_ bytes: [UInt8]) {
        self.init(SigningKey(bytes))
    }

    package subscript(number: Int64) -> SigningKey? { all.first { $0.number == number } }

    package func signature(of claim: [UInt8], as form: Form = .base64URL) -> String {
        current.signature(of: claim, as: form)
    }

    /// The key that a signature was made with; nothing where none of these has made it.
    package func signer(
        of signature: some StringProtocol, over claim: [UInt8], as form: Form = .base64URL
    ) -> SigningKey? {
        guard let (number, text) = Self.parts(signature), let key = self[number], let code = form.bytes(text),
            key.isCode(code, of: claim)
        else { return nil }
        return key
    }

    /// Which key a signature says it was made with, whether or not that is so.
    static func number(in signature: some StringProtocol) -> Int64? { parts(signature)?.number }

    private static func parts<Text: StringProtocol>(
        _ signature: Text
    ) -> (number: Int64, code: Text.SubSequence)? {
        guard let end = signature.firstIndex(of: mark) else {
            return (SigningKey.firstNumber, signature[...])
        }
        return number(signature[..<end]).map { ($0, signature[signature.index(after: end)...]) }
    }

    /// Of a key that is named: each number has one text, so that one token cannot become two.
    static func number(_ text: some StringProtocol) -> Int64? {
        guard let number = Int64(text), number > SigningKey.firstNumber, "\(number)" == text else {
            return nil
        }
        return number
    }
}
