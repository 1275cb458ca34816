import CCrypto

/// HMAC with SHA-256 (RFC 2104), by libcrypto: who has the key wrote this.
public enum HMACSHA256 {
    public static func code(of bytes: [UInt8], key: [UInt8]) -> [UInt8] {
        var code = [UInt8](repeating: 0, count: SHA256Digest.length)
        var length: UInt32 = 0
        let result = HMAC(EVP_sha256(), key, Int32(key.count), bytes, bytes.count, &code, &length)
        precondition(result != nil && Int(length) == code.count, "libcrypto has no HMAC with SHA-256")
        return code
    }

    /// Takes the same time wherever the first difference is, so that an attacker cannot find a code byte by byte.
    public static func isCode(_ code: [UInt8], of bytes: [UInt8], key: [UInt8]) -> Bool {
        let right = self.code(of: bytes, key: key)
        return code.count == right.count && CRYPTO_memcmp(code, right, right.count) == 0
    }
}
