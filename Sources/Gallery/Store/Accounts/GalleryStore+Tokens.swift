import Basics
import Database

/// Who is logged in, and by which tokens.
extension GalleryStore {
    /// One log-in's newest pair, as far as the database knows it.
    struct TokenPair: Equatable, Sendable {
        let account: String
        let family: String
        let number: Int
        let createdAt: Timestamp
        /// That its refresh token is made with.
        let key: SigningKey

        var refreshToken: RefreshToken { RefreshToken(family: family, number: number, key: key) }
    }

    enum Presented: Equatable {
        /// The pair that follows, for the first time or once more.
        case next(TokenPair)
        /// It was used twice: now all of its family are revoked.
        case reused
        /// Unknown, expired or revoked.
        case refused
    }

    /// A new log-in. Part of the transaction that decides about it.
    func startFamily(of account: String, at now: Timestamp, key: SigningKey) throws -> TokenPair {
        let family = newID()
        try database.run(
            "INSERT INTO token_families (id, account_id, created_at) VALUES (?, ?, ?)", family, account,
            now.milliseconds)
        return try addPair(
            TokenPair(account: account, family: family, number: 1, createdAt: now, key: key))
    }

    private func addPair(_ pair: TokenPair) throws -> TokenPair {
        try database.run(
            "INSERT INTO refresh_tokens (hash, family_id, number, created_at, expires_at) VALUES (?, ?, ?, ?, ?)",
            RefreshToken.hash(pair.refreshToken.text), pair.family, pair.number, pair.createdAt.milliseconds,
            (pair.createdAt + RefreshToken.life).milliseconds)
        return pair
    }

    /// A refresh token is presented. A spent one gives its successor again as long as that is unused: the answer was
    /// lost. Otherwise two clients hold the same token, one of them a thief, and they cannot be told apart.
    func present(_ token: RefreshToken, keys: SigningKeys, at now: Timestamp) throws -> Presented {
        try write {
            try lock(family: token.family)
            guard let row = try refreshRow(token), !row.isRevoked, now < row.expiresAt else {
                return .refused
            }
            if row.usedAt == nil { try markUsed(token.family, token.number, at: now) }
            guard let spentAt = row.spentAt else {
                try database.run(
                    "UPDATE refresh_tokens SET spent_at = ? WHERE family_id = ? AND number = ?",
                    now.milliseconds, token.family, token.number)
                let next = TokenPair(
                    account: row.account, family: token.family, number: token.number + 1, createdAt: now,
                    key: keys.current)
                return .next(try addPair(next))
            }
            if now - spentAt <= RefreshToken.grace, let next = try unusedSuccessor(of: token, keys) {
                return .next(next)
            }
            try revoke(family: token.family, at: now)
            try noteLoginsEnded(of: row.account)
            return .reused
        }
    }

    /// The account that an access token speaks for, if its log-in has not ended. The first time it is seen, the answer that
    /// carried it has arrived: the token before is of no use any more.
    func account(of token: AccessToken, at now: Timestamp) throws -> Account? {
        let found = try database.first(
            """
            SELECT \(Account.columns(of: "a")), t.used_at FROM token_families AS f
                JOIN accounts AS a ON a.id = f.account_id
                JOIN refresh_tokens AS t ON t.family_id = f.id AND t.number = ?
                WHERE f.id = ? AND f.account_id = ? AND f.revoked_at IS NULL
            """, token.number, token.family, token.account
        ) { row in (account: try Account(row), isUsed: try row.get("used_at", as: Int64?.self) != nil) }
        guard let found else { return nil }
        if !found.isUsed { try markUsed(token.family, token.number, at: now) }
        return found.account
    }

    /// Logs out: by any token of the family, spent or not.
    func endFamily(of token: RefreshToken, at now: Timestamp) throws {
        try write {
            try revoke(family: token.family, at: now)
            let account = try database.first(
                "SELECT account_id FROM token_families WHERE id = ?", token.family
            ) {
                try $0.get("account_id", as: String.self)
            }
            if let account { try noteLoginsEnded(of: account) }
        }
    }

    func note(device: String?, of family: String) throws {
        try database.run("UPDATE token_families SET device = ? WHERE id = ?", device, family)
    }

    /// Forgets log-ins that nothing can come back from. How many there were.
    @discardableResult
    package func sweepTokens() throws -> Int {
        let now = wall.wallNow
        // A quarter of an hour after its revocation, its last access token has ended too.
        let ended = now + .seconds(-2 * AccessToken.life)
        return try write {
            let count = try database.run(
                """
                DELETE FROM token_families WHERE revoked_at < ? OR NOT EXISTS (
                    SELECT 1 FROM refresh_tokens AS t WHERE t.family_id = token_families.id AND t.expires_at > ?)
                """, ended.milliseconds, now.milliseconds)
            try database.run("DELETE FROM refresh_tokens WHERE expires_at <= ?", now.milliseconds)
            // As long as its mail counts.
            try database.run(
                "DELETE FROM password_links WHERE created_at <= ?",
                (now + (.zero - PasswordLink.mailWindow)).milliseconds)
            if count > 0 { note(.loginsEnded(events: [])) }
            return count
        }
    }

    // MARK: Rows

    private struct RefreshRow {
        let account: String
        let createdAt: Timestamp
        let expiresAt: Timestamp
        let spentAt: Timestamp?
        let usedAt: Timestamp?
        let isRevoked: Bool
    }

    /// The one that was given for it, with whatever key was the newest then.
    private func unusedSuccessor(of token: RefreshToken, _ keys: SigningKeys) throws -> TokenPair? {
        for key in keys.all {
            let following = RefreshToken(family: token.family, number: token.number + 1, key: key)
            guard let row = try refreshRow(following) else { continue }
            guard row.usedAt == nil else { return nil }
            return TokenPair(
                account: row.account, family: token.family, number: following.number,
                createdAt: row.createdAt,
                key: key)
        }
        return nil
    }

    private func refreshRow(_ token: RefreshToken) throws -> RefreshRow? {
        try database.first(
            """
            SELECT f.account_id, t.created_at, t.expires_at, t.spent_at, t.used_at, f.revoked_at
                FROM refresh_tokens AS t JOIN token_families AS f ON f.id = t.family_id
                WHERE t.family_id = ? AND t.number = ? AND t.hash = ?
            """, token.family, token.number, RefreshToken.hash(token.text)
        ) { row in
            RefreshRow(
                account: try row["account_id"], createdAt: try row.moment("created_at"),
                expiresAt: try row.moment("expires_at"), spentAt: try row.moment("spent_at"),
                usedAt: try row.moment("used_at"),
                isRevoked: try row.get("revoked_at", as: Int64?.self) != nil)
        }
    }

    /// Two that present a token of one log-in at once do so one after the other.
    private func lock(family: String) throws {
        guard database.dialect == .postgres else { return }
        try database.run(
            "SELECT 1 AS locked FROM token_families WHERE id = ?\(database.dialect.locking)", family)
    }

    private func markUsed(_ family: String, _ number: Int, at now: Timestamp) throws {
        try database.run(
            "UPDATE refresh_tokens SET used_at = ? WHERE family_id = ? AND number = ? AND used_at IS NULL",
            now.milliseconds, family, number)
    }

    private func revoke(family: String, at now: Timestamp) throws {
        try database.run(
            "UPDATE token_families SET revoked_at = coalesce(revoked_at, ?) WHERE id = ?",
            now.milliseconds, family)
    }
}
