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

    private let most: Int
    private let time: any TimeSource
    private let state = Mutex(State())

    /// Of one client: half a second's work where one takes eight milliseconds.
    static let mostOfOne = 64
    static let mostWaiting = 1000
    static let patience = Duration.seconds(10)

    static let tooMany = APIError(
        .rateLimited, "too many searches are under way; try again in a moment", retryAfter: .seconds(1))

    package init(atOnce: Int, time: any TimeSource) {
        most = atOnce
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
        let (turn, number) = state.withLock { state -> (Turn?, UInt64) in
            state.count += 1
            return (atOnce(client, &state), state.count)
        }
        if let turn { return turn }
        let patience = Task {
            do throws(CancellationError) {
                try await time.sleep(until: time.now + Self.patience)
                leave(number, client)
            } catch {
                // Its turn has come.
                return
            }
        }
        defer { state.withLock { _ = $0.left.remove(number) } }
        let outcome = await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let turn = state.withLock { state in
                    join(Waiting(number: number, continuation: continuation), client, &state)
                }
                if let turn { continuation.resume(returning: turn) }
            }
        } onCancel: {
            leave(number, client)
        }
        patience.cancel()
        await patience.value
        return outcome
    }

    /// How many are in the line.
    var waiting: Int { state.withLock(\.waiting) }

    /// Nothing where it has to wait.
    private func atOnce(_ client: PeerKey, _ state: inout State) -> Turn? {
        if state.running < most {
            state.running += 1
            return .given
        }
        let isFull =
            state.waiting >= Self.mostWaiting || (state.lines[client]?.count ?? 0) >= Self.mostOfOne
        return isFull ? .over : nil
    }

    private func join(_ waiting: Waiting, _ client: PeerKey, _ state: inout State) -> Turn? {
        if state.left.contains(waiting.number) { return .over }
        // A turn may have come free meanwhile, or the line full.
        if let turn = atOnce(client, &state) { return turn }
        if state.lines[client] == nil { state.order.append(client) }
        state.lines[client, default: []].append(waiting)
        state.waiting += 1
        return nil
    }

    /// A guest who types on, or closes the page, does not wait any more; nor does one who has waited too long.
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
        let next = state.withLock { state -> Waiting? in
            guard let client = state.order.first, let next = state.lines[client]?.removeFirst() else {
                state.running -= 1
                return nil
            }
            state.order.removeFirst()
            state.waiting -= 1
            if state.lines[client]?.isEmpty ?? true {
                state.lines[client] = nil
            } else {
                state.order.append(client)
            }
            return next
        }
        next?.continuation.resume(returning: .given)
    }
}
