import CCrypto

/// SHA-256 of bytes that come in pieces, by libcrypto: six times as fast as plain Swift on this hardware.
///
/// Used by one thread at a time; `Sendable` so that it can be handed from one to the next.
public final class SHA256: @unchecked Sendable {
    private let context: OpaquePointer

    public init() {
        guard let context = EVP_MD_CTX_new(), EVP_DigestInit_ex(context, EVP_sha256(), nil) == 1 else {
            preconditionFailure("libcrypto has no SHA-256, which every build of it has")
        }
        self.context = context
    }

    deinit {
        EVP_MD_CTX_free(context)
    }

    public func update(_ bytes: UnsafeRawBufferPointer) {
        guard !bytes.isEmpty else { return }
        let result = EVP_DigestUpdate(context, bytes.baseAddress, bytes.count)
        precondition(result == 1, "the digest was asked for already")
    }

    public func update(_ bytes: [UInt8]) {
        bytes.withUnsafeBytes { update($0) }
    }

    /// The digest of everything so far. Nothing can follow.
    public func finish() -> SHA256Digest {
        var bytes = [UInt8](repeating: 0, count: SHA256Digest.length)
        let result = EVP_DigestFinal_ex(context, &bytes, nil)
        precondition(result == 1, "the digest was asked for already")
        return SHA256Digest(bytes)
    }

    public static func of(_ bytes: [UInt8]) -> SHA256Digest {
        let hash = SHA256()
        hash.update(bytes)
        return hash.finish()
    }
}

public struct SHA256Digest: Hashable, Sendable {
    public static let length = 32

    public let bytes: [UInt8]

    init(_ bytes: [UInt8]) {
        self.bytes = bytes
    }

    /// A digest that was written down; nil for what is none.
    public init?(hex: String) {
        guard let bytes = Hexadecimal.bytes(hex), bytes.count == Self.length else { return nil }
        self.bytes = bytes
    }
}

extension SHA256Digest: CustomStringConvertible {
    /// Lower-case hexadecimal, as `sha256sum` prints it.
    public var description: String { Hexadecimal.text(bytes) }
}
