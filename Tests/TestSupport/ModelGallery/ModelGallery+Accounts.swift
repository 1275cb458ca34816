import Basics

/// One log-in and all tokens that came of it.
struct ModelFamily: Sendable {
    struct Pair: Sendable {
        let access: String
        let refresh: String
        let accessEnds: Timestamp
        let refreshEnds: Timestamp
        var isUsed = false
        var isExpired = false
    }

    let account: String
    /// The newest last.
    var pairs: [Pair]
    /// When the last but one was spent.
    var spentAt: Timestamp?
    var isRevoked = false
}

extension ModelGalleryState {
    // MARK: Calls

    mutating func register(_ body: JSONValue, at now: Timestamp) -> HTTPResponse {
        guard let email = body["email"]?.string, email.contains("@"),
            let password = body["password"]?.string, password.count >= 8,
            let name = body["displayName"]?.string, (1...100).contains(name.count)
        else { return .failure(422, "UNPROCESSABLE", "email, password of 8 or more, displayName") }
        guard accounts[email] == nil else { return .failure(409, "CONFLICT", "that address is taken") }
        let account = Account(id: newID(), email: email, password: password, displayName: name)
        accounts[email] = account
        return entered(account, status: 201, at: now)
    }

    mutating func login(_ body: JSONValue, at now: Timestamp) -> HTTPResponse {
        guard let email = body["email"]?.string, let password = body["password"]?.string,
            let account = accounts[email], account.password == password
        else { return .failure(401, "UNAUTHENTICATED", "the address or the password is wrong") }
        return entered(account, status: 200, at: now)
    }

    private mutating func entered(_ account: Account, status: Int, at now: Timestamp) -> HTTPResponse {
        let pair = newPair(account.id, at: now)
        families.append(ModelFamily(account: account.id, pairs: [pair]))
        return .success(
            [
                "user": Self.json(account), "accessToken": .string(pair.access),
                "refreshToken": .string(pair.refresh),
            ], status: status)
    }

    static func json(_ account: Account) -> JSONValue {
        [
            "id": .string(account.id), "email": .string(account.email),
            "displayName": .string(account.displayName),
        ]
    }

    mutating func refresh(_ body: JSONValue, at now: Timestamp) -> HTTPResponse {
        let no = HTTPResponse.failure(401, "UNAUTHENTICATED", "log in")
        guard let token = body["refreshToken"]?.string,
            let index = families.firstIndex(where: { $0.pairs.contains { $0.refresh == token } }),
            let newest = families[index].pairs.last
        else {
            violations.append("refresh: a token that was never given out")
            return no
        }
        guard !families[index].isRevoked else {
            oddities.append("refresh: a token that was revoked")
            return no
        }
        if newest.refresh == token {
            guard now < newest.refreshEnds else { return no }
            let pair = newPair(families[index].account, at: now)
            families[index].pairs.append(pair)
            families[index].spentAt = now
            return Self.answer(pair)
        }
        let isLastSpent = families[index].pairs.dropLast().last?.refresh == token
        if isLastSpent, !newest.isUsed, let spentAt = families[index].spentAt,
            now - spentAt <= rules.spentLife
        {
            return Self.answer(newest)
        }
        if isLastSpent, !newest.isUsed {
            // Its answer was lost, and the client came back too late: that can happen to any client.
            oddities.append("refresh: a spent token was presented too late; the family is revoked")
        } else {
            violations.append("refresh: a spent token was presented; the family is revoked")
        }
        families[index].isRevoked = true
        return no
    }

    private static func answer(_ pair: ModelFamily.Pair) -> HTTPResponse {
        .success(["accessToken": .string(pair.access), "refreshToken": .string(pair.refresh)])
    }

    mutating func logout(_ body: JSONValue) -> HTTPResponse {
        let token = body["refreshToken"]?.string
        for index in families.indices where families[index].pairs.contains(where: { $0.refresh == token }) {
            families[index].isRevoked = true
        }
        return HTTPResponse(status: 204)
    }

    func consent(_ account: Account) -> HTTPResponse {
        let terms = rules.terms.map { [("terms", JSONValue.string($0))] } ?? []
        return .success(
            .object(
                [
                    ("version", .string(rules.consentVersion)),
                    ("given", .bool(account.hasConsented)),
                ] + terms))
    }

    mutating func giveConsent(_ body: JSONValue, _ account: Account) -> HTTPResponse {
        guard body["version"]?.string == rules.consentVersion else {
            return .failure(409, "CONFLICT", "that version is not the current one")
        }
        accounts[account.email]?.hasConsented = true
        return consent(accounts[account.email] ?? account)
    }

    // MARK: Tokens

    mutating func newPair(_ account: String, at now: Timestamp) -> ModelFamily.Pair {
        let number = newID()
        let ends = now + rules.accessLife
        let claims: JSONValue = [
            "sub": .string(account), "iat": .integer(now.seconds), "exp": .integer(ends.seconds),
            "jti": .string(number),
        ]
        let parts = [#"{"alg":"HS256","typ":"JWT"}"#, claims.compact, "secret-signature-\(number)"]
        return ModelFamily.Pair(
            access: parts.map { Base64.url(Array($0.utf8)) }.joined(separator: "."),
            refresh: "secret-refresh-\(number)", accessEnds: Timestamp(milliseconds: ends.seconds * 1000),
            refreshEnds: now + rules.refreshLife)
    }

    mutating func account(of request: HTTPRequest, at now: Timestamp) -> Account? {
        let value = request.headers.first { $0.name.lowercased() == "authorization" }?.value ?? ""
        guard value.hasPrefix("Bearer ") else {
            violations.append("\(request.method): no token")
            return nil
        }
        let token = String(value.dropFirst("Bearer ".count))
        for family in families.indices {
            guard let index = families[family].pairs.firstIndex(where: { $0.access == token }) else {
                continue
            }
            let pair = families[family].pairs[index]
            if families[family].isRevoked || now >= pair.accessEnds || pair.isExpired { return nil }
            families[family].pairs[index].isUsed = true
            return accounts.values.first { $0.id == families[family].account }
        }
        violations.append("\(request.method): a token that was never given out")
        return nil
    }
}

/// RFC 4648 §4 and §5.
enum Base64 {
    private static let standard = Array(
        "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/".utf8)

    static func text(_ bytes: [UInt8]) -> String {
        var result: [UInt8] = []
        for start in stride(from: 0, to: bytes.count, by: 3) {
            let group = bytes[start..<min(start + 3, bytes.count)]
            let bits = group.reduce(0 as UInt32) { $0 << 8 | UInt32($1) } << UInt32(8 * (3 - group.count))
            for place in 0..<4 {
                let digit = standard[Int(bits >> UInt32(18 - 6 * place) & 63)]
                result.append(place <= group.count ? digit : UInt8(ascii: "="))
            }
        }
        return String(decoding: result, as: UTF8.self)
    }

    static func url(_ bytes: [UInt8]) -> String {
        let replaced = text(bytes).filter { $0 != "=" }.map { $0 == "+" ? "-" : $0 == "/" ? "_" : $0 }
        return String(replaced)
    }
}
