import Basics
package import HTTPServer

/// One's own account.
extension Accounts {
    /// GET /me
    package func me(_ request: Request) async throws -> Response {
        let account = try await authenticate(request)
        return .data(
            .object(
                account.user + [
                    ("credits", .optional(account.credits) { .integer(Int64($0)) }),
                    ("hasConsented", .bool(hasConsented(account))),
                    (
                        "createdAt",
                        .string(CivilTime.rfc3339(milliseconds: account.createdAt.milliseconds))
                    ),
                ]))
    }

    /// DELETE /me
    package func deleteMe(_ request: Request) async throws -> Response {
        let account = try await authenticate(request)
        try await store { try $0.deleteAccount(account.id) }
        return Response(status: 204)
    }

    /// GET /consent
    package func consent(_ request: Request) async throws -> Response {
        consentState(try await authenticate(request))
    }

    /// POST /consent
    package func giveConsent(_ request: Request) async throws -> Response {
        let account = try await authenticate(request)
        let current = settings.consentVersion
        let rule = FieldRule<Int>.integer(1...1_000_000).and("must be the current version, \(current)") {
            $0 == current
        }
        let version = try JSONFields.read(request) { $0.required("version", rule) }
        try await store { try $0.giveConsent(account.id, version: version) }
        return consentState(version: version)
    }

    /// Whether photos may be taken from it.
    package func hasConsented(_ account: Account) -> Bool {
        account.consentVersion == settings.consentVersion
    }

    private func consentState(_ account: Account) -> Response {
        consentState(version: account.consentVersion)
    }

    private func consentState(version: Int?) -> Response {
        let terms = settings.terms.map { [("terms", JSONValue.string($0.text))] } ?? []
        return .data(
            .object(
                [
                    ("version", .integer(Int64(settings.consentVersion))),
                    ("given", .bool(version == settings.consentVersion)),
                ] + terms))
    }

    // MARK: For the operator

    /// `gallery user add`. With no word of credits it begins as every account does.
    package func addUser(
        email: String, name: String, password: String, credits: Credits? = nil
    ) async throws -> Account {
        let wish: JSONValue = [
            "email": .string(email), "password": .string(password), "displayName": .string(name),
        ]
        let checked = try JSONFields.read(wish) { fields in
            (
                email: fields.required("email", AccountRules.email),
                password: fields.required("password", AccountRules.password),
                name: fields.required("displayName", AccountRules.displayName)
            )
        }
        let hash = try await hasher.make(checked.password)
        let credits = (credits ?? settings.initialCredits).count
        guard
            let account = try await store({
                try $0.addAccount(
                    email: checked.email, name: checked.name, hash: hash, credits: credits)
            })
        else { throw APIError(.conflict, "there is an account with the address \(checked.email) already") }
        spendFirstCode()
        return account
    }

    /// The oldest first.
    package func users() async throws -> [Account] { try await store { try $0.accounts() } }

    /// `gallery credits grant`: by address or id. Nothing makes the account unlimited.
    package func grantCredits(to account: String, _ count: Int?) async throws -> Account {
        if let count, !Self.grants.contains(count) {
            throw APIError(
                .unprocessable,
                "credits are granted from \(Self.grants.lowerBound) to \(Self.grants.upperBound) at once")
        }
        guard let granted = try await store({ try $0.grantCredits(to: account.lowercased(), count) }) else {
            throw APIError.notFound("account: \(account)")
        }
        return granted
    }

    private static let grants = 1...1_000_000
}
