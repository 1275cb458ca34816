package import Basics
import Synchronization

/// Where a gallery's keys are kept.
package protocol KeyPlace: Sendable {
    func load() async throws -> ServerSecret
    /// Makes another, and tells its number.
    func add() async throws -> Int64
    /// What was signed with it is good for nothing from then on.
    func retire(_ number: Int64) async throws
}

/// The keys of a gallery as this program knows them. Others may add and retire some meanwhile.
package final class KeyRing: Sendable {
    private struct State {
        var secret: ServerSecret
        /// When it was last asked for because of a key that is not known here.
        var lastSearch: Duration?
    }

    private let state: Mutex<State>
    private let place: (any KeyPlace)?
    private let time: (any TimeSource)?

    /// How often a program that shares its keys reads them anew.
    static let readPause = Duration.seconds(5)
    /// For so long a new key signs nothing: more than every node takes to read it.
    static let introduction = Duration.seconds(15)
    /// A client can name keys that never were.
    private static let searchPause = Duration.seconds(1)

    /// Keys that stay as they are.
    package init(_ secret: ServerSecret) {
        state = Mutex(State(secret: secret))
        place = nil
        time = nil
    }

    package init(at place: any KeyPlace, time: any TimeSource) async throws {
        let secret = try await place.load()
        state = Mutex(State(secret: secret))
        self.place = place
        self.time = time
    }

    package var secret: ServerSecret { state.withLock(\.secret) }

    package func keys(for purpose: ServerSecret.Purpose) -> SigningKeys { secret.keys(for: purpose) }

    /// Reads them anew.
    package func read() async throws {
        guard let place else { return }
        let secret = try await place.load()
        state.withLock { $0.secret = secret }
    }

    /// Before something is refused that names a key which is not known here: another node may have made it just now.
    func look(for number: Int64?) async throws {
        guard let number, let time else { return }
        let now = time.now
        let isDue = state.withLock { state in
            if state.secret.keys.contains(where: { $0.number == number }) { return false }
            if let last = state.lastSearch, now - last < Self.searchPause { return false }
            state.lastSearch = now
            return true
        }
        if isDue { try await read() }
    }

    /// Until the task is cancelled; for a program that shares its keys with others.
    func keepReading(_ log: GalleryLog) async {
        guard let time else { return }
        var hasComplained = false
        while true {
            do throws(CancellationError) {
                try await time.sleep(until: time.now + Self.readPause)
            } catch {
                return
            }
            do {
                try await read()
                hasComplained = false
            } catch {
                if !hasComplained {
                    log.warning("the signing keys could not be read anew, which is tried again: \(error)")
                }
                hasComplained = true
            }
        }
    }

    // MARK: For the operator

    /// `gallery keys rotate`: the number of the new key.
    package func rotate() async throws -> Int64 {
        let number = try await changeable().add()
        try await read()
        return number
    }

    /// `gallery keys retire`
    package func retire(_ number: Int64) async throws {
        try await changeable().retire(number)
        try await read()
    }

    private func changeable() throws(APIError) -> any KeyPlace {
        guard let place else { throw APIError(.conflict, "the keys of this program stay as they are") }
        return place
    }
}
