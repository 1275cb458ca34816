/// Text inside a URL: "%41" is "A" (RFC 3986 §2.1).
public enum PercentEncoding {
    /// What is no escaped byte after a percent sign, or no UTF-8 when it is decoded.
    public enum Invalid: Error, Equatable, Sendable {
        case escape(String)
        case notUTF8
    }

    /// "Characters that are allowed in a URI but do not have a reserved purpose" (RFC 3986 §2.3) stay as they are, and
    /// those that are named.
    public static func encoded(_ text: some StringProtocol, keeping others: String = "") -> String {
        encoded(whole: String(text), keeping: others)
    }

    private static func encoded(whole text: String, keeping others: String) -> String {
        // Most parts of a path.
        if text.utf8.allSatisfy(isUnreserved) { return text }
        var encoded: [UInt8] = []
        encoded.reserveCapacity(text.utf8.count + 16)
        for byte in text.utf8 {
            if isUnreserved(byte) || others.utf8.contains(byte) {
                encoded.append(byte)
            } else {
                encoded += [UInt8(ascii: "%"), digit(byte >> 4), digit(byte & 15)]
            }
        }
        return String(decoding: encoded, as: UTF8.self)
    }

    public static func decoded(_ text: Substring) throws(Invalid) -> String {
        var bytes: [UInt8] = []
        var rest = Array(text.utf8)[...]
        while let byte = rest.popFirst() {
            guard byte == UInt8(ascii: "%") else {
                bytes.append(byte)
                continue
            }
            let digits = String(decoding: rest.prefix(2), as: UTF8.self)
            guard digits.utf8.count == 2, digits.allSatisfy(\.isHexDigit),
                let value = UInt8(digits, radix: 16)
            else { throw .escape(digits) }
            bytes.append(value)
            rest = rest.dropFirst(2)
        }
        guard let text = String(validating: bytes, as: UTF8.self) else { throw .notUTF8 }
        return text
    }

    private static func isUnreserved(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "."), UInt8(ascii: "_"),
            UInt8(ascii: "~"):
            true
        default: false
        }
    }

    /// In upper case, as RFC 3986 §2.1 wants it and signatures need it.
    private static func digit(_ value: UInt8) -> UInt8 {
        value < 10 ? UInt8(ascii: "0") + value : UInt8(ascii: "A") + value - 10
    }
}
