package import Basics
import Synchronization

/// Whose search is next. A search works for milliseconds where a page takes one, so only some run at a time, beside the
/// connections that pages are read by; the others wait. Addresses take turns, and so do the guests behind each (``SearchClient``):
/// one that sends hundreds waits for itself.
package final class SearchTurns: Sendable {
    private enum Turn {
        /// It is this search's turn, which gives it on.
        case given
        /// It was waited for too long, or the client has gone.
        case over
    }

    private struct State {
        var running = 0
        var count: UInt64 = 0
        var line = SearchLine<CheckedContinuation<Turn, Never>>()
        /// Those that left before they were in line.
        var left: Set<UInt64> = []
    }

    private let most: Int
    private let time: any TimeSource
    private let state = Mutex(State())

    static let patience = Duration.seconds(10)

    static let tooMany = APIError(
        .rateLimited, "too many searches are under way; try again in a moment", retryAfter: .seconds(1))

    package init(atOnce: Int, time: any TimeSource) {
        most = atOnce
        self.time = time
    }

    package func callAsFunction<Result: Sendable>(
        for client: SearchClient, _ search: () async throws -> Result
    ) async throws -> Result {
        guard await take(client) == .given else { throw Self.tooMany }
        defer { passOn() }
        return try await search()
    }

    // MARK: The line

    private func take(_ client: SearchClient) async -> Turn {
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
                let turn = state.withLock { join(continuation, number, client, &$0) }
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
    var waiting: Int { state.withLock(\.line.count) }

    /// Nothing where it has to wait.
    private func atOnce(_ client: SearchClient, _ state: inout State) -> Turn? {
        if state.running < most {
            state.running += 1
            return .given
        }
        return state.line.hasRoom(for: client) ? nil : .over
    }

    private func join(
        _ continuation: CheckedContinuation<Turn, Never>, _ number: UInt64, _ client: SearchClient,
        _ state: inout State
    ) -> Turn? {
        if state.left.contains(number) { return .over }
        // A turn may have come free meanwhile, or the line full.
        if let turn = atOnce(client, &state) { return turn }
        state.line.join(continuation, number, client)
        return nil
    }

    /// A guest who types on, or closes the page, does not wait any more; nor does one who has waited too long.
    private func leave(_ number: UInt64, _ client: SearchClient) {
        let found = state.withLock { state in
            let found = state.line.leave(number, client)
            // Not in line yet, or its turn has come.
            if found == nil { state.left.insert(number) }
            return found
        }
        found?.resume(returning: .over)
    }

    private func passOn() {
        let next = state.withLock { state in
            let next = state.line.next()
            if next == nil { state.running -= 1 }
            return next
        }
        next?.resume(returning: .given)
    }
}
