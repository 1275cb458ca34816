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
        var lastUse = 0
        /// Whether it is known from where on every change is in it.
        var hasBegun = false
        /// Until when guests may look, as far as those who listen have been told.
        var end: Timestamp?

        init() {
            guests = EventFeed(remembers: Feeds.remembers)
            host = EventFeed(remembers: Feeds.remembers)
            lastID = 0
        }

        mutating func begin(behind id: UInt64) {
            hasBegun = true
            lastID = max(lastID, id)
            guests.begin(behind: id)
            host.begin(behind: id)
        }

        /// Those without listeners go first.
        var age: (Int, Int) { (guests.listeners + host.listeners > 0 ? 1 : 0, lastUse) }
    }

    private struct State {
        var pairs: [String: Pair] = [:]
        var uses = 0
    }

    private let state = Mutex(State())
    private let beginning = Mutex<(@Sendable (String) -> Void)?>(nil)
    private let wall: any WallTime
    private let images: ImageDelivery
    private let most: Int
    /// Several nodes tell one event's changes, each under the stamp that it has in the database; a feed that begins here catches
    /// up with what a client missed elsewhere.
    private let isShared: Bool
    private let places: StreamPlaces
    private static let remembers = 500
    /// In milliseconds. A client that was away for longer reads the list anew.
    private static let longestAbsence: UInt64 = 3_600_000

    package static let mostStreams = 20_000

    /// `most`: the events that have feeds at a time.
    package init(
        wall: any WallTime, images: ImageDelivery = ImageDelivery(), most: Int = 1000,
        mostStreams: Int = Feeds.mostStreams, isShared: Bool = false
    ) {
        places = StreamPlaces(most: mostStreams)
        self.isShared = isShared
        self.wall = wall
        self.images = images
        self.most = most
    }

    /// Runs when an event's feed begins.
    func onBegin(_ observer: @escaping @Sendable (String) -> Void) {
        beginning.withLock { $0 = observer }
    }

    package enum Audience: Sendable { case guests, host }

    package enum Listening: Sendable {
        case stream(EventStream)
        /// The feed was begun just now. It has every change from here on; how far lists went before is to be asked.
        case hasJustBegun
        /// As many listen as may.
        case full
    }

    /// A client that comes back and has missed more than is remembered is told to read the list anew. `stamp` is the last
    /// change that was made when that was asked after the feed had begun; clients that know less read the list, too. `client`
    /// is whom the one that listens counts as. `end`: when guests have to go; where that is changed, all are sent away and
    /// come with the new one.
    package func stream(
        of event: String, for audience: Audience, behind stamp: Int64? = nil, after last: UInt64?,
        until end: Timestamp? = nil, from client: AddressGroup? = nil
    ) -> Listening {
        guard let place = places.take(for: client) else { return .full }
        var (dropped, begins): (Pair?, Bool) = (nil, false)
        let listening = state.withLock { state -> Listening in
            state.uses += 1
            if state.pairs[event] == nil, state.pairs.count >= most,
                let oldest = state.pairs.min(by: { $0.value.age < $1.value.age })
            {
                dropped = state.pairs.removeValue(forKey: oldest.key)
            }
            var pair = state.pairs[event] ?? Pair()
            defer { state.pairs[event] = pair }
            pair.lastUse = state.uses
            if !pair.hasBegun {
                guard let stamp else { return .hasJustBegun }
                pair.begin(behind: start(behind: UInt64(clamping: stamp), after: last))
                begins = true
            }
            if audience == .guests { pair.end = end }
            let feed = audience == .guests ? pair.guests : pair.host
            return .stream(feed.stream(after: last, holding: place))
        }
        if begins { beginning.withLock(\.self)?(event) }
        // They come back, and hear from then on what they would have missed.
        dropped?.guests.sendAway()
        dropped?.host.sendAway()
        return listening
    }

    /// Where a feed begins that is not there yet: as far back as its first client has been.
    private func start(behind stamp: UInt64, after last: UInt64?) -> UInt64 {
        guard isShared, let last, last < stamp, stamp - last <= Self.longestAbsence else { return stamp }
        return last
    }

    /// The last change that was told of an event; nothing where it has no feed.
    func position(of event: String) -> UInt64? {
        state.withLock { state in state.pairs[event].flatMap { $0.hasBegun ? $0.lastID : nil } }
    }

    /// Those that have feeds.
    var events: [String] { state.withLock { Array($0.pairs.keys) } }

    /// How many listen just now.
    package var listeners: Int { places.taken }

    /// A photo has come, or has changed.
    package func tell(_ photo: Photo, in event: Event, at stamp: Int64) {
        let guests: (name: String, data: JSONValue) =
            photo.isHidden
            ? ("gone", [("id", .string(photo.id))].object)
            : ("photo", PagePhoto(photo, in: event, images).json)
        publish(
            event, at: stamp, about: photo.id, takesBack: photo.isHidden ? .guests : nil, guests: guests,
            host: ("photo", photo.json), countsToo: true)
    }

    package func gone(_ photo: String, in event: Event, at stamp: Int64) {
        let data = [("id", JSONValue.string(photo))].object
        publish(
            event, at: stamp, about: photo, takesBack: .host, guests: ("gone", data), host: ("gone", data),
            countsToo: true)
    }

    /// Many photos were taken at other times than was thought: their list is to be read anew.
    package func anew(_ event: Event, at stamp: Int64) {
        let nothing = JSONValue.object([])
        publish(event, at: stamp, guests: ("reset", nothing), host: ("reset", nothing))
    }

    /// How many there are.
    package func tellCounts(of event: Event, at stamp: Int64) {
        let (guests, host) = Self.counts(of: event)
        publish(event, at: stamp, guests: guests, host: host)
    }

    /// How many hearts and comments photos have. It is about several, so that many guests at once are one message, and no part
    /// of it is taken back: an id and two numbers lead to no image.
    package func tell(_ photos: [PhotoReactions], in event: Event, at stamp: Int64) {
        publish(
            event, at: stamp, guests: ("reactions", event.json(of: photos, for: .guests)),
            host: ("reactions", event.json(of: photos, for: .host)))
    }

    private typealias Said = (name: String, data: JSONValue)

    private static func counts(of event: Event) -> (guests: Said, host: Said) {
        let counts = event.counts
        let photos = JSONValue.integer(Int64(counts.photos))
        let all: JSONValue = [
            "photos": photos, "bytes": .unsigned(counts.bytes), "pending": .integer(Int64(counts.pending)),
            "failed": .integer(Int64(counts.failed)), "waiting": .integer(Int64(event.guestUploads.waiting)),
            "guestCreditsSpent": .integer(Int64(event.guestUploads.spent)),
        ]
        let visible = [("photos", JSONValue.integer(Int64(counts.visible)))].object
        return (("count", visible), ("count", all))
    }

    /// The door has changed, or the event is over: its guests have to come in anew, and hear there whether they may.
    package func sendGuestsAway(from event: String, at stamp: Int64? = nil) {
        pass(event, at: stamp)
        state.withLock { $0.pairs[event]?.guests }?.sendAway()
    }

    /// On a quiet evening no message is sent in which guests would hear that it is over.
    package func sendAwayWhereOver() {
        let now = wall.wallNow
        let over = state.withLock { state -> [EventFeed] in
            state.pairs.filter { $0.value.end.map { $0 <= now } ?? false }.map { event, pair in
                state.pairs[event]?.end = nil
                return pair.guests
            }
        }
        for feed in over { feed.sendAway() }
    }

    /// A change that is told by no message counts as told.
    func pass(_ event: String, at stamp: Int64?) {
        guard let stamp else { return }
        state.withLock { state in
            guard let last = state.pairs[event]?.lastID else { return }
            state.pairs[event]?.lastID = max(last, UInt64(clamping: stamp))
        }
    }

    /// A log-in of the host's has ended: clients that listen by one have to show another, or the same once more.
    package func sendHostAway(from event: String, at stamp: Int64? = nil) {
        pass(event, at: stamp)
        state.withLock { $0.pairs[event]?.host }?.sendAway()
    }

    /// Guests see less than before: earlier messages are dropped, and clients that come back read the list anew.
    package func beginAnew(for event: String, at stamp: Int64? = nil) {
        let old = state.withLock { state -> EventFeed? in
            guard var pair = state.pairs[event] else { return nil }
            defer { state.pairs[event] = pair }
            let old = pair.guests
            pair.lastID = max(pair.lastID + 1, UInt64(clamping: stamp ?? 0))
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
        guests: Said, host: Said, countsToo: Bool = false
    ) {
        let counts = countsToo ? Self.counts(of: event) : nil
        // Guests who came in before the end get no messages about what comes after it.
        if event.isOver(at: wall.wallNow) { sendGuestsAway(from: event.id) }
        state.withLock { state in
            guard var pair = state.pairs[event.id] else { return }
            // It was told already.
            if isShared, UInt64(clamping: stamp) <= pair.lastID { return }
            pair.lastID = max(pair.lastID + 1, UInt64(clamping: stamp))
            state.pairs[event.id] = pair
            if let subject, let takesBack {
                pair.guests.takeBack(subject)
                if takesBack == .host { pair.host.takeBack(subject) }
            }
            // One message in two parts: a client that has its id has both.
            func message(_ said: Said, _ count: Said?) -> ServerEvent {
                ServerEvent(
                    id: pair.lastID, name: said.name, data: said.data.compact, subject: subject,
                    then: count.map { ($0.name, $0.data.compact) })
            }
            pair.guests.publish(message(guests, counts?.guests))
            pair.host.publish(message(host, counts?.host))
        }
    }
}

extension [(String, JSONValue)] {
    fileprivate var object: JSONValue { .object(map { ($0.0, $0.1) }) }
}
