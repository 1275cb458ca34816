import Digest
import Testing

@Suite struct SHA256Tests {
    @Test("the examples of FIPS 180-4")
    func examples() {
        let table: [(String, String)] = [
            ("", "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"),
            ("abc", "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"),
            (
                "abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq",
                "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1"
            ),
        ]
        for (text, digest) in table { #expect(SHA256.of(Array(text.utf8)).description == digest) }
    }

    @Test("a million letters, in pieces of every size")
    func pieces() {
        let hash = SHA256()
        var left = 1_000_000
        var size = 1
        while left > 0 {
            hash.update([UInt8](repeating: UInt8(ascii: "a"), count: min(size, left)))
            left -= min(size, left)
            size = size % 9973 * 2 + 1
        }
        #expect(
            hash.finish().description == "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0")
    }
}
