import Digest
import Testing

@Suite struct Ed25519Tests {
    struct Vector: Sendable, CustomTestStringConvertible {
        let seed: String
        let publicKey: String
        let message: String
        let signature: String

        var testDescription: String { "seed \(seed.prefix(8))" }
    }

    /// RFC 8032, section 7.1, tests 1 to 3.
    static let vectors = [
        Vector(
            seed: "9d61b19deffd5a60ba844af492ec2cc44449c5697b326919703bac031cae7f60",
            publicKey: "d75a980182b10ab7d54bfed3c964073a0ee172f3daa62325af021a68f707511a",
            message: "",
            signature: "e5564300c360ac729086e2cc806e828a84877f1eb8e5d974d873e06522490155"
                + "5fb8821590a33bacc61e39701cf9b46bd25bf5f0595bbe24655141438e7a100b"),
        Vector(
            seed: "4ccd089b28ff96da9db6c346ec114e0f5b8a319f35aba624da8cf6ed4fb8a6fb",
            publicKey: "3d4017c3e843895a92b70aa74d1b7ebc9c982ccf2ec4968cc0cd55f12af4660c",
            message: "72",
            signature: "92a009a9f0d4cab8720e820b5f642540a2b27b5416503f8fb3762223ebdb69da"
                + "085ac1e43e15996e458f3613d0f11d8c387b2eaeb4302aeeb00d291612bb0c00"),
        Vector(
            seed: "c5aa8df43f9f837bedb7442f31dcb7b166d38535076f094b85ce3a2e0b4458f7",
            publicKey: "fc51cd8e6218a1a38da47ed00230f0580816ed13ba3303ac5deb911548908025",
            message: "af82",
            signature: "6291d657deec24024827e69c3abe01a30ce548a284743a445e3680d7db5ac3ac"
                + "18ff9b538d16f290ae67f760984dc6594a7c15e9716ed28dc027beceea1ec40a"),
    ]

    @Test("keys and signatures are those of RFC 8032", arguments: vectors)
    func examples(vector: Vector) throws {
        let seed = try #require(Hexadecimal.bytes(vector.seed))
        let key = try #require(SigningKey(seed: seed))
        let message = try #require(Hexadecimal.bytes(vector.message))
        #expect(Hexadecimal.text(key.publicKey) == vector.publicKey)
        let signature = key.sign(message)
        #expect(Hexadecimal.text(signature) == vector.signature)
        #expect(Ed25519.verify(signature, of: message, publicKey: key.publicKey))
    }

    @Test("one bit changed anywhere is refused", arguments: vectors)
    func flippedBits(vector: Vector) throws {
        let signature = try #require(Hexadecimal.bytes(vector.signature))
        let message = try #require(Hexadecimal.bytes(vector.message))
        let publicKey = try #require(Hexadecimal.bytes(vector.publicKey))
        for changed in Self.flips(of: signature) {
            #expect(!Ed25519.verify(changed, of: message, publicKey: publicKey))
        }
        for changed in Self.flips(of: message) {
            #expect(!Ed25519.verify(signature, of: changed, publicKey: publicKey))
        }
        for changed in Self.flips(of: publicKey) {
            #expect(!Ed25519.verify(signature, of: message, publicKey: changed))
        }
        #expect(!Ed25519.verify(signature, of: message + [0], publicKey: publicKey))
    }

    static func flips(of bytes: [UInt8]) -> [[UInt8]] {
        (0..<bytes.count * 8).map { bit in
            var changed = bytes
            changed[bit / 8] ^= 1 << (bit % 8)
            return changed
        }
    }

    @Test("a signature, a key or a seed of another length is none")
    func lengths() throws {
        let key = try #require(SigningKey(seed: [UInt8](repeating: 7, count: SigningKey.seedLength)))
        let signature = key.sign([1, 2, 3])
        #expect(Ed25519.verify(signature, of: [1, 2, 3], publicKey: key.publicKey))
        for wrong in [[], signature.dropLast(), signature + [0]] {
            #expect(!Ed25519.verify(Array(wrong), of: [1, 2, 3], publicKey: key.publicKey))
        }
        for wrong in [[], key.publicKey.dropLast(), key.publicKey + [0]] {
            #expect(!Ed25519.verify(signature, of: [1, 2, 3], publicKey: Array(wrong)))
        }
        for count in [0, 31, 33, 64] {
            #expect(SigningKey(seed: [UInt8](repeating: 7, count: count)) == nil)
        }
    }

    @Test("another key's signature is refused")
    func otherKey() throws {
        let one = try #require(SigningKey(seed: [UInt8](repeating: 1, count: 32)))
        let other = try #require(SigningKey(seed: [UInt8](repeating: 2, count: 32)))
        #expect(!Ed25519.verify(one.sign([5]), of: [5], publicKey: other.publicKey))
    }
}

@Suite struct HexadecimalTests {
    @Test("every byte is written in lower case and read in either")
    func everyByte() {
        let all = [UInt8](0...255)
        let text = Hexadecimal.text(all)
        #expect(text.hasPrefix("000102") && text.hasSuffix("fdfeff"))
        #expect(Hexadecimal.bytes(text) == all)
        #expect(Hexadecimal.bytes(text.uppercased()) == all)
        #expect(Hexadecimal.bytes("") == [])
    }

    @Test(
        "what is no pair of digits is refused",
        arguments: ["0", "abc", "0g", " 00", "0x00", "+1", "é", "00\n"])
    func refused(text: String) {
        #expect(Hexadecimal.bytes(text) == nil)
    }

    @Test("a digest that was written down is the digest again, and only of its own length")
    func digest() {
        let digest = SHA256.of([1, 2, 3])
        #expect(SHA256Digest(hex: digest.description) == digest)
        #expect(SHA256Digest(hex: digest.description.uppercased()) == digest)
        #expect(SHA256Digest(hex: String(digest.description.dropLast(2))) == nil)
        #expect(SHA256Digest(hex: digest.description + "00") == nil)
        #expect(SHA256Digest(hex: "") == nil)
    }
}
