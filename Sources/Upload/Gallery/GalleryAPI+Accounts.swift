import Basics

/// What lets us in. It is shown nowhere: its text says only that there is one.
package struct GalleryTokens: Equatable, Sendable, CustomStringConvertible, CustomReflectable {
    package let access: String
    package let refresh: String

    package init(access: String, refresh: String) {
        self.access = access
        self.refresh = refresh
    }

    package var description: String { "tokens" }
    package var customMirror: Mirror { Mirror(self, children: [:]) }
}

package struct GalleryUser: Equatable, Sendable {
    package let id: String
    package let email: String
    package let displayName: String?

    package init(id: String, email: String, displayName: String?) {
        self.id = id
        self.email = email
        self.displayName = displayName
    }

    init(_ fields: GalleryResponseFields) throws(GalleryResponseFields.Mismatch) {
        id = try fields.id("id")
        email = try fields.text("email")
        displayName = try fields.optionalText("displayName")
    }
}

package struct GalleryLogin: Equatable, Sendable {
    package let user: GalleryUser
    package let tokens: GalleryTokens
}

package struct GalleryConsent: Equatable, Sendable {
    /// A text or a number, given back as it came.
    let version: JSONValue
    package let isGiven: Bool
    /// What is agreed to, as the gallery tells it; nothing where it does not.
    package var terms: String?

    /// A page or two.
    static let longestTerms = 64 << 10
    private static let longestLine = 2000

    /// The terms, fit to be shown.
    package var termLines: [String] {
        let lines = (terms ?? "").split(omittingEmptySubsequences: false, whereSeparator: \.isNewline)
        let end = lines.lastIndex { $0.contains { !$0.isWhitespace } } ?? lines.startIndex
        return lines[...end].map { UntrustedText.clean(String($0), most: Self.longestLine) }
    }

    package var versionText: String {
        UntrustedText.clean(version.string ?? version.compact, most: 100)
    }
}

extension GalleryAPI {
    package func register(
        email: String, password: String, displayName: String, invite: String? = nil
    ) async throws(GalleryError) -> GalleryLogin {
        let invitation = invite.map { [("invite", JSONValue.string($0))] } ?? []
        return try await login(
            "auth/register",
            .object(
                [
                    ("email", .string(email)), ("password", .string(password)),
                    ("displayName", .string(displayName)),
                ] + invitation), hiding: password)
    }

    package func login(email: String, password: String) async throws(GalleryError) -> GalleryLogin {
        try await login(
            "auth/login", ["email": .string(email), "password": .string(password)], hiding: password)
    }

    private func login(
        _ path: String, _ body: JSONValue, hiding password: String
    ) async throws(GalleryError) -> GalleryLogin {
        let answer = try await call("POST", path, body: body, hiding: [password])
        return try reading("the log-in") { () throws(GalleryResponseFields.Mismatch) in
            let fields = try GalleryResponseFields(answer.data)
            return GalleryLogin(
                user: try GalleryUser(try fields.fields("user")), tokens: try Self.tokens(fields))
        }
    }

    /// A new pair for an old one, which is spent then.
    func refresh(_ token: String) async throws(GalleryError) -> GalleryTokens {
        let answer = try await call(
            "POST", "auth/refresh", body: ["refreshToken": .string(token)], hiding: [token])
        return try reading("the refresh") { () throws(GalleryResponseFields.Mismatch) in
            try Self.tokens(try GalleryResponseFields(answer.data))
        }
    }

    private static func tokens(_ fields: GalleryResponseFields) throws(GalleryResponseFields.Mismatch)
        -> GalleryTokens
    {
        GalleryTokens(
            access: try fields.secret("accessToken"), refresh: try fields.secret("refreshToken"))
    }

    package func logout(_ token: String) async throws(GalleryError) {
        _ = try await call(
            "POST", "auth/logout", body: ["refreshToken": .string(token)], hiding: [token])
    }

    package func me(_ token: String) async throws(GalleryError) -> GalleryUser {
        let answer = try await call("GET", "me", token: token)
        return try reading("who we are") { () throws(GalleryResponseFields.Mismatch) in
            let fields = try GalleryResponseFields(answer.data)
            // The account itself, or inside as at log-in.
            return try GalleryUser(fields.has("user") ? try fields.fields("user") : fields)
        }
    }

    package func consent(_ token: String) async throws(GalleryError) -> GalleryConsent {
        try consent(from: try await call("GET", "consent", token: token))
    }

    package func giveConsent(
        _ consent: GalleryConsent, _ token: String
    ) async throws(GalleryError) -> GalleryConsent {
        let answer = try await call("POST", "consent", token: token, body: ["version": consent.version])
        // An answer without a body says no less than that it was given.
        if answer.data == nil {
            return GalleryConsent(version: consent.version, isGiven: true, terms: consent.terms)
        }
        return try self.consent(from: answer)
    }

    private func consent(from answer: GalleryAnswer) throws(GalleryError) -> GalleryConsent {
        try reading("the consent") { () throws(GalleryResponseFields.Mismatch) in
            let fields = try GalleryResponseFields(answer.data)
            guard let version = fields.value("version"), version.string != nil || version.integer != nil,
                version.compact.utf8.count <= 200
            else { throw GalleryResponseFields.Mismatch(description: "'version' is missing") }
            let terms = try fields.optionalText("terms", most: GalleryConsent.longestTerms)
            return GalleryConsent(
                version: version, isGiven: try fields.flag("given"),
                terms: terms?.contains { !$0.isWhitespace } == true ? terms : nil)
        }
    }
}
