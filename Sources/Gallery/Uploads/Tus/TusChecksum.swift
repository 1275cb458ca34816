import Digest

/// `Upload-Checksum`: what the bytes of one request have to hash to.
final class TusChecksum: Sendable {
    private enum Hash: Sendable {
        case sha1(SHA1)
        case sha256(SHA256)
    }

    static let algorithms = "sha256,sha1"

    private let hash: Hash
    private let wanted: [UInt8]

    /// Nothing for what names no hash that is known here, or holds none of its length.
    init?(_ header: String) {
        let parts = header.split(separator: " ", omittingEmptySubsequences: false)
        guard parts.count == 2, let bytes = PaddedBase64.bytes(parts[1]) else { return nil }
        switch (parts[0], bytes.count) {
        case ("sha1", SHA1.length): hash = .sha1(SHA1())
        case ("sha256", SHA256Digest.length): hash = .sha256(SHA256())
        case (_, _): return nil
        }
        wanted = bytes
    }

    func update(_ bytes: UnsafeRawBufferPointer) {
        switch hash {
        case .sha1(let hash): hash.update(bytes)
        case .sha256(let hash): hash.update(bytes)
        }
    }

    /// Asked once, when all bytes have come.
    func isRight() -> Bool {
        switch hash {
        case .sha1(let hash): hash.finish() == wanted
        case .sha256(let hash): hash.finish().bytes == wanted
        }
    }
}

/// Base64 as headers have it (RFC 4648 §4).
enum PaddedBase64 {
    /// Nothing for what is none, and for what has another text as well.
    static func bytes(_ text: some StringProtocol) -> [UInt8]? {
        let digits = text.utf8.count { $0 != UInt8(ascii: "=") }
        let plain = String(
            decoding: text.utf8.prefix(digits).map { byte -> UInt8 in
                switch byte {
                case UInt8(ascii: "+"): UInt8(ascii: "-")
                case UInt8(ascii: "/"): UInt8(ascii: "_")
                // Those are not digits here.
                case UInt8(ascii: "-"), UInt8(ascii: "_"): 0
                case _: byte
                }
            }, as: UTF8.self)
        guard let bytes = Base64URL.bytes(plain), Base64.text(bytes) == text else { return nil }
        return bytes
    }
}
