import Synchronization

/// Names that deliveries are deciding about right now: one at a time for each, so that two photos of ours never both
/// find a name free. Where the other side decides by itself it is not needed.
final class ActiveNames: Sendable {
    /// Deliveries that wait for a name that another has.
    private let waiting = Mutex<[String: [CheckedContinuation<Void, Never>]]>([:])

    func holding<Value>(_ name: String, _ body: () async throws -> Value) async rethrows -> Value {
        await take(name)
        defer { give(name) }
        return try await body()
    }

    private func take(_ name: String) async {
        await withCheckedContinuation { continuation in
            let isFree = waiting.withLock { waiting in
                guard waiting[name] != nil else {
                    waiting[name] = []
                    return true
                }
                waiting[name]?.append(continuation)
                return false
            }
            if isFree { continuation.resume() }
        }
    }

    /// To the delivery that has waited longest.
    private func give(_ name: String) {
        let next = waiting.withLock { waiting -> CheckedContinuation<Void, Never>? in
            guard var others = waiting[name], !others.isEmpty else {
                waiting[name] = nil
                return nil
            }
            let next = others.removeFirst()
            waiting[name] = others
            return next
        }
        next?.resume()
    }
}
