import Basics
import Synchronization

/// Counts that all nodes share, in the database. A node decides in one transaction at a time, in which all are answered who have
/// asked since the last began: a hall behind one address waits for a few transactions and not for one of each guest, and no more
/// than one connection waits for other nodes.
package final class SharedLimits: Sendable {
    private struct Question: Sendable {
        let keys: [LimitKey]
        /// May run more than once; only the last counts.
        let decide: @Sendable (inout LimitRows, Duration) -> Void
    }

    private enum Turn: Sendable {
        case answered
        /// Answers itself, and those who wait.
        case leads
    }

    private struct Waiting: Sendable {
        let question: Question
        let turn: CheckedContinuation<Turn, any Error>
    }

    private struct State {
        var isLed = false
        var waiting: [Waiting] = []
    }

    private let state = Mutex(State())
    private let store: StorePool

    private static let mostAtOnce = 200
    private static let mostWaiting = 10_000

    /// Nothing where only one program uses the database.
    package init?(_ store: StorePool) {
        guard store.members.contains(where: { $0.worker != nil }) else { return nil }
        self.store = store
    }

    /// Throws ``Unavailable`` where the database cannot be reached: nothing was looked at then.
    func decide<Result: Sendable>(
        _ keys: [LimitKey], _ decision: @escaping @Sendable (inout LimitRows, Duration) -> Result
    ) async throws -> Result {
        let answer = Answer<Result>()
        let question = Question(keys: keys) { rows, now in answer.set(decision(&rows, now)) }
        if try await turn(for: question) == .leads { try await lead(with: question) }
        guard let result = answer.value else { preconditionFailure("a transaction decides all it was asked") }
        return result
    }

    private final class Answer<Value: Sendable>: Sendable {
        private let known = Mutex<Value?>(nil)

        var value: Value? { known.withLock(\.self) }
        func set(_ value: Value) { known.withLock { $0 = value } }
    }

    private func turn(for question: Question) async throws -> Turn {
        try await withCheckedThrowingContinuation { continuation in
            let outcome = state.withLock { state -> Result<Turn, any Error>? in
                if !state.isLed {
                    state.isLed = true
                    return .success(.leads)
                }
                guard state.waiting.count < Self.mostWaiting else {
                    return .failure(
                        Unavailable(cause: "\(Self.mostWaiting) others wait for limits to be looked at"))
                }
                state.waiting.append(Waiting(question: question, turn: continuation))
                return nil
            }
            if let outcome { continuation.resume(with: outcome) }
        }
    }

    private func lead(with own: Question) async throws {
        let others = state.withLock { state in
            let others = Array(state.waiting.prefix(Self.mostAtOnce - 1))
            state.waiting.removeFirst(others.count)
            return others
        }
        let questions = [own] + others.map(\.question)
        let keys = Set(questions.flatMap(\.keys)).sorted()
        do {
            try await store {
                try $0.decide(about: keys) { rows, now in
                    for question in questions { question.decide(&rows, now) }
                }
            }
        } catch {
            if Task.isCancelled {
                // Only the leader is not waited for any more.
                state.withLock { $0.waiting.insert(contentsOf: others, at: 0) }
            } else {
                // Those who came meanwhile would find the same, each after as long a wait.
                let all = others + takeWaiting()
                for other in all { other.turn.resume(throwing: error) }
            }
            handOver()
            throw error
        }
        for other in others { other.turn.resume(returning: .answered) }
        handOver()
    }

    private func takeWaiting() -> [Waiting] {
        state.withLock { state in
            defer { state.waiting = [] }
            return state.waiting
        }
    }

    private func handOver() {
        let next = state.withLock { state -> Waiting? in
            guard !state.waiting.isEmpty else {
                state.isLed = false
                return nil
            }
            return state.waiting.removeFirst()
        }
        next?.turn.resume(returning: .leads)
    }
}
