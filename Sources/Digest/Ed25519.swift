import CCrypto

/// A private key that signs, by libcrypto.
public struct SigningKey: Sendable {
    public static let seedLength = 32

    /// What others verify with.
    public let publicKey: [UInt8]
    private let key: Key

    /// Nil for a seed of another length.
    public init?(seed: [UInt8]) {
        guard seed.count == Self.seedLength,
            let key = Key(EVP_PKEY_new_raw_private_key(EVP_PKEY_ED25519, nil, seed, seed.count))
        else { return nil }
        var publicKey = [UInt8](repeating: 0, count: Ed25519.publicKeyLength)
        var length = publicKey.count
        guard EVP_PKEY_get_raw_public_key(key.pointer, &publicKey, &length) == 1, length == publicKey.count
        else { return nil }
        self.key = key
        self.publicKey = publicKey
    }

    /// The same bytes always have the same signature.
    public func sign(_ bytes: [UInt8]) -> [UInt8] {
        var signature = [UInt8](repeating: 0, count: Ed25519.signatureLength)
        var length = signature.count
        let context = EVP_MD_CTX_new()
        defer { EVP_MD_CTX_free(context) }
        guard EVP_DigestSignInit(context, nil, nil, nil, key.pointer) == 1,
            EVP_DigestSign(context, &signature, &length, bytes, bytes.count) == 1, length == signature.count
        else {
            preconditionFailure("libcrypto cannot sign with an Ed25519 key that it made")
        }
        return signature
    }
}

public enum Ed25519 {
    static let publicKeyLength = 32
    static let signatureLength = 64

    /// False for anything but the right signature, also for what is no signature or no key at all.
    public static func verify(_ signature: [UInt8], of bytes: [UInt8], publicKey: [UInt8]) -> Bool {
        guard signature.count == signatureLength, publicKey.count == publicKeyLength,
            let key = Key(EVP_PKEY_new_raw_public_key(EVP_PKEY_ED25519, nil, publicKey, publicKey.count))
        else { return false }
        let context = EVP_MD_CTX_new()
        defer { EVP_MD_CTX_free(context) }
        return EVP_DigestVerifyInit(context, nil, nil, nil, key.pointer) == 1
            && EVP_DigestVerify(context, signature, signature.count, bytes, bytes.count) == 1
    }
}

/// Owns what libcrypto made, and has it wiped and freed. Never changed once made, so any thread may use it.
private final class Key: @unchecked Sendable {
    let pointer: OpaquePointer

    init?(_ pointer: OpaquePointer?) {
        guard let pointer else { return nil }
        self.pointer = pointer
    }

    deinit {
        EVP_PKEY_free(pointer)
    }
}
