import CCrypto

/// SHA-1 of bytes that come in pieces, for protocols that name it. It finds what a network has damaged, and keeps no one from
/// making two texts with one digest.
///
/// Used by one thread at a time; `Sendable` so that it can be handed from one to the next.
package final class SHA1: @unchecked Sendable {
    package static let length = 20

    private let context: OpaquePointer

    package init() {
        guard let context = EVP_MD_CTX_new(), EVP_DigestInit_ex(context, EVP_sha1(), nil) == 1 else {
            preconditionFailure("libcrypto has no SHA-1, which every build of it has")
        }
        self.context = context
    }

    deinit {
        EVP_MD_CTX_free(context)
    }

    package func update(_ bytes: UnsafeRawBufferPointer) {
        guard !bytes.isEmpty else { return }
        let result = EVP_DigestUpdate(context, bytes.baseAddress, bytes.count)
        precondition(result == 1, "the digest was asked for already")
    }

    /// The digest of everything so far. Nothing can follow.
    package func finish() -> [UInt8] {
        var bytes = [UInt8](repeating: 0, count: Self.length)
        let result = EVP_DigestFinal_ex(context, &bytes, nil)
        precondition(result == 1, "the digest was asked for already")
        return bytes
    }
}
