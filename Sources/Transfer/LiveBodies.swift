import Bridge
import Posix
import Synchronization

/// What a body that is connected can be asked, whoever asks.
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

    private struct State {
        var entries: [String: Entry] = [:]
        /// Those who wait until a place is left, or somebody else's recognition is over.
        var waiting: [Doorbell] = []
        var beingRecognized: Set<CameraIdentity> = []
        /// What the operator was told of, by the places of two bodies.
        var told: Set<[String]> = []
        /// Places at which a connection ended while photos were compared.
        var comparisonsLost: Set<String> = []
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

    /// The next connection at that place is not spent on comparing, too.
    func comparisonLost(at place: String) { change { $0.comparisonsLost.insert(place) } }

    func mayCompare(at place: String) -> Bool {
        state.withLock { $0.comparisonsLost.remove(place) == nil }
    }

    // MARK: Waiting

    private func change(_ body: (inout State) -> Void) {
        let waiting = state.withLock { state in
            body(&state)
            return state.waiting
        }
        for bell in waiting { bell.ring() }
    }

    private func waitUntil(_ isSo: (inout State) -> Bool) async throws {
        let bell = Doorbell()
        state.withLock { $0.waiting.append(bell) }
        defer { state.withLock { state in state.waiting.removeAll { $0 === bell } } }
        while !state.withLock({ isSo(&$0) }) {
            try Task.checkCancellation()
            await bell.waitUnlessCancelled()
        }
    }
}

/// Photos whose bytes are coming, and from where: a partial file is one connection's.
final class PhotosInHand: Sendable {
    private let places = Mutex<[CaptureID: String]>([:])

    /// Nothing when it is this place's now, else where it comes from.
    func take(_ capture: CaptureID, at place: String) -> String? {
        places.withLock { places in
            if let other = places[capture] { return other }
            places[capture] = place
            return nil
        }
    }

    func leave(_ capture: CaptureID) {
        places.withLock { $0[capture] = nil }
    }
}
