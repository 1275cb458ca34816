/// Bytes in a token: "base64url encoding with all trailing '=' characters omitted" (RFC 7515 §2).
package enum Base64URL {
    package static func text(_ bytes: [UInt8]) -> String {
        let text = Base64.text(bytes).utf8.compactMap { byte -> UInt8? in
            switch byte {
            case UInt8(ascii: "+"): UInt8(ascii: "-")
            case UInt8(ascii: "/"): UInt8(ascii: "_")
            case UInt8(ascii: "="): nil
            default: byte
            }
        }
        return String(decoding: text, as: UTF8.self)
    }

    /// Nothing for what this would not have written: every value has one text, so that one token cannot become two.
    package static func bytes(_ text: some StringProtocol) -> [UInt8]? {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(text.utf8.count * 3 / 4)
        var bits: UInt32 = 0
        var count: UInt32 = 0
        for byte in text.utf8 {
            guard let digit = value(byte) else { return nil }
            bits = (bits << 6 | digit) & 0xFFFF
            count += 6
            if count >= 8 {
                count -= 8
                bytes.append(UInt8(truncatingIfNeeded: bits >> count))
            }
        }
        // Six bits left over are no byte, and those that are left over must be zero.
        guard count < 6, bits & (1 << count - 1) == 0 else { return nil }
        return bytes
    }

    private static func value(_ byte: UInt8) -> UInt32? {
        switch byte {
        case UInt8(ascii: "A")...UInt8(ascii: "Z"): UInt32(byte - UInt8(ascii: "A"))
        case UInt8(ascii: "a")...UInt8(ascii: "z"): UInt32(byte - UInt8(ascii: "a")) + 26
        case UInt8(ascii: "0")...UInt8(ascii: "9"): UInt32(byte - UInt8(ascii: "0")) + 52
        case UInt8(ascii: "-"): 62
        case UInt8(ascii: "_"): 63
        default: nil
        }
    }
}
