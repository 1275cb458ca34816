import Basics
import Synchronization

/// What is counted in the database for `/metrics`: once for all that ask at the same time, and left out where the database does
/// not answer soon. A reading that hangs is waited for by nothing but the next that asks.
final class RowFigures: Sendable {
    struct Values: Equatable, Sendable {
        let totals: GalleryStore.Totals
        /// Nothing where nothing waits.
        let oldestArrival: Int64?
    }

    private struct State {
        var isReading = false
        var listeners: [AsyncStream<Values>.Continuation] = []
    }

    private let state = Mutex(State())

    func values(
        within patience: Duration, of time: any TimeSource,
        _ read: @escaping @Sendable () async throws -> Values
    ) async -> Values? {
        let (answers, listener) = AsyncStream.makeStream(
            of: Values.self, bufferingPolicy: .bufferingNewest(1))
        let isFirst = state.withLock { state in
            defer { state.isReading = true }
            state.listeners.append(listener)
            return !state.isReading
        }
        if isFirst {
            Task {
                do {
                    end(with: try await read())
                } catch {
                    // That it failed is what is told.
                    end(with: nil)
                }
            }
        }
        return await withTaskGroup(of: Values?.self) { group in
            group.addTask { await answers.first { _ in true } }
            group.addTask {
                do {
                    try await time.sleep(until: time.now + patience)
                } catch {
                    // The other was first.
                    return nil
                }
                return nil
            }
            defer { group.cancelAll() }
            return await group.next() ?? nil
        }
    }

    private func end(with values: Values?) {
        let listeners = state.withLock { state in
            defer { state = State() }
            return state.listeners
        }
        for listener in listeners {
            if let values { listener.yield(values) }
            listener.finish()
        }
    }
}
