import Basics
import Database

/// Who may make an account, as far as the tables know.
extension GalleryStore {
    /// More than an operator would read.
    static let mostInvitations = 10_000

    func hasNoAccount() throws -> Bool {
        try !database.has("SELECT 1 FROM accounts LIMIT 1")
    }

    func addInvitation(_ hash: [UInt8], uses: Int, until end: Timestamp) throws {
        let now = wall.wallNow
        try write {
            try database.run("DELETE FROM invitations WHERE expires_at <= ?", now.milliseconds)
            guard try database.count("FROM invitations") < Self.mostInvitations else {
                throw GalleryRefusal.tooManyInvitations(Self.mostInvitations)
            }
            try database.run(
                "INSERT INTO invitations (hash, uses, created_at, expires_at) VALUES (?, ?, ?, ?)", hash,
                uses,
                now.milliseconds, end.milliseconds)
        }
    }

    /// Whether an account may be made with that, now. Part of a transaction where it counts.
    func admits(_ claim: RegistrationClaim) throws -> Bool {
        if try claim.isOpen || claim.mayBeFirst && hasNoAccount() { return true }
        guard let invitation = claim.invitation else { return false }
        let uses = try database.first(
            "SELECT uses FROM invitations WHERE hash = ? AND expires_at > ?", invitation,
            wall.wallNow.milliseconds
        ) { try $0.get("uses", as: Int.self) }
        return uses ?? 0 > 0
    }

    /// No other transaction uses it until the transaction ends.
    func lock(invitation: [UInt8]?) throws {
        guard let invitation, database.dialect == .postgres else { return }
        try database.run(
            "SELECT 1 AS locked FROM invitations WHERE hash = ?\(database.dialect.locking)", invitation)
    }

    /// One account was made with it. Part of the transaction that makes it.
    func spend(_ claim: RegistrationClaim) throws {
        if try claim.isOpen || claim.mayBeFirst && hasNoAccount() { return }
        try database.run("UPDATE invitations SET uses = uses - 1 WHERE hash = ?", claim.invitation)
    }
}
