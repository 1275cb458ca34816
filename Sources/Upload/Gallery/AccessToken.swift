import Basics

/// When an access token ends, by its own word. It is read, not believed: the server checks it, and its 401 counts.
enum AccessToken {
    private static let longest = 8192

    /// `exp` of a JSON Web Token (RFC 7519 §4.1.4), on the server's clock; nothing for another kind of token.
    static func expiry(of token: String) -> Timestamp? {
        let parts = token.split(separator: ".", omittingEmptySubsequences: false)
        guard token.utf8.count <= longest, parts.count == 3, let bytes = base64URL(parts[1]) else {
            return nil
        }
        do {
            guard let seconds = try JSON5.parse(bytes)["exp"]?.integer, (0...1 << 40).contains(seconds) else {
                return nil
            }
            return Timestamp(milliseconds: seconds * 1000)
        } catch {
            // Another kind of token: its end shows when it comes.
            return nil
        }
    }

    /// "Base64url encoding … with all trailing '=' characters omitted" (RFC 7515 §2).
    private static func base64URL(_ text: Substring) -> [UInt8]? {
        var bytes: [UInt8] = []
        var bits: UInt32 = 0
        var count = 0
        for byte in text.utf8 {
            let digit: UInt8
            switch byte {
            case UInt8(ascii: "A")...UInt8(ascii: "Z"): digit = byte - UInt8(ascii: "A")
            case UInt8(ascii: "a")...UInt8(ascii: "z"): digit = byte - UInt8(ascii: "a") + 26
            case UInt8(ascii: "0")...UInt8(ascii: "9"): digit = byte - UInt8(ascii: "0") + 52
            case UInt8(ascii: "-"): digit = 62
            case UInt8(ascii: "_"): digit = 63
            default: return nil
            }
            bits = bits << 6 | UInt32(digit)
            count += 6
            if count >= 8 {
                count -= 8
                bytes.append(UInt8(truncatingIfNeeded: bits >> UInt32(count)))
            }
        }
        return count < 6 ? bytes : nil
    }
}
