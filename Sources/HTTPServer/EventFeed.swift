import Synchronization

/// One message to whoever listens.
package struct ServerEvent: Equatable, Sendable {
    package let id: UInt64
    package let name: String
    package let data: String

    package init(id: UInt64, name: String, data: String) {
        self.id = id
        self.name = name
        self.data = data
    }

    /// As it goes over the wire (WHATWG HTML §9.2): each line of the data is a line of its own.
    var wire: [UInt8] {
        var text = "id: \(id)\nevent: \(name.filter { !$0.isNewline })\n"
        for line in data.split(omittingEmptySubsequences: false, whereSeparator: \.isNewline) {
            text += "data: \(line)\n"
        }
        return Array((text + "\n").utf8)
    }
}

/// Those who listen to one subject, and the last messages for whoever comes back.
package final class EventFeed: Sendable {
    private struct Listener {
        weak var stream: EventStream?
    }

    private struct State {
        var memory: [ServerEvent] = []
        /// Everything up to here is known to whoever has this id, or is in the memory.
        var forgottenUpTo: UInt64
        var last: UInt64
        var listeners: [ObjectIdentifier: Listener] = [:]
    }

    private let state: Mutex<State>
    private let remembers: Int

    /// Nothing is missed by whoever knows what came up to the id that it begins behind.
    package init(remembers: Int = 1000, behind last: UInt64 = 0) {
        precondition(remembers > 0, "a feed remembers at least one message")
        self.remembers = remembers
        state = Mutex(State(forgottenUpTo: last, last: last))
    }

    /// Ids only grow.
    package func publish(_ event: ServerEvent) {
        let bytes = event.wire
        let streams = state.withLock { state in
            precondition(event.id > state.last, "the ids of a feed only grow")
            state.last = event.id
            state.memory.append(event)
            // Forgotten in pieces, because each forgetting moves the rest.
            if state.memory.count >= remembers + max(16, remembers / 4) {
                let count = state.memory.count - remembers
                state.forgottenUpTo = state.memory[count - 1].id
                state.memory.removeFirst(count)
            }
            let streams = state.listeners.values.compactMap(\.stream)
            if streams.count < state.listeners.count {
                state.listeners = state.listeners.filter { $0.value.stream != nil }
            }
            // Inside the lock, so that everybody gets everything in one order.
            for stream in streams { stream.append(bytes) }
            return streams
        }
        for stream in streams { stream.wake() }
    }

    /// From what came after that id; where that is forgotten, it begins with an event called "reset".
    package func stream(after last: UInt64?) -> EventStream {
        let stream = EventStream()
        state.withLock { state in
            if let last {
                if last < state.forgottenUpTo || last > state.last {
                    stream.append(ServerEvent(id: state.last, name: "reset", data: "").wire)
                } else {
                    for event in state.memory where event.id > last { stream.append(event.wire) }
                }
            }
            state.listeners[ObjectIdentifier(stream)] = Listener(stream: stream)
        }
        return stream
    }

    /// All who listen are sent away, with what has been published. They may come back.
    package func sendAway() {
        let streams = state.withLock { state in
            defer { state.listeners = [:] }
            return state.listeners.values.compactMap(\.stream)
        }
        for stream in streams { stream.end() }
    }

    /// How many listen just now.
    package var listeners: Int {
        state.withLock { $0.listeners.values.count { $0.stream?.isOver == false } }
    }
}

/// One listener's place in a feed.
package final class EventStream: Sendable {
    private struct State {
        /// Behind `offset`, what is still to be sent.
        var pieces: [[UInt8]] = []
        var offset = 0
        var waiting = 0
        var hasEnded = false
        var beatAt: Duration?
        var wire: Wakeable?
    }

    /// Whoever is further behind is dropped, and comes back with its last id.
    static let mostWaiting = 1 << 20
    private let state = Mutex(State())

    init() {}

    package var isOver: Bool { state.withLock(\.hasEnded) }

    fileprivate func append(_ bytes: [UInt8]) {
        state.withLock { state in
            guard !state.hasEnded else { return }
            state.waiting += bytes.count
            guard state.waiting <= Self.mostWaiting else {
                state.hasEnded = true
                state.pieces = []
                return
            }
            state.pieces.append(bytes)
        }
    }

    fileprivate func wake() {
        state.withLock(\.wire)?.wake()
    }

    /// What is woken when there is something to send.
    func attach(_ wire: Wakeable) {
        state.withLock { state in
            state.wire = wire
            // Something at once, so that the other side knows that it is heard, and how soon to come back.
            state.pieces.insert(Array("retry: 2000\n\n".utf8), at: 0)
        }
    }

    func end() {
        state.withLock { $0.hasEnded = true }
        wake()
    }

    /// A comment, so that nobody between takes the line for dead.
    func beat(at now: Duration, every period: Duration) {
        let isDue = state.withLock { state in
            guard let last = state.beatAt else {
                state.beatAt = now
                return false
            }
            guard now - last >= period, !state.hasEnded else { return false }
            state.beatAt = now
            // Whoever has not read the last one needs no other.
            guard state.pieces.isEmpty else { return false }
            state.pieces.append(Array(":\n\n".utf8))
            return true
        }
        if isDue { wake() }
    }

    enum Take: Equatable {
        case bytes(Int)
        case nothingYet
        case ended
    }

    /// Moves as much as fits.
    func take(into memory: UnsafeMutableRawBufferPointer) -> Take {
        state.withLock { state in
            var filled = 0
            while filled < memory.count, let first = state.pieces.first {
                let count = min(memory.count - filled, first.count - state.offset)
                first.withUnsafeBytes { bytes in
                    memory[filled..<filled + count].copyBytes(
                        from: bytes[state.offset..<state.offset + count])
                }
                filled += count
                state.offset += count
                if state.offset == first.count {
                    state.waiting = max(0, state.waiting - first.count)
                    state.pieces.removeFirst()
                    state.offset = 0
                }
            }
            if filled > 0 { return .bytes(filled) }
            return state.hasEnded ? .ended : .nothingYet
        }
    }
}
