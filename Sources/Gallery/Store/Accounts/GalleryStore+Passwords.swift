import Basics
import Database

/// New passwords, and the log-ins that end with the old one.
extension GalleryStore {
    /// Notes a link for the account with that address. Nothing where there is none, or where enough were mailed of late.
    func addLink(_ link: PasswordLink, forAccount email: String, isMailed: Bool) throws -> Account? {
        let now = wall.wallNow
        return try write {
            guard let account = try credentials(email: email)?.account else { return nil }
            try lock(account: account.id)
            let mailed = try database.count(
                "FROM password_links WHERE account_id = ? AND is_mailed = 1 AND created_at > ?",
                account.id, (now + (.zero - PasswordLink.mailWindow)).milliseconds)
            if isMailed, mailed >= PasswordLink.mostMails { return nil }
            try database.run(
                """
                INSERT INTO password_links (hash, account_id, is_mailed, created_at, expires_at)
                    VALUES (?, ?, ?, ?, ?)
                """, PasswordLink.hash(link.code), account.id, isMailed, now.milliseconds,
                (now + PasswordLink.life).milliseconds)
            return account
        }
    }

    /// Whose password a link may set at this moment.
    func account(ofLink code: String) throws -> Account? {
        try database.first(
            """
            SELECT \(Account.columns(of: "a")) FROM password_links AS l JOIN accounts AS a ON a.id = l.account_id
                WHERE l.hash = ? AND l.used_at IS NULL AND l.expires_at > ?
            """, PasswordLink.hash(code), wall.wallNow.milliseconds
        ) { try Account($0) }
    }

    /// Uses a link up, with all others of its account, and ends all its log-ins. Nothing where it is not good any more.
    func setPassword(byLink code: String, hash: String) throws -> Account? {
        let now = wall.wallNow
        return try write {
            if let account = try account(ofLink: code) { try lock(account: account.id) }
            guard let account = try account(ofLink: code) else { return nil }
            try setPassword(of: account.id, hash: hash, at: now)
            try revokeLogins(of: account.id, except: nil, at: now)
            return account
        }
    }

    /// A new password for a user who knew the old one: every other log-in ends, and links that are on their way are of no
    /// use. False where the old password has changed meanwhile.
    func changePassword(of account: String, from old: String, to hash: String, keeping family: String) throws
        -> Bool
    {
        let now = wall.wallNow
        return try write {
            try lock(account: account)
            guard try passwordHash(of: account) == old else { return false }
            try setPassword(of: account, hash: hash, at: now)
            try revokeLogins(of: account, except: family, at: now)
            return true
        }
    }

    /// Part of a transaction.
    private func setPassword(of account: String, hash: String, at now: Timestamp) throws {
        try database.run("UPDATE accounts SET password_hash = ? WHERE id = ?", hash, account)
        try database.run(
            "UPDATE password_links SET used_at = coalesce(used_at, ?) WHERE account_id = ?",
            now.milliseconds, account)
    }

    // MARK: Log-ins

    /// One log-in that has not ended, as its owner sees it.
    struct Session: Equatable, Sendable {
        let id: String
        /// As the program called itself that logged in.
        let device: String?
        let createdAt: Timestamp
        /// To a quarter of an hour.
        let lastUsedAt: Timestamp
    }

    /// The newest first.
    func sessions(of account: String) throws -> [Session] {
        let use = database.dialect.greater("t.created_at", "coalesce(t.used_at, 0)")
        return try database.all(
            """
            SELECT f.id, f.device, f.created_at, max(\(use)) AS last_used_at
                FROM token_families AS f JOIN refresh_tokens AS t ON t.family_id = f.id
                WHERE f.account_id = ? AND f.revoked_at IS NULL
                GROUP BY f.id HAVING max(t.expires_at) > ? ORDER BY last_used_at DESC, f.id LIMIT ?
            """, account, wall.wallNow.milliseconds, Self.mostSessions
        ) { row in
            Session(
                id: try row["id"], device: try row["device"], createdAt: try row.moment("created_at"),
                lastUsedAt: try row.moment("last_used_at"))
        }
    }

    /// More are not shown; they end with all others.
    private static var mostSessions: Int { 200 }

    /// Ends one log-in of an account; false where it has none such.
    func endLogin(_ id: String, of account: String) throws -> Bool {
        try write {
            let ended = try database.run(
                "UPDATE token_families SET revoked_at = ? WHERE id = ? AND account_id = ? AND revoked_at IS NULL",
                wall.wallNow.milliseconds, id, account)
            if ended == 1 { try noteLoginsEnded(of: account) }
            return ended == 1
        }
    }

    func endLogins(of account: String, except family: String?) throws {
        try write { try revokeLogins(of: account, except: family, at: wall.wallNow) }
    }

    /// Part of a transaction.
    private func revokeLogins(of account: String, except family: String?, at now: Timestamp) throws {
        try database.run(
            "UPDATE token_families SET revoked_at = ? WHERE account_id = ? AND revoked_at IS NULL AND id <> ?",
            now.milliseconds, account, family ?? "")
        try noteLoginsEnded(of: account)
    }

    /// Those that hear of an account's changes.
    func eventIDs(of account: String) throws -> [String] {
        try database.all("SELECT id FROM events WHERE owner_id = ? AND deleted_at IS NULL", account) { row in
            try row["id"]
        }
    }

    /// What goes with an account, shown to the user or operator who is about to delete it.
    struct Belongings: Equatable, Sendable {
        let account: Account
        let events: Int
        let photos: Int
        let bytes: UInt64
        let sessions: Int
    }

    func belongings(of name: String) throws -> Belongings? {
        guard let account = try credentials(email: name)?.account ?? self.account(name) else { return nil }
        let belongings = try database.first(
            """
            SELECT count(*) AS events, coalesce(sum(photos), 0) AS photos, coalesce(sum(bytes), 0) AS bytes
                FROM events JOIN event_counts ON event_id = events.id WHERE owner_id = ? AND deleted_at IS NULL
            """, account.id
        ) { row in
            Belongings(
                account: account, events: try row["events"], photos: try row["photos"],
                bytes: try row["bytes"], sessions: try sessions(of: account.id).count)
        }
        return belongings
    }
}
