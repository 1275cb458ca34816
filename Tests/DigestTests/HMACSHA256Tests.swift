import Digest
import Testing

@Suite struct HMACSHA256Tests {
    /// RFC 4231 §4.2, 4.3, 4.4, 4.7: short, worded, binary, and a key longer than a block.
    static let examples: [(key: [UInt8], text: [UInt8], code: String)] = [
        (
            [UInt8](repeating: 0x0B, count: 20), Array("Hi There".utf8),
            "b0344c61d8db38535ca8afceaf0bf12b881dc200c9833da726e9376c2e32cff7"
        ),
        (
            Array("Jefe".utf8), Array("what do ya want for nothing?".utf8),
            "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843"
        ),
        (
            [UInt8](repeating: 0xAA, count: 20), [UInt8](repeating: 0xDD, count: 50),
            "773ea91e36800e46854db8ebd09181a72959098b3ef8c122d9635514ced565fe"
        ),
        (
            [UInt8](repeating: 0xAA, count: 131),
            Array("Test Using Larger Than Block-Size Key - Hash Key First".utf8),
            "60e431591ee0b67f0d8a26aacbf5b77f8e0bc6213728c5140546040f0ee37f54"
        ),
    ]

    @Test("the examples of RFC 4231", arguments: examples)
    func codes(key: [UInt8], text: [UInt8], code: String) {
        let made = HMACSHA256.code(of: text, key: key)
        #expect(Hexadecimal.text(made) == code)
        #expect(HMACSHA256.isCode(made, of: text, key: key))
        #expect(!HMACSHA256.isCode(Array(made.dropLast()), of: text, key: key))
        #expect(!HMACSHA256.isCode(made, of: text + [0], key: key))
        #expect(!HMACSHA256.isCode(made, of: text, key: key + [1]))
    }

    @Test("nothing has a code, too, with no key")
    func empty() {
        // What `openssl dgst -sha256 -hmac ""` prints for nothing.
        #expect(
            Hexadecimal.text(HMACSHA256.code(of: [], key: []))
                == "b613679a0814d9ec772f95d778c35fc5ff1697c493715653c6c712144292c5ad")
    }
}

@Suite struct Base64Tests {
    @Test(
        "the examples of RFC 4648",
        arguments: [
            ("", ""), ("f", "Zg=="), ("fo", "Zm8="), ("foo", "Zm9v"), ("foob", "Zm9vYg=="),
            ("fooba", "Zm9vYmE="), ("foobar", "Zm9vYmFy"),
        ])
    func examples(text: String, encoded: String) {
        #expect(Base64.text(Array(text.utf8)) == encoded)
    }
}
