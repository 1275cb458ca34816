import Basics
import Digest
import TestSupport
import Testing

@testable import Gallery

/// Access tokens that were not given by the program that is asked, or not so.
@Suite(.timeLimit(.minutes(Cases.minutesOfHang))) struct BadTokenTests {
    let program: GalleryProgram

    init() throws {
        program = try GalleryProgram.shared.get()
    }

    private static func part(_ text: String) -> String { Base64URL.text(Array(text.utf8)) }

    /// As RFC 7515 has it, of whatever is said.
    private func token(_ header: String, _ claims: String, key: [UInt8]?) -> String {
        let body = "\(Self.part(header)).\(Self.part(claims))"
        guard let key else { return body + "." }
        return "\(body).\(Base64URL.text(HMACSHA256.code(of: Array(body.utf8), key: key)))"
    }

    /// The claims of the token that is good, with what is to be different.
    private func claims(_ changes: (String, String)...) throws -> String {
        let part = try #require(program.token.split(separator: ".").dropFirst().first)
        let text = String(decoding: try #require(Base64URL.bytes(part)), as: UTF8.self)
        return try changes.reduce(text) { text, change in
            try #require(text.contains(change.0), "\(text)")
            return text.replacing(change.0, with: change.1)
        }
    }

    private static let header = #"{"alg":"HS256","typ":"JWT"}"#

    /// Not signed as ours are.
    private func forged() throws -> [(String, String)] {
        let key = program.secret.keys(for: .access).current.bytes
        let parts = program.token.split(separator: ".").map(String.init)
        return [
            ("no algorithm", token(#"{"alg":"none","typ":"JWT"}"#, try claims(), key: nil)),
            ("no algorithm, in other letters", token(#"{"alg":"nOnE","typ":"JWT"}"#, try claims(), key: nil)),
            (
                "no algorithm, and the signature all the same",
                "\(Self.part(#"{"alg":"none"}"#)).\(parts[1]).\(parts[2])"
            ),
            ("no signature", "\(parts[0]).\(parts[1])."), ("two parts", "\(parts[0]).\(parts[1])"),
            ("five parts", "\(parts[0])..\(parts[1])..\(parts[2])"),
            ("another algorithm", token(#"{"alg":"HS512","typ":"JWT"}"#, try claims(), key: key)),
            ("a public key's algorithm", token(#"{"alg":"RS256","typ":"JWT"}"#, try claims(), key: key)),
            (
                "a key of its own",
                token(
                    #"{"alg":"HS256","typ":"JWT","jwk":{"kty":"oct","k":"AAAA"}}"#, try claims(),
                    key: [0, 0, 0])
            ),
            (
                "a key by its path",
                token(#"{"alg":"HS256","typ":"JWT","kid":"/dev/null"}"#, try claims(), key: [])
            ),
            ("another key", token(Self.header, try claims(), key: Array(repeating: 7, count: 32))),
            (
                "the key of other things",
                token(Self.header, try claims(), key: program.secret.keys(for: .refresh).current.bytes)
            ),
            ("an empty key", token(Self.header, try claims(), key: [])),
        ]
    }

    /// Signed as ours are; what they say is not so.
    private func untrue() throws -> [(String, String)] {
        let key = program.secret.keys(for: .access).current.bytes
        let now = try #require(JSON5.parse(try claims())["iat"]?.integer)
        let end = "\"exp\":\(now + AccessToken.life)"
        return [
            (
                "expired",
                token(
                    Self.header,
                    try claims(("\"iat\":\(now)", "\"iat\":\(now - 901)"), (end, "\"exp\":\(now - 1)")),
                    key: key)
            ),
            ("a longer life", token(Self.header, try claims((end, "\"exp\":\(now + 86400)")), key: key)),
            (
                "from tomorrow",
                token(
                    Self.header,
                    try claims(("\"iat\":\(now)", "\"iat\":\(now + 86400)"), (end, "\"exp\":\(now + 87300)")),
                    key: key)
            ),
            (
                "an end that overflows",
                token(
                    Self.header,
                    try claims(
                        (end, "\"exp\":9223372036854775807"),
                        ("\"iat\":\(now)", "\"iat\":-9223372036854775808")), key: key)
            ),
            (
                "an account that does not exist",
                token(
                    Self.header, try claims((program.account, "00000000-0000-4000-8000-000000000000")),
                    key: key)
            ),
            ("another issuer", token(Self.header, try claims(("tetherline-gallery", "elsewhere")), key: key)),
            ("no claims", token(Self.header, "{}", key: key)),
            ("claims that are none", token(Self.header, "[1]", key: key)),
        ]
    }

    /// Bytes that are no account's token.
    private func broken() throws -> [(String, String)] {
        let parts = program.token.split(separator: ".").map(String.init)
        return [
            (
                "other people's claims",
                "\(parts[0]).\(Self.part(try claims((program.account, "x")))).\(parts[2])"
            ),
            ("a signature that is cut", String(program.token.dropLast())),
            ("a signature with more", program.token + "A"),
            ("padding", program.token + "="), ("a long one", String(repeating: "a", count: 9000)),
            ("a long one with dots", String(repeating: "a.", count: 4000)), ("nothing", ""),
            ("two of them", "\(program.token) \(program.token)"),
        ]
    }

    @Test("a token that this gallery did not issue is refused")
    func tokens() throws {
        for (name, text) in try forged() + untrue() + broken() {
            let answer = try Wire(program.port).ask("GET", "/me", token: text)
            #expect(answer.status == 401 && answer.code == "UNAUTHENTICATED", "\(name): \(answer.head)")
            #expect(answer.head.lowercased().contains("www-authenticate: bearer"), "\(name)")
        }
        // The same hand makes one that is good: what was wrong with the others was what they say.
        let good = token(Self.header, try claims(), key: program.secret.keys(for: .access).current.bytes)
        #expect(good == program.token)
        #expect(try Wire(program.port).ask("GET", "/me", token: good).status == 200)
        try program.expectWell()
    }

    @Test(
        "other ways of saying who one is are none",
        arguments: [
            "Basic aG9zdEBleGFtcGxlLm9yZzpjb3JyZWN0IGhvcnNl", "Bearer", "bearer:", "Token x", "", "\t",
            "Bearer \u{e9}",
        ])
    func schemes(value: String) throws {
        let answer = try Wire(program.port).ask("GET", "/me", headers: [("Authorization", value)])
        #expect([400, 401].contains(answer.status), "\(answer.head)")
        try program.expectWell()
    }

    @Test("guesses at a PIN and at a password end, and say for how long")
    func floods() throws {
        // A program of its own: whom it has heard guess so often it keeps waiting.
        let program = try GalleryProgram()
        func pin(_ pin: String) throws -> Wire.Answer {
            try Wire(program.port).ask("POST", "/e/\(program.slug)/access", body: #"{"pin":"\#(pin)"}"#)
        }
        let looked = try guesses(403) { try pin("9\(10_000 + $0)") }
        #expect(looked.contains(60))
        // The right one is as little taken now as any other.
        #expect(try pin(GalleryProgram.pin).status == 429)
        let tried = try guesses(401) { number in
            try Wire(program.port).ask(
                "POST", "/auth/login", body: #"{"email":"victim@example.org","password":"guess \#(number)"}"#)
        }
        #expect(tried.contains(60))
        try program.expectWell()
    }

    /// How many were looked at before the first that was not, from how many to how many there may be in the time that it took:
    /// one comes back in ten seconds. The next comes in a while, so that what is asked at once is not looked at.
    private func guesses(_ wrong: Int, _ guess: (Int) throws -> Wire.Answer) throws -> ClosedRange<Int> {
        let began = ContinuousClock.now
        var (number, looked) = (0, 0)
        while looked < 1000 {
            let answer = try guess(number)
            number += 1
            if answer.status == wrong {
                looked += 1
                continue
            }
            #expect(answer.status == 429 && answer.code == "RATE_LIMITED", "\(answer.head)")
            let wait = try #require(answer.head.firstMatch(of: /Retry-After: ([0-9]+)/)?.1)
            // Just before one comes back it is used up first.
            if try #require(Int(wait)) < 3 { continue }
            let back = Int((ContinuousClock.now - began) / .seconds(10)) + 1
            return (looked - back)...looked
        }
        throw Surprise("1000 guesses were looked at")
    }
}
