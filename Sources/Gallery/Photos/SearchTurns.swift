package import Basics
import Synchronization

/// Whose search is next. A search works for milliseconds where a page takes one, so only some run at a time, beside the
/// connections that pages are read by; the others wait, and clients take turns: one that sends hundreds waits for itself.
///
/// A client is an address (``PeerKey``). The guests of a hall may have one between them, so it may have many searches in
/// the line.
package final class SearchTurns: Sendable {
    private struct Waiting {
        let number: UInt64
        let deadline: Duration
        let continuation: CheckedContinuation<Turn, Never>
    }

    private enum Turn {
        /// It is this search's turn, which gives it on.
        case given
        /// It was waited for too long, or the client has gone.
        case over
    }

    private struct State {
        var running = 0
        var count: UInt64 = 0
        /// Of each client that waits, oldest first.
        var lines: [PeerKey: [Waiting]] = [:]
        /// The clients that wait, as their turns come.
        var order: [PeerKey] = []
        var waiting = 0
        /// Those that left before they were in line.
        var left: Set<UInt64> = []
    }

    private let atOnce: Int
    private let time: any TimeSource
    private let state = Mutex(State())

    /// Of one client. Some five searches are done in the time in which a guest notices a wait.
    static let mostOfOne = 64
    static let mostWaiting = 1000
    static let patience = Duration.seconds(10)

    static let tooMany = APIError(
        .rateLimited, "too many searches are under way; try again in a moment", retryAfter: .seconds(1))

    package init(atOnce: Int, time: any TimeSource) {
        self.atOnce = atOnce
        self.time = time
    }

    package func callAsFunction<Result: Sendable>(
        for client: PeerKey, _ search: () async throws -> Result
    ) async throws -> Result {
        guard await take(client) == .given else { throw Self.tooMany }
        defer { passOn() }
        return try await search()
    }

    // MARK: The line

    private func take(_ client: PeerKey) async -> Turn {
        let number = state.withLock { state -> UInt64 in
            state.count += 1
            return state.count
        }
        let turn = await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let turn = state.withLock { state in
                    join(
                        Waiting(
                            number: number, deadline: time.now + Self.patience, continuation: continuation),
                        client, &state)
                }
                if let turn { continuation.resume(returning: turn) }
            }
        } onCancel: {
            leave(number, client)
        }
        state.withLock { _ = $0.left.remove(number) }
        return turn
    }

    /// How many are in the line.
    var waiting: Int { state.withLock(\.waiting) }

    /// Nothing where it has to wait.
    private func join(_ waiting: Waiting, _ client: PeerKey, _ state: inout State) -> Turn? {
        if state.left.remove(waiting.number) != nil { return .over }
        if state.running < atOnce {
            state.running += 1
            return .given
        }
        let line = state.lines[client] ?? []
        guard state.waiting < Self.mostWaiting, line.count < Self.mostOfOne else { return .over }
        if line.isEmpty { state.order.append(client) }
        state.lines[client, default: []].append(waiting)
        state.waiting += 1
        return nil
    }

    /// A guest who types on, or closes the page, does not wait any more.
    private func leave(_ number: UInt64, _ client: PeerKey) {
        let found = state.withLock { state -> Waiting? in
            guard let place = state.lines[client]?.firstIndex(where: { $0.number == number }) else {
                // Not in line yet, or its turn has come.
                state.left.insert(number)
                return nil
            }
            let found = state.lines[client]?.remove(at: place)
            state.waiting -= 1
            if state.lines[client]?.isEmpty ?? true {
                state.lines[client] = nil
                state.order.removeAll { $0 == client }
            }
            return found
        }
        found?.continuation.resume(returning: .over)
    }

    private func passOn() {
        let now = time.now
        var late: [Waiting] = []
        let next = state.withLock { state -> Waiting? in
            while let client = state.order.first {
                state.order.removeFirst()
                guard let waiting = state.lines[client]?.removeFirst() else { continue }
                state.waiting -= 1
                if state.lines[client]?.isEmpty ?? true {
                    state.lines[client] = nil
                } else {
                    state.order.append(client)
                }
                if waiting.deadline > now { return waiting }
                late.append(waiting)
            }
            state.running -= 1
            return nil
        }
        for waiting in late { waiting.continuation.resume(returning: .over) }
        next?.continuation.resume(returning: .given)
    }
}
