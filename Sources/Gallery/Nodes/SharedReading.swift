import Basics
import Synchronization

/// Something that is looked up once for all that ask at the same time, and left out where it is not known soon. A reading that
/// hangs is waited for by nothing but the next that asks; one that has come to its end answers for as long as it is kept.
final class SharedReading<Value: Sendable>: Sendable {
    private struct State {
        var isReading = false
        var listeners: [AsyncStream<Value>.Continuation] = []
        var last: (value: Value, until: Duration)?
    }

    private enum Turn {
        case known(Value)
        case reads
        case waits
    }

    private let state = Mutex(State())
    private let keeping: Duration

    init(keeping: Duration = .zero) { self.keeping = keeping }

    func value(
        within patience: Duration, of time: any TimeSource,
        _ read: @escaping @Sendable () async throws -> Value
    ) async -> Value? {
        let (answers, listener) = AsyncStream.makeStream(
            of: Value.self, bufferingPolicy: .bufferingNewest(1))
        let now = time.now
        let turn = state.withLock { state -> Turn in
            if let last = state.last, last.until > now { return .known(last.value) }
            state.listeners.append(listener)
            guard !state.isReading else { return .waits }
            state.isReading = true
            return .reads
        }
        if case .known(let value) = turn { return value }
        if case .reads = turn {
            Task {
                do {
                    end(with: try await read(), at: time.now)
                } catch {
                    // That it failed is what is told.
                    end(with: nil, at: time.now)
                }
            }
        }
        return await withTaskGroup(of: Value?.self) { group in
            group.addTask { await answers.first { _ in true } }
            group.addTask {
                do {
                    try await time.sleep(until: now + patience)
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

    private func end(with value: Value?, at now: Duration) {
        let listeners = state.withLock { state in
            defer { state = State(last: value.map { ($0, now + keeping) }) }
            return state.listeners
        }
        for listener in listeners {
            if let value { listener.yield(value) }
            listener.finish()
        }
    }
}
