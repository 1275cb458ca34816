import Basics
import Digest
import HTTPServer
import TestSupport
import Testing

@testable import Gallery

@Suite struct AccessTokenTests {
    static let key = Array("a key of the tests' own, 32 bytes".utf8)
    static let keys = SigningKeys(key)
    static let now = Timestamp(milliseconds: 1_795_000_000_000)
    static let token = AccessToken(
        account: "3f2504e0-4f89-41d3-9a0c-0305e82c3301", family: "family", number: 3,
        issuedAt: now.seconds)

    private func isTaken(_ text: String, at now: Timestamp = now) -> Bool {
        AccessToken(text, keys: Self.keys, now: now) != nil
    }

    /// Signs as another program would: with whatever header and claims.
    private func forged(
        header: String = #"{"alg":"HS256","typ":"JWT"}"#, claims: String, key: [UInt8] = key
    ) -> String {
        let body = Base64URL.text(Array(header.utf8)) + "." + Base64URL.text(Array(claims.utf8))
        return body + "." + Base64URL.text(HMACSHA256.code(of: Array(body.utf8), key: key))
    }

    private func claims(
        issuer: String = "tetherline-gallery", issued: Int64 = now.seconds, life: Int64 = 900
    ) -> String {
        """
        {"iss":"\(issuer)","sub":"a","fam":"f","seq":1,"iat":\(issued),"exp":\(issued + life)}
        """
    }

    @Test("Python's own HMAC finds the signature right, and its claims say who, when and for how long")
    func judgedByPython() throws {
        let python = try #require(Tool("python3"), "python3 judges the tokens")
        let script = """
            import base64, hashlib, hmac, json, sys
            token, key = sys.argv[1], bytes.fromhex(sys.argv[2])
            head, claims, code = token.split(".")
            def bytes_of(part): return base64.urlsafe_b64decode(part + "=" * (-len(part) % 4))
            right = hmac.new(key, f"{head}.{claims}".encode(), hashlib.sha256).digest()
            assert hmac.compare_digest(bytes_of(code), right)
            assert json.loads(bytes_of(head)) == {"alg": "HS256", "typ": "JWT"}
            c = json.loads(bytes_of(claims))
            print(c["iss"], c["sub"], c["fam"], c["seq"], c["iat"], c["exp"])
            """
        let result = try python.run([
            "-c", script, Self.token.signed(with: Self.keys.current), Hexadecimal.text(Self.key),
        ])
        #expect(result.code == 0, "\(result.errors)")
        #expect(
            result.lines == [
                "tetherline-gallery 3f2504e0-4f89-41d3-9a0c-0305e82c3301 family 3 1795000000 1795000900"
            ])
    }

    @Test("what Python signs with our key is taken, and means what it says")
    func signedByPython() throws {
        let python = try #require(Tool("python3"), "python3 signs the token")
        let script = """
            import base64, hashlib, hmac, json, sys
            def part(b): return base64.urlsafe_b64encode(b).rstrip(b"=").decode()
            def text(v): return json.dumps(v, separators=(",", ":")).encode()
            claims = {"exp": 1795000900, "iat": 1795000000, "seq": 7, "fam": "f", "sub": "a", "iss": "tetherline-gallery"}
            body = part(text({"alg": "HS256", "typ": "JWT"})) + "." + part(text(claims))
            print(body + "." + part(hmac.new(bytes.fromhex(sys.argv[1]), body.encode(), hashlib.sha256).digest()))
            """
        let text = try #require(
            try python.run(["-c", script, Hexadecimal.text(Self.key)]).lines.first)
        let token = AccessToken(text, keys: Self.keys, now: Self.now)
        #expect(token == AccessToken(account: "a", family: "f", number: 7, issuedAt: 1_795_000_000))
    }

    @Test("it is good from a minute before it was made until a quarter of an hour after")
    func times() {
        let text = Self.token.signed(with: Self.keys.current)
        #expect(AccessToken(text, keys: Self.keys, now: Self.now) == Self.token)
        for (seconds, isGood) in [(-601, false), (-600, true), (0, true), (899, true), (900, false)] {
            #expect(isTaken(text, at: Self.now + .seconds(seconds)) == isGood, "\(seconds)")
        }
    }

    @Test(
        "another algorithm is refused, however well it is signed",
        arguments: [
            #"{"alg":"none","typ":"JWT"}"#, #"{"alg":"None","typ":"JWT"}"#, #"{"alg":"HS512","typ":"JWT"}"#,
            #"{"alg":"RS256","typ":"JWT"}"#, #"{"typ":"JWT"}"#, #"{"alg":"HS256"}"#,
            #"{"alg":"HS256","typ":"JWS"}"#, #"{"alg":"HS256","typ":"JWT","crit":["exp"]}"#,
            #"{"alg":"HS256","typ":"JWT","kid":"../../etc/passwd"}"#, "{}", "", "null",
        ])
    func algorithms(header: String) {
        #expect(isTaken(forged(claims: claims())))
        #expect(!isTaken(forged(header: header, claims: claims())))
        let unsigned = Base64URL.text(Array(header.utf8)) + "." + Base64URL.text(Array(claims().utf8)) + "."
        #expect(!isTaken(unsigned))
    }

    @Test("another key, another issuer, a longer life and missing or wrong claims are refused")
    func claimsOfOthers() {
        let other = Array("another key, which is not ours..".utf8)
        #expect(!isTaken(forged(claims: claims(), key: other)))
        #expect(!isTaken(forged(claims: claims(), key: [])))
        #expect(!isTaken(forged(claims: claims(issuer: "somebody"))))
        #expect(!isTaken(forged(claims: claims(life: 901))))
        #expect(!isTaken(forged(claims: claims(issued: Self.now.seconds - 900))))
        #expect(!isTaken(forged(claims: claims(issued: Self.now.seconds + 601))))
        for missing in ["iss", "sub", "fam", "seq", "iat", "exp"] {
            #expect(
                !isTaken(forged(claims: claims().replacing("\"\(missing)\"", with: "\"x\""))), "\(missing)")
        }
        for wrong in ["", "[]", "{", "null", "{\"exp\":{\"a\":[]}}", "\u{0}"] {
            #expect(!isTaken(forged(claims: wrong)), "\(wrong)")
        }
    }

    @Test("no single character of a token can be changed, left out or doubled")
    func everyCharacter() {
        let text = Array(Self.token.signed(with: Self.keys.current).utf8)
        for index in text.indices {
            for flip in [UInt8(1), 2, 4, 16, 32] {
                var changed = text
                changed[index] ^= flip
                #expect(!isTaken(String(decoding: changed, as: UTF8.self)), "\(index) \(flip)")
            }
            var shorter = text
            shorter.remove(at: index)
            #expect(!isTaken(String(decoding: shorter, as: UTF8.self)))
            var longer = text
            longer.insert(text[index], at: index)
            #expect(!isTaken(String(decoding: longer, as: UTF8.self)))
        }
        for garbage in ["", ".", "..", "...", "a.b.c", String(repeating: "a", count: 5000)] {
            #expect(!isTaken(garbage))
        }
    }

    @Test("base64url is written as RFC 4648 has it, and read only as it is written")
    func base64() {
        // RFC 4648 §10, without the padding; the last two show the other alphabet.
        let known: [(String, [UInt8])] = [
            ("", []), ("Zg", Array("f".utf8)), ("Zm8", Array("fo".utf8)), ("Zm9v", Array("foo".utf8)),
            ("Zm9vYg", Array("foob".utf8)), ("Zm9vYmFy", Array("foobar".utf8)), ("-_8", [0xFB, 0xFF]),
        ]
        for (text, bytes) in known {
            #expect(Base64URL.text(bytes) == text)
            #expect(Base64URL.bytes(text) == bytes)
        }
        for wrong in ["Z", "Zg==", "Zh", "Zm9", "Zm9vY", "+/8", "Zm 9v", "Zmäv"] {
            #expect(Base64URL.bytes(wrong) == nil, "\(wrong)")
        }
    }
}
