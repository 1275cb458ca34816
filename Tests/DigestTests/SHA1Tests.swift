import Digest
import Testing

@Suite struct SHA1Tests {
    @Test("the examples of RFC 3174, whole and byte by byte")
    func examples() {
        let long = "abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq"
        let table: [(String, String)] = [
            ("", "da39a3ee5e6b4b0d3255bfef95601890afd80709"),
            ("abc", "a9993e364706816aba3e25717850c26c9cd0d89d"),
            (long, "84983e441c3bd26ebaae4aa1f95129e5e54670f1"),
        ]
        for (text, digest) in table {
            let (whole, pieces) = (SHA1(), SHA1())
            Array(text.utf8).withUnsafeBytes { whole.update($0) }
            for byte in text.utf8 { [byte].withUnsafeBytes { pieces.update($0) } }
            #expect(Hexadecimal.text(whole.finish()) == digest)
            #expect(Hexadecimal.text(pieces.finish()) == digest)
        }
    }
}
