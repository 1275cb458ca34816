import Database
import Synchronization

/// What a committed transaction has changed of what hosts or guests may be looking at.
///
/// ``GalleryStore`` hands these on after each commit and before the operation returns, so that the caller answers when
/// they have had their consequences. ``ChangeDispatcher`` knows what these are; an endpoint need not.
package enum GalleryChange: Equatable, Sendable {
    case photoAdded(Photo, in: Event)
    /// Something that is shown of it, or whether it is shown.
    case photoChanged(Photo, in: Event)
    /// As it was.
    case photoDeleted(Photo, in: Event, stamp: Int64)
    /// Many photos were taken at other times than was thought.
    case photosMoved(in: Event, stamp: Int64)
    /// Uploads came to an end that is no photo; only the counts are others.
    case countsChanged(of: Event, stamp: Int64)
    /// How many hearts and comments these photos have, or whether the event takes any.
    case reactionsChanged([PhotoReactions], in: Event, stamp: Int64)
    /// Its PIN, its key or its end: its guests have to come in anew.
    case accessChanged(to: String)
    /// Its host does not give originals to guests any more.
    case originalsWithdrawn(in: String)
    /// It gives them from now on.
    case originalsGiven(in: String)
    case eventDeleted(String)
    /// Some log-ins of the host of these events.
    case loginsEnded(events: [String])
}

extension GalleryStore {
    /// Runs on the store's thread after each commit that has changed something, in the order of the commits. It must not
    /// wait for anything.
    package nonisolated func onCommit(_ observer: @escaping @Sendable ([GalleryChange]) -> Void) {
        observers.withLock { $0.append(observer) }
    }

    /// One transaction, and the only way to one: what ``note(_:)`` was told in it is handed on once it is durable.
    func write<Result>(_ body: () throws -> Result) throws -> Result {
        changes = []
        defer { changes = [] }
        let result = try database.transaction { () in
            let result = try body()
            try indexChanged()
            try recordChanges()
            return result
        }
        if !changes.isEmpty {
            for observer in observers.withLock(\.self) { observer(changes) }
        }
        return result
    }

    /// Part of a transaction that ``write(_:)`` runs.
    func note(_ change: GalleryChange) { changes.append(change) }

    /// The same, of an event as the transaction leaves it.
    func noteCounts(of event: String) throws {
        guard let event = try database.event(event) else { return }
        note(.countsChanged(of: event, stamp: try lastStamp(ofEvent: event.id)))
    }

    func noteMoved(_ event: String) throws {
        guard let event = try database.event(event) else { return }
        note(.photosMoved(in: event, stamp: try lastStamp(ofEvent: event.id)))
    }

    func noteLoginsEnded(of account: String) throws {
        note(.loginsEnded(events: try eventIDs(of: account)))
    }
}
