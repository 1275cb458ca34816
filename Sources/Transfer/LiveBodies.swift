import Bridge
import Posix
import Synchronization

/// What a body that is connected can be asked, from any task.
protocol LiveConnection: Sendable {
    /// Whether the body answers now, or anything comes from it.
    func answers() async -> Bool
    /// The body is met elsewhere: this connection is dead, and ends.
    func makeWay(to place: String) async
}

/// The bodies that are connected, and where: two of one maker, model and serial number are noticed when the second one comes.
final class LiveBodies: Sendable {
    private struct Entry {
        let identity: CameraIdentity
        let connection: any LiveConnection
    }

    private struct FoundTwice {
        let body: CameraIdentity
        /// Which was shown there.
        let wireID: String?
        /// For how many more connections it is believed: the card may be another one by now.
        var believed: Int
    }

    private struct State {
        var entries: [String: Entry] = [:]
        /// Tasks that wait until a place is left, or another task's recognition is over.
        var waiting: [Signal] = []
        var beingRecognized: Set<CameraIdentity> = []
        /// What the operator was told of, by the places of two bodies.
        var told: Set<[String]> = []
        /// How many connections in a row have ended at a place while photos were compared.
        var comparisonsLost: [String: Int] = [:]
        /// Whose photos were found at a place while it was connected at another one.
        var twice: [String: FoundTwice] = [:]
    }

    private let state = Mutex(State())

    /// One recognition at a time among bodies of one name: the second one has to find what the first has become.
    func one<Result>(
        named identity: CameraIdentity, _ recognize: () async throws -> Result
    ) async throws -> Result {
        try await waitUntil { $0.beingRecognized.insert(identity).inserted }
        defer { change { $0.beingRecognized.remove(identity) } }
        return try await recognize()
    }

    func live(among known: [KnownBody]) -> [BodyRecognition.Live] {
        let names = Set(known.map(\.identity))
        return state.withLock { state in
            state.entries.filter { names.contains($0.value.identity) }.map {
                BodyRecognition.Live(identity: $0.value.identity, place: $0.key)
            }
        }
    }

    func answers(at place: String) async -> Bool {
        let entry = state.withLock { $0.entries[place] }
        return await entry?.connection.answers() ?? false
    }

    /// Returns when the connection at the one place is over, which is dead: its body is met at the other.
    func end(at former: String, for place: String) async throws {
        guard let entry = state.withLock({ $0.entries[former] }) else { return }
        await entry.connection.makeWay(to: place)
        try await waitUntil { $0.entries[former] == nil }
    }

    func enter(_ place: String, _ identity: CameraIdentity, _ connection: any LiveConnection) {
        change { $0.entries[place] = Entry(identity: identity, connection: connection) }
    }

    /// The connection at this place is over.
    func left(_ place: String) {
        change { $0.entries[place] = nil }
    }

    /// Whether the operator has not been told yet that there are bodies at both of these places.
    func isNews(_ place: String, _ other: String) -> Bool {
        state.withLock { $0.told.insert([place, other].sorted()).inserted }
    }

    /// What is not compared may be taken for another body, or for the same: one loss can be the network's.
    private static let mostComparisonsLost = 2

    func comparisonEnded(at place: String, wasLost: Bool) {
        state.withLock { state in
            state.comparisonsLost[place] = wasLost ? state.comparisonsLost[place, default: 0] + 1 : nil
        }
    }

    /// Not when that has cost several connections: the next one is not spent on it, too.
    func mayCompare(at place: String) -> Bool {
        state.withLock { state in
            guard state.comparisonsLost[place, default: 0] >= Self.mostComparisonsLost else { return true }
            state.comparisonsLost[place] = nil
            return false
        }
    }

    private static let twiceBelieved = 4

    /// It is tried again and again: what was found is not to be found out each time.
    func isTwice(_ body: CameraIdentity, at place: String, showing wireID: String?) {
        state.withLock { state in
            guard state.twice[place] == nil else { return }
            state.twice[place] = FoundTwice(body: body, wireID: wireID, believed: Self.twiceBelieved)
        }
    }

    func foundTwice(at place: String, showing wireID: String?) -> CameraIdentity? {
        state.withLock { state in
            guard var found = state.twice[place], found.wireID == wireID, found.believed > 0 else {
                state.twice[place] = nil
                return nil
            }
            found.believed -= 1
            state.twice[place] = found
            return found.body
        }
    }

    // MARK: Waiting

    private func change(_ body: (inout State) -> Void) {
        let waiting = state.withLock { state in
            body(&state)
            return state.waiting
        }
        for signal in waiting { signal.fire() }
    }

    private func waitUntil(_ isSo: (inout State) -> Bool) async throws {
        let signal = Signal()
        state.withLock { $0.waiting.append(signal) }
        defer { state.withLock { state in state.waiting.removeAll { $0 === signal } } }
        while !state.withLock({ isSo(&$0) }) {
            try Task.checkCancellation()
            await signal.waitUnlessCancelled()
        }
    }
}

/// Photos whose bytes are coming: a partial file is one connection's.
final class PhotosInHand: Sendable {
    private let captures = Mutex<Set<CaptureID>>([])

    /// Whether it is the asker's now, and not in other hands.
    func take(_ capture: CaptureID) -> Bool { captures.withLock { $0.insert(capture).inserted } }

    func leave(_ capture: CaptureID) { captures.withLock { _ = $0.remove(capture) } }
}
