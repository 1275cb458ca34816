import Synchronization

/// One message to those who listen.
package struct ServerEvent: Equatable, Sendable {
    package let id: UInt64
    package let name: String
    package let data: String
    /// What it is about, by which it can be taken back; not sent.
    package let subject: String?
    /// A second part, which comes with it: the id stands in that, so that a client that was cut off between them gets both
    /// again.
    package let thenName: String?
    package let thenData: String

    package init(
        id: UInt64, name: String, data: String, subject: String? = nil,
        then second: (name: String, data: String)? = nil
    ) {
        (thenName, thenData) = (second?.name, second?.data ?? "")
        self.id = id
        self.name = name
        self.data = data
        self.subject = subject
    }

    /// As it goes over the wire (WHATWG HTML §9.2): each line of the data is a line of its own.
    var wire: [UInt8] {
        let first = Self.wire(id: thenName == nil ? id : nil, name, data)
        return Array((first + (thenName.map { Self.wire(id: id, $0, thenData) } ?? "")).utf8)
    }

    private static func wire(id: UInt64?, _ name: String, _ data: String) -> String {
        var text = (id.map { "id: \($0)\n" } ?? "") + "event: \(name.filter { !$0.isNewline })\n"
        for line in data.split(omittingEmptySubsequences: false, whereSeparator: \.isNewline) {
            text += "data: \(line)\n"
        }
        return text + "\n"
    }
}

/// Who sends what is in a feed to those who listen. It is told that there is something new, and looks for itself.
protocol FeedReader: AnyObject, Sendable {
    func look(at feed: EventFeed)
}

/// Those who listen to one subject, and the last messages for clients that come back.
///
/// Each message is kept once, however many listen: a stream is a place in the log. So publishing costs the same for one
/// listener as for ten thousand, and the thread that publishes does not wait until they have been told.
package final class EventFeed: Sendable {
    private struct Listener {
        weak var stream: EventStream?
    }

    private struct Reader {
        weak var reader: (any FeedReader)?
    }

    private struct State {
        var log: EventLog
        var listeners: [ObjectIdentifier: Listener] = [:]
        var readers: [ObjectIdentifier: Reader] = [:]
        /// With so many messages the oldest are looked at, and with so many listeners those that have left.
        var forgetsAt: Int
        var tidiesAt = 64
    }

    private let state: Mutex<State>
    private let remembers: Int
    /// Messages are forgotten in pieces, because each forgetting moves the rest.
    private let piece: Int

    /// A client that knows what came up to the id that it begins behind misses nothing.
    package init(remembers: Int = 1000, behind last: UInt64 = 0) {
        precondition(remembers > 0, "a feed remembers at least one message")
        self.remembers = remembers
        piece = max(16, remembers / 4)
        state = Mutex(State(log: EventLog(behind: last), forgetsAt: remembers + piece))
    }

    /// For a feed that began before it was known how far the lists went: clients that know less than that begin anew.
    package func begin(behind last: UInt64) {
        state.withLock { $0.log.begin(behind: last) }
    }

    /// Ids only grow.
    package func publish(_ event: ServerEvent) {
        tell { state in
            state.log.append(event)
            if state.log.count >= state.forgetsAt { forget(&state) }
        }
    }

    /// Messages of that subject are not sent any more, to clients that come back nor to those that are behind. A client
    /// that has half of one is cut.
    package func takeBack(_ subject: String) {
        tell { $0.log.takeBack(subject) }
    }

    /// All who listen are sent away, with what has been published. They may come back.
    package func sendAway() {
        let (streams, end) = state.withLock { state in
            defer { state.listeners = [:] }
            return (state.listeners.values.compactMap(\.stream), state.log.end)
        }
        for stream in streams { stream.end(before: end) }
    }

    private func tell(_ change: (inout State) -> Void) {
        let readers = state.withLock { state in
            change(&state)
            let readers = state.readers.values.compactMap(\.reader)
            if readers.count < state.readers.count {
                state.readers = state.readers.filter { $0.value.reader != nil }
            }
            return readers
        }
        for reader in readers { reader.look(at: self) }
    }

    /// What a listener has yet to get is kept, up to where a stream is too far behind.
    private func forget(_ state: inout State) {
        let unread = state.listeners.values.compactMap { listener -> UInt64? in
            guard let stream = listener.stream, !stream.isOver else { return nil }
            let place = EventLog.Place(entry: stream.position)
            let waiting = state.log.bytesWaiting(from: place)
            return waiting.map { $0 <= EventStream.mostWaiting } ?? false ? place.entry : nil
        }
        state.log.forget(butFor: remembers, unread: unread.min() ?? .max)
        state.forgetsAt = max(remembers, state.log.count) + piece
    }

    // MARK: Listening

    /// From what came after that id; where that is forgotten, it begins with an event called "reset". It holds the place
    /// until it is over.
    package func stream(after last: UInt64?, holding place: StreamPlaces.Place? = nil) -> EventStream {
        state.withLock { state in
            if state.listeners.count >= state.tidiesAt {
                state.listeners = state.listeners.filter { $0.value.stream?.isOver == false }
                state.tidiesAt = max(64, 2 * state.listeners.count)
            }
            let known = last.map { state.log.entry(after: $0) } ?? state.log.end
            let reset = ServerEvent(id: state.log.last, name: "reset", data: "")
            let stream = EventStream(
                of: self, from: known ?? state.log.end, saying: known == nil ? reset.wire : [],
                holding: place)
            state.listeners[ObjectIdentifier(stream)] = Listener(stream: stream)
            return stream
        }
    }

    /// How many listen just now.
    package var listeners: Int {
        state.withLock { $0.listeners.values.count { $0.stream?.isOver == false } }
    }

    // MARK: For its streams

    func add(_ reader: any FeedReader) {
        state.withLock { $0.readers[ObjectIdentifier(reader)] = Reader(reader: reader) }
    }

    func remove(_ stream: EventStream) {
        state.withLock { $0.listeners[ObjectIdentifier(stream)] = nil }
    }

    /// The number of the message that will come next.
    var end: UInt64 { state.withLock { $0.log.end } }

    func read(
        from place: EventLog.Place, to stop: UInt64?, into memory: UnsafeMutableRawBufferPointer
    ) -> EventLog.Next {
        state.withLock {
            $0.log.read(from: place, to: stop, mostWaiting: EventStream.mostWaiting, into: memory)
        }
    }

    func place(after count: Int, of portion: EventLog.Portion, from place: EventLog.Place) -> EventLog.Place?
    {
        state.withLock { $0.log.place(after: count, of: portion, from: place) }
    }
}
