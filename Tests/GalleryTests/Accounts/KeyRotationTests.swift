import Basics
import Digest
import HTTPServer
import TestSupport
import Testing

@testable import Gallery

/// Another key signs: no user is logged out by that, and each whose key is retired is.
@Suite struct KeyRotationTests {
    @Test("what was signed before stays good at every program, and what is signed afterwards names its key")
    func rotation() async throws {
        let ground = try await KeyGround()
        try await ground.register()
        let old = try await ground.signed()
        #expect(old.texts.allSatisfy { !$0.contains("~") })
        try await ground.rotate()
        let new = try await ground.signed()
        #expect(new.texts.allSatisfy { $0.contains("2~") }, "\(new.texts)")
        for place in 0..<2 {
            #expect(try await ground.taken(old, by: place) == KeyGround.all)
            #expect(try await ground.taken(new, by: place) == KeyGround.all)
        }
        // Three at once.
        try await ground.rotate()
        let newest = try await ground.signed()
        #expect(newest.texts.allSatisfy { $0.contains("3~") })
        for signed in [old, new, newest] {
            #expect(try await ground.taken(signed, by: 1) == KeyGround.all)
        }
    }

    @Test("with a key that is retired all that it has signed ends, and nothing else")
    func retirement() async throws {
        let ground = try await KeyGround()
        try await ground.register()
        let old = try await ground.signed()
        try await ground.rotate()
        let new = try await ground.signed()
        try await ground.rings[0].retire(1)
        #expect(try await ground.taken(old, by: 0) == KeyGround.none)
        #expect(try await ground.taken(new, by: 0) == KeyGround.all)
        // The other program has not read it yet.
        #expect(try await ground.taken(old, by: 1) == KeyGround.all)
        try await ground.read()
        #expect(try await ground.taken(old, by: 1) == KeyGround.none)
        let refresh = try await AccountGround.refusal {
            try await ground.accounts[1].refresh(
                AccountGround.post(["refreshToken": .string(old.pair.refresh)]))
        }
        #expect(refresh?.code == .unauthenticated)
        let newest = try await AccountGround.refusal { try await ground.rings[0].retire(2) }
        #expect(newest?.code == .conflict)
    }

    @Test("a log-in goes over to the new key when it is renewed, also where the answer was lost in between")
    func refresh() async throws {
        let ground = try await KeyGround()
        try await ground.register()
        func refresh(_ token: String, _ place: Int) async throws -> AccountGround.Pair {
            try AccountGround.pair(
                try await ground.accounts[place].refresh(
                    AccountGround.post(["refreshToken": .string(token)])))
        }
        let first = try await ground.signed().pair
        let second = try await refresh(first.refresh, 0)
        try await ground.rotate()
        // The answer was lost: asked once more it is the same, to the byte.
        #expect(try await refresh(first.refresh, 1) == second)
        let third = try await refresh(second.refresh, 1)
        #expect(!second.refresh.contains("~") && third.refresh.contains("2~"))
        #expect(try await refresh(second.refresh, 0) == third)
        try await ground.rings[0].retire(1)
        try await ground.read()
        let fourth = try await refresh(third.refresh, 0)
        _ = try await ground.accounts[1].authenticate(AccountGround.get(fourth.access))
        // A thief who comes late with an older one ends the log-in, whatever key that was of.
        let late = try await AccountGround.refusal { _ = try await refresh(third.refresh, 0) }
        #expect(late?.code == .unauthenticated)
        let ended = try await AccountGround.refusal { _ = try await refresh(fourth.refresh, 1) }
        #expect(ended?.code == .unauthenticated)
    }

    @Test("a new key signs nothing before every program had the time to read it")
    func introduction() async throws {
        let ground = try await KeyGround()
        try await ground.register()
        #expect(try await ground.rings[0].rotate() == 2)
        #expect(ground.rings[0].secret.keys.map(\.number) == [2, 1])
        #expect(try await ground.signed().texts.allSatisfy { !$0.contains("~") })
        ground.kept.introduce()
        try await ground.rings[0].read()
        #expect(try await ground.signed().texts.allSatisfy { $0.contains("2~") })
    }

    @Test(
        "where a key is retired at once, the other signs at once, and a program that has not heard of it looks"
    )
    func leaked() async throws {
        let ground = try await KeyGround()
        try await ground.register()
        _ = try await ground.rings[0].rotate()
        try await ground.rings[0].retire(1)
        let new = try await ground.signed()
        #expect(new.texts.allSatisfy { $0.contains("2~") })
        let other = ground.accounts[1]
        _ = try await other.authenticate(AccountGround.get(new.pair.access))
        #expect(ground.rings[1].secret.keys.map(\.number) == [2])
        #expect(try await ground.taken(new, by: 1) == KeyGround.all)
    }

    @Test("keys that never were are looked for once a second, whoever names them")
    func unknownKeys() async throws {
        let ground = try await KeyGround()
        try await ground.register()
        let pair = try await ground.signed().pair
        let code = try #require(pair.refresh.split(separator: ".").last)
        let before = ground.kept.reads
        for number in 2..<50 {
            let forged = pair.refresh.replacing(code, with: "\(number)~\(code)")
            let error = try await AccountGround.refusal {
                try await ground.accounts[0].refresh(AccountGround.post(["refreshToken": .string(forged)]))
            }
            #expect(error?.code == .unauthenticated)
        }
        #expect(ground.kept.reads == before + 1)
        ground.ground.wall.go(.seconds(1))
        let forged = pair.refresh.replacing(code, with: "7~\(code)")
        _ = try await AccountGround.refusal {
            try await ground.accounts[0].refresh(AccountGround.post(["refreshToken": .string(forged)]))
        }
        #expect(ground.kept.reads == before + 2)
        // It ended nothing.
        _ = try await ground.accounts[0].authenticate(AccountGround.get(pair.access))
    }

    @Test("a signature under another key's number is none, nor is a number that is written otherwise")
    func forged() throws {
        let (first, second) = (SigningKey(Array(0..<32)), SigningKey(number: 2, Array(1..<33)))
        let keys = SigningKeys(second, and: [first])
        let claim = Array("claim".utf8)
        for form in [SigningKeys.Form.base64URL, .hexadecimal] {
            for key in [first, second] {
                #expect(keys.signer(of: key.signature(of: claim, as: form), over: claim, as: form) == key)
                #expect(keys.signer(of: key.signature(of: [1], as: form), over: claim, as: form) == nil)
            }
            let old = first.signature(of: claim, as: form)
            let code = second.signature(of: claim, as: form).dropFirst(2)
            for forged in [
                "2~\(old)", "1~\(old)", "~\(old)", "0~\(old)", String(code), "3~\(code)", "02~\(code)",
                "+2~\(code)", " 2~\(code)", "2 ~\(code)", "2~2~\(code)", "2~\(code)~", "-2~\(code)",
                "99999999999999999999~\(code)", "2~", "~", "",
            ] {
                #expect(keys.signer(of: forged, over: claim, as: form) == nil, "\(forged)")
            }
        }
    }

    @Test("an access token names its key in its header, as Python reads it, and no other is believed")
    func header() throws {
        let keys = SigningKeys(
            SigningKey(number: 2, AccessTokenTests.key.reversed()), and: [SigningKey(AccessTokenTests.key)])
        let now = AccessTokenTests.now
        let text = AccessTokenTests.token.signed(with: keys.current)
        #expect(AccessToken(text, keys: keys, now: now) == AccessTokenTests.token)
        #expect(AccessToken(text, keys: AccessTokenTests.keys, now: now) == nil)
        #expect(AccessToken.keyNumber(in: text) == 2)
        let python = try #require(Tool("python3"), "python3 reads the header")
        let script = """
            import base64, sys
            part = sys.argv[1].split(".")[0]
            print(base64.urlsafe_b64decode(part + "=" * (-len(part) % 4)).decode())
            """
        let read = try python.run(["-c", script, text])
        #expect(read.lines == [#"{"alg":"HS256","typ":"JWT","kid":"2"}"#], "\(read.errors)")
        let parts = text.split(separator: ".")
        for (header, bytes) in [
            (#"{"alg":"HS256","typ":"JWT","kid":"2"}"#, AccessTokenTests.key),
            (#"{"alg":"HS256","typ":"JWT"}"#, keys.current.bytes),
            (#"{"alg":"HS256","typ":"JWT","kid":"1"}"#, AccessTokenTests.key),
            (#"{"alg":"HS256","typ":"JWT","kid":"02"}"#, keys.current.bytes),
            (#"{"alg":"HS256","typ":"JWT","kid":2}"#, keys.current.bytes),
            (#"{"alg":"HS256","typ":"JWT","kid":"3"}"#, keys.current.bytes),
            (#"{"typ":"JWT","alg":"HS256","kid":"2"}"#, keys.current.bytes),
        ] {
            let body = "\(Base64URL.text(Array(header.utf8))).\(parts[1])"
            let forged = "\(body).\(Base64URL.text(HMACSHA256.code(of: Array(body.utf8), key: bytes)))"
            #expect(AccessToken(forged, keys: keys, now: now) == nil, "\(header)")
        }
    }

    @Test("a place that was given before a rotation still takes its photo")
    func places() async throws {
        let folder = try TemporaryFolder()
        let calendar = StandingCalendar()
        let kept = KeptKeys()
        let ring = try await KeyRing(at: kept, time: ManualClock())
        let signature = PlaceSignature(ring)
        let claim = PlaceClaim(
            key: FolderRig.key, contentType: "image/jpeg", length: 3, sha256: nil,
            expiresAt: calendar.wallNow + .seconds(300))
        func isTaken(_ query: String) throws -> Bool {
            let items = try query.split(separator: "&").map { item in
                let sides = item.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
                return HTTPHeader(String(sides[0]), try PercentEncoding.decoded(sides[1]))
            }
            do throws(APIError) {
                return try signature.claim(
                    of: Request(
                        method: "PUT", path: "/", parameters: ["key": claim.key], query: Query(items))
                ) == claim
            } catch {
                return false
            }
        }
        let old = signature.query(for: claim)
        _ = try await ring.rotate()
        kept.introduce()
        try await ring.read()
        let new = signature.query(for: claim)
        #expect(new.contains("signature=2~") && !old.contains("~"))
        #expect(try isTaken(old) && isTaken(new))
        try await ring.retire(1)
        #expect(try !isTaken(old) && isTaken(new))
        _ = folder
    }
}
