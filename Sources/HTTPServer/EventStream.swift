import Synchronization

/// One listener's place in a feed.
package final class EventStream: Sendable {
    private struct State {
        /// What is said to this client alone, before the next message, and how much of it has been sent.
        var preface: [UInt8]
        var prefaceSent = 0
        var place: EventLog.Place
        /// It ends before the message with this number.
        var end: UInt64?
        /// Nothing more is sent, not even the rest of what has been begun.
        var isCut = false
        var reader: (any FeedReader)?
        var beatAt: Duration?
        /// Among those who may listen at a time.
        var held: StreamPlaces.Place?
    }

    /// The next bytes of a stream, and what they are.
    struct Portion {
        let count: Int
        fileprivate let preface: Int
        fileprivate let place: EventLog.Place
        fileprivate let messages: EventLog.Portion?
    }

    enum Next {
        case bytes(Portion)
        case nothingYet
        case ended
    }

    /// A client that is further behind is dropped, and comes back with its last id.
    static let mostWaiting = 1 << 20

    let feed: EventFeed
    private let state: Mutex<State>
    /// The same as the state's place, for the feed, which asks with its own lock held.
    private let positionValue: Atomic<UInt64>
    private let overValue = Atomic<Bool>(false)

    init(of feed: EventFeed, from entry: UInt64, saying preface: [UInt8], holding held: StreamPlaces.Place?) {
        self.feed = feed
        state = Mutex(State(preface: preface, place: EventLog.Place(entry: entry), held: held))
        positionValue = Atomic(entry)
    }

    /// It ends with what it was told so far, or has ended.
    package var isOver: Bool { overValue.load(ordering: .relaxed) }
    /// The number of the message that it sends, or will send next.
    var position: UInt64 { positionValue.load(ordering: .relaxed) }

    /// Who is told that there is something to send. The greeting is sent at once, so that the other side knows that it is
    /// heard, and how soon to come back.
    func attach(_ reader: any FeedReader, greeting: [UInt8]) {
        state.withLock { state in
            state.reader = reader
            state.preface = greeting + state.preface
        }
        feed.add(reader)
    }

    // MARK: The end

    /// It ends with what has been published.
    func end() { end(before: feed.end) }

    func end(before entry: UInt64) {
        let reader = state.withLock { state in
            state.end = min(state.end ?? entry, entry)
            return state.reader
        }
        overValue.store(true, ordering: .relaxed)
        reader?.look(at: feed)
    }

    /// Its client is gone.
    func leave() {
        state.withLock { state in
            state.isCut = true
            (state.reader, state.held) = (nil, nil)
        }
        overValue.store(true, ordering: .relaxed)
        feed.remove(self)
    }

    // MARK: What is sent

    /// A comment, so that no proxy takes the connection for dead.
    static let comment = Array(":\n\n".utf8)

    /// Whether it says something that is no message. A client that has not read the last one needs no other.
    func say(_ text: [UInt8]) -> Bool {
        let end = feed.end
        return state.withLock { state in
            guard state.preface.isEmpty, state.place.offset == 0, state.place.entry >= end, state.end == nil,
                !state.isCut
            else { return false }
            state.preface = text
            return true
        }
    }

    /// A comment for each period.
    func beat(at now: Duration, every period: Duration) {
        let isDue = state.withLock { state in
            let isDue = state.beatAt.map { now - $0 >= period } ?? false
            if isDue || state.beatAt == nil { state.beatAt = now }
            return isDue
        }
        guard isDue, say(Self.comment) else { return }
        state.withLock(\.reader)?.look(at: feed)
    }

    /// As much as fits of what follows. It counts as sent when ``sent(_:of:)`` has said so.
    func next(into memory: UnsafeMutableRawBufferPointer) -> Next {
        let next = state.withLock { state -> Next in
            guard !state.isCut else { return .ended }
            let preface = min(memory.count, state.preface.count - state.prefaceSent)
            memory.copyBytes(from: state.preface[state.prefaceSent..<state.prefaceSent + preface])
            let rest = UnsafeMutableRawBufferPointer(rebasing: memory[preface...])
            switch feed.read(from: state.place, to: state.end, into: rest) {
            case .lost:
                state.isCut = true
                return .ended
            case .bytes(let messages):
                return .bytes(
                    Portion(
                        count: preface + messages.count, preface: preface, place: state.place,
                        messages: messages))
            case .nothing where preface > 0:
                return .bytes(Portion(count: preface, preface: preface, place: state.place, messages: nil))
            case .nothing: return state.end == nil ? .nothingYet : .ended
            }
        }
        if case .ended = next { overValue.store(true, ordering: .relaxed) }
        return next
    }

    func sent(_ count: Int, of portion: Portion) {
        state.withLock { state in
            let preface = min(count, portion.preface)
            state.prefaceSent += preface
            if state.prefaceSent == state.preface.count { (state.preface, state.prefaceSent) = ([], 0) }
            guard count > preface, let messages = portion.messages else { return }
            guard let place = feed.place(after: count - preface, of: messages, from: portion.place) else {
                state.isCut = true
                return
            }
            state.place = place
            positionValue.store(place.entry, ordering: .relaxed)
        }
    }

    package enum Take: Equatable {
        case bytes(Int)
        case nothingYet
        case ended
    }

    /// Moves as much as fits.
    package func take(into memory: UnsafeMutableRawBufferPointer) -> Take {
        switch next(into: memory) {
        case .bytes(let portion):
            sent(portion.count, of: portion)
            return .bytes(portion.count)
        case .nothingYet: return .nothingYet
        case .ended: return .ended
        }
    }
}
