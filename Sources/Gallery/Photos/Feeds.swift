package import Basics
package import HTTPServer
import Synchronization

/// Who is told what has changed in an event: its guests, and its host, who sees more.
package final class Feeds: Sendable {
    private struct Pair {
        var guests: EventFeed
        let host: EventFeed
        /// Ids grow with every message, also where two are about one change.
        var lastID: UInt64
        /// For dropping those that have gone unread for longest.
        var lastUse: Int

        /// Those without listeners go first.
        var age: (Int, Int) { (guests.listeners + host.listeners > 0 ? 1 : 0, lastUse) }
    }

    private struct State {
        var pairs: [String: Pair] = [:]
        var uses = 0
    }

    private let state = Mutex(State())
    private let wall: any WallTime
    private let most: Int
    private static let remembers = 500

    /// `most`: the events that have feeds at a time.
    package init(wall: any WallTime, most: Int = 1000) {
        self.wall = wall
        self.most = most
    }

    package enum Audience: Sendable { case guests, host }

    /// A client begins behind `stamp`, the last change that was made when the list was read. One that comes back and
    /// has missed more than is remembered is told to read the list anew.
    package func stream(
        of event: String, for audience: Audience, behind stamp: Int64, after last: UInt64?
    ) -> EventStream {
        let (stream, dropped) = state.withLock { state -> (EventStream, Pair?) in
            state.uses += 1
            var dropped: Pair?
            if state.pairs[event] == nil, state.pairs.count >= most,
                let oldest = state.pairs.min(by: { $0.value.age < $1.value.age })
            {
                dropped = state.pairs.removeValue(forKey: oldest.key)
            }
            let start = UInt64(clamping: stamp)
            var pair =
                state.pairs[event]
                ?? Pair(
                    guests: EventFeed(remembers: Self.remembers, behind: start),
                    host: EventFeed(remembers: Self.remembers, behind: start), lastID: start, lastUse: 0)
            pair.lastUse = state.uses
            state.pairs[event] = pair
            return ((audience == .guests ? pair.guests : pair.host).stream(after: last), dropped)
        }
        // They come back, and hear from then on what they would have missed.
        dropped?.guests.sendAway()
        dropped?.host.sendAway()
        return stream
    }

    /// A photo has come, or has changed.
    package func tell(_ photo: Photo, in event: Event) {
        let guests: (name: String, data: JSONValue) =
            photo.isHidden
            ? ("gone", [("id", .string(photo.id))].object)
            : ("photo", PagePhoto(photo, in: event).json)
        publish(
            event, at: photo.stamp, about: photo.id, takesBack: photo.isHidden ? .guests : nil,
            guests: guests,
            host: ("photo", photo.json))
        tellCounts(of: event, at: photo.stamp)
    }

    package func gone(_ photo: String, in event: Event, at stamp: Int64) {
        let data = [("id", JSONValue.string(photo))].object
        publish(
            event, at: stamp, about: photo, takesBack: .host, guests: ("gone", data), host: ("gone", data))
        tellCounts(of: event, at: stamp)
    }

    /// Many photos were taken at other times than was thought: their list is to be read anew.
    package func anew(_ event: Event, at stamp: Int64) {
        let nothing = JSONValue.object([])
        publish(event, at: stamp, guests: ("reset", nothing), host: ("reset", nothing))
    }

    /// How many there are.
    package func tellCounts(of event: Event, at stamp: Int64) {
        let counts = event.counts
        let photos = JSONValue.integer(Int64(counts.photos))
        let all: JSONValue = [
            "photos": photos, "bytes": .unsigned(counts.bytes), "pending": .integer(Int64(counts.pending)),
            "failed": .integer(Int64(counts.failed)),
        ]
        let visible = [("photos", JSONValue.integer(Int64(counts.visible)))].object
        publish(event, at: stamp, guests: ("count", visible), host: ("count", all))
    }

    /// The door has changed, or the event is over: its guests have to come in anew, and hear there whether they may.
    package func sendGuestsAway(from event: String) {
        state.withLock { $0.pairs[event]?.guests }?.sendAway()
    }

    /// A log-in of the host's has ended: clients that listen by one have to show another, or the same once more.
    package func sendHostAway(from event: String) {
        state.withLock { $0.pairs[event]?.host }?.sendAway()
    }

    /// Guests see less than before: earlier messages are dropped, and clients that come back read the list anew.
    package func beginAnew(for event: String) {
        let old = state.withLock { state -> EventFeed? in
            guard var pair = state.pairs[event] else { return nil }
            defer { state.pairs[event] = pair }
            let old = pair.guests
            pair.lastID += 1
            pair.guests = EventFeed(remembers: Self.remembers, behind: pair.lastID)
            return old
        }
        old?.sendAway()
    }

    /// The event is gone.
    package func close(_ event: String) {
        let pair = state.withLock { $0.pairs.removeValue(forKey: event) }
        pair?.guests.sendAway()
        pair?.host.sendAway()
    }

    /// An event without a feed has no listeners to tell: a client that comes later reads the list first. What is taken
    /// back from the host is taken back from guests as well.
    private func publish(
        _ event: Event, at stamp: Int64, about subject: String? = nil, takesBack: Audience? = nil,
        guests: (name: String, data: JSONValue), host: (name: String, data: JSONValue)
    ) {
        // Guests who came in before the end get no messages about what comes after it.
        if event.isOver(at: wall.wallNow) { sendGuestsAway(from: event.id) }
        state.withLock { state in
            guard var pair = state.pairs[event.id] else { return }
            pair.lastID = max(pair.lastID + 1, UInt64(clamping: stamp))
            state.pairs[event.id] = pair
            if let subject, let takesBack {
                pair.guests.takeBack(subject)
                if takesBack == .host { pair.host.takeBack(subject) }
            }
            func message(_ said: (name: String, data: JSONValue)) -> ServerEvent {
                ServerEvent(id: pair.lastID, name: said.name, data: said.data.compact, subject: subject)
            }
            pair.guests.publish(message(guests))
            pair.host.publish(message(host))
        }
    }
}

extension [(String, JSONValue)] {
    fileprivate var object: JSONValue { .object(map { ($0.0, $0.1) }) }
}
