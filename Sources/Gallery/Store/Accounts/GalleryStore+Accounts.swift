import Basics
import Database

/// Who may do what.
extension GalleryStore {
    struct Credentials: Equatable, Sendable {
        let account: Account
        let hash: String
    }

    func credentials(email: String) throws -> Credentials? {
        try database.first(
            "SELECT \(Account.columns), password_hash FROM accounts WHERE email = ?", email
        ) { row in Credentials(account: try Account(row), hash: try row["password_hash"]) }
    }

    func passwordHash(of account: String) throws -> String? {
        try database.first("SELECT password_hash FROM accounts WHERE id = ?", account) {
            try $0["password_hash"]
        }
    }

    package func account(_ id: String) throws -> Account? {
        try database.first("SELECT \(Account.columns) FROM accounts WHERE id = ?", id) { try Account($0) }
    }

    /// The oldest first.
    package func accounts() throws -> [Account] {
        try database.all("SELECT \(Account.columns) FROM accounts ORDER BY created_at, id") {
            try Account($0)
        }
    }

    /// A new account; nothing when another account has that address already. Part of a transaction.
    private func insertAccount(
        email: String, name: String, hash: String, credits: Int?, at now: Timestamp
    ) throws -> Account? {
        guard try credentials(email: email) == nil else { return nil }
        let id = newID()
        try database.run(
            """
            INSERT INTO accounts (id, email, display_name, password_hash, credits, created_at)
            VALUES (?, ?, ?, ?, ?, ?)
            """, id, email, name, hash, credits, now.milliseconds)
        return try account(id)
    }

    func addAccount(email: String, name: String, hash: String, credits: Int? = nil) throws -> Account? {
        try write {
            try insertAccount(email: email, name: name, hash: hash, credits: credits, at: wall.wallNow)
        }
    }

    enum Registered: Equatable, Sendable {
        case made(Account, TokenPair)
        /// Another account has that address already.
        case taken
        /// The claim is not good any more.
        case refused
    }

    /// A new account that is logged in at once.
    func register(
        email: String, name: String, hash: String, credits: Int?, with claim: RegistrationClaim,
        key: SigningKey
    ) throws -> Registered {
        let now = wall.wallNow
        return try write {
            try lock(invitation: claim.invitation)
            guard try admits(claim) else { return .refused }
            guard try credentials(email: email) == nil else { return .taken }
            // Before there is an account: afterwards none is the first.
            try spend(claim)
            guard
                let account = try insertAccount(
                    email: email, name: name, hash: hash, credits: credits, at: now)
            else { return .taken }
            return .made(account, try startFamily(of: account.id, at: now, key: key))
        }
    }

    /// A log-in of a user whose password was compared with `known`, with the hash at today's cost where that was stale.
    /// Nothing when the account went meanwhile, or has another hash: what was right then may be the old password now.
    func login(_ id: String, known: String, newHash: String?, key: SigningKey) throws -> TokenPair? {
        let now = wall.wallNow
        return try write {
            try lock(account: id)
            guard try passwordHash(of: id) == known else { return nil }
            if let newHash {
                try database.run("UPDATE accounts SET password_hash = ? WHERE id = ?", newHash, id)
            }
            return try startFamily(of: id, at: now, key: key)
        }
    }

    func giveConsent(_ id: String, version: Int) throws {
        try database.run(
            "UPDATE accounts SET consent_version = ?, consented_at = ? WHERE id = ?", version,
            wall.wallNow.milliseconds, id)
    }

    /// So many more photos are paid for, of the account with that id or address. One that was unlimited has exactly these
    /// then; with nothing it is unlimited. What it is afterwards, if it is there.
    func grantCredits(to name: String, _ count: Int?) throws -> Account? {
        try write {
            guard let id = try credentials(email: name)?.account.id ?? account(name)?.id else { return nil }
            if let count {
                try database.run(
                    "UPDATE accounts SET credits = coalesce(credits, 0) + ? WHERE id = ?", count, id)
            } else {
                try database.run("UPDATE accounts SET credits = NULL WHERE id = ?", id)
            }
            return try account(id)
        }
    }

    /// Ends an account and all that is its own: events, photos, uploads, tokens. What lies in the storage is due for
    /// removal in the same step, so that nothing is forgotten, whatever happens next.
    func deleteAccount(_ id: String) throws {
        try write {
            try lock(account: id)
            for event in try eventIDs(of: id) { note(.eventDeleted(event)) }
            try purgeSoon(.ofAccount(id))
            try discard(Self.keysOfPhotos("owner_id = ?2 AND deleted_at IS NULL"), of: id)
            try discard(Self.keysOfUploads("account_id"), of: id)
            try discard(Self.keysOfLogos("owner_id = ?2"), of: id)
            try database.run("DELETE FROM accounts WHERE id = ?", id)
        }
    }
}
