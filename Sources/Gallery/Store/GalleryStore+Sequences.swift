import Basics
import Database

/// Numbers that only grow. Each belongs to one account or one event, so that two of these never wait for each other.
extension GalleryStore {
    /// The next stamp of an account's changes, or the first of so many in a row: never earlier than the moment it was
    /// made in, and never the same twice. Part of the transaction that uses it, which a deleted account has no more.
    func nextStamp(of account: String, count: Int = 1) throws -> Int64 {
        let last = try database.first(
            """
            UPDATE accounts SET stamp = \(database.dialect.greater("stamp + 1", "?")) + ? WHERE id = ?
            RETURNING stamp
            """, wall.wallNow.milliseconds, count - 1, account
        ) { try $0.get("stamp", as: Int64.self) }
        // It was deleted since the request was let in.
        guard let last else { throw GalleryRefusal.accountGone }
        return last - Int64(count - 1)
    }

    func nextStamp(ofEvent event: String, count: Int = 1) throws -> Int64 {
        let owner = try database.first("SELECT owner_id FROM events WHERE id = ?", event) {
            try $0.get("owner_id", as: String.self)
        }
        guard let owner else { preconditionFailure("who stamps has seen the event in this transaction") }
        return try nextStamp(of: owner, count: count)
    }

    /// For the next photo of an event.
    func nextSequence(of event: String) throws -> Int64 {
        try nextNumber("sequence", from: 0, of: event)
    }

    /// When bytes have come, in the event's order: of one moment, the later is larger.
    func nextArrival(in event: String) throws -> Int64 {
        try nextNumber("arrival", from: wall.wallNow.milliseconds, of: event)
    }

    private func nextNumber(_ name: String, from least: Int64, of event: String) throws -> Int64 {
        let next = database.dialect.greater("\(name) + 1", "?")
        let number = try database.first(
            "UPDATE event_counts SET \(name) = \(next) WHERE event_id = ? RETURNING \(name)", least, event
        ) { try $0.get(name, as: Int64.self) }
        guard let number else { preconditionFailure("every event has its counts") }
        return number
    }

    package func lastStamp(ofEvent event: String) throws -> Int64 { try database.lastStamp(ofEvent: event) }
}

extension SQLSession {
    /// The last change of anything of an account's.
    func lastStamp(of account: String) throws -> Int64 {
        try first("SELECT stamp FROM accounts WHERE id = ?", account) { try $0["stamp"] } ?? 0
    }

    /// The last change of anything of its owner's.
    func lastStamp(ofEvent event: String) throws -> Int64 {
        try first(
            "SELECT a.stamp FROM events AS e JOIN accounts AS a ON a.id = e.owner_id WHERE e.id = ?", event
        ) { try $0["stamp"] } ?? 0
    }

    /// The sequence of the last photo that came to an event.
    func lastSequence(of event: String) throws -> Int64 {
        try first("SELECT sequence FROM event_counts WHERE event_id = ?", event) { try $0["sequence"] } ?? 0
    }
}
