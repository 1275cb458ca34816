import CCrypto

/// Bytes as HTTP headers carry them (RFC 4648 §4), with padding.
public enum Base64 {
    public static func text(_ bytes: [UInt8]) -> String {
        // libcrypto ends it with a zero.
        var text = [UInt8](repeating: 0, count: (bytes.count + 2) / 3 * 4 + 1)
        let count = EVP_EncodeBlock(&text, bytes, Int32(bytes.count))
        return String(decoding: text.prefix(Int(count)), as: UTF8.self)
    }
}
