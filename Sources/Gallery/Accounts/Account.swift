package import Basics

/// A user who may upload.
package struct Account: Equatable, Sendable {
    package let id: String
    /// In lower case.
    package let email: String
    package let displayName: String
    /// How many photos are still paid for; nothing for as many as one likes.
    package let credits: Int?
    /// Which version of the terms was agreed to, where one was.
    package let consentVersion: Int?
    package let createdAt: Timestamp

    /// What a log-in shows of it.
    var user: [(key: String, value: JSONValue)] {
        [("id", .string(id)), ("email", .string(email)), ("displayName", .string(displayName))]
    }
}

/// How many photos are paid for.
package struct Credits: Equatable, Sendable {
    /// Nothing for as many as one likes.
    package let count: Int?

    package static let unlimited = Credits(count: nil)
    private static let most = 1_000_000

    private init(count: Int?) {
        self.count = count
    }

    /// As operators write it: a number, or "unlimited".
    package init?(_ text: String) {
        if text == "unlimited" {
            self = .unlimited
        } else {
            guard let count = Int(text), (0...Self.most).contains(count) else { return nil }
            self.init(count: count)
        }
    }

    package static let rule = "a number from 0 to \(most), or 'unlimited'"
}

/// What the accounts of a server keep to.
package struct AccountSettings: Sendable {
    package var registration = Registration.closed
    /// Whether the first account may be made from this machine without a code: not where a proxy is in front that does
    /// not tell for whom it asks.
    package var trustsThisMachine = true
    /// What an account begins with.
    package var initialCredits = Credits.unlimited
    /// The terms that each user has to agree to before the gallery takes his photos.
    package var consentVersion = 1
    /// What they say, for those who are asked; nothing where the host tells it by other ways.
    package var terms: Terms?
    /// Hosts come by https only.
    package var isSecure = false
    package var registersPerAddress = WindowRule(20, in: .seconds(3600))
    package var registersPerAccount = WindowRule(5, in: .seconds(3600))
    package var mostKeys = 10_000

    /// How the gallery is reached, for links that are handed over; never what a request says of it.
    package var publicURL: String?
    /// By which links for new passwords are mailed, where there is one.
    package var mail: MailDoor?

    package init() {}
}

/// The rules of an account's fields.
enum AccountRules {
    static let displayName = FieldRule<String>.text(1...100)
    static let longestPassword = 1024

    static let password = FieldRule<String>.text(8...longestPassword, .secret)
        .and("must have at most \(longestPassword) bytes") { $0.utf8.count <= longestPassword }

    /// In lower case. Whether it can be delivered to is not looked at: it is a name to log in with.
    static let email = FieldRule<String>.text(3...254)
        .and("must be an address such as name@example.org", isAddress)
        .map { $0.lowercased() }
        .and("must have at most 254 characters") { $0.unicodeScalars.count <= 254 }

    private static func isAddress(_ text: String) -> Bool {
        // By scalars: with a mark that combines behind it, "@" is part of another character.
        let parts = text.unicodeScalars.split(separator: "@", omittingEmptySubsequences: false)
        return parts.count == 2 && parts.allSatisfy { !$0.isEmpty }
            && !text.unicodeScalars.contains { $0.properties.isWhitespace }
    }
}
