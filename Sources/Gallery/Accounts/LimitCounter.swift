import Basics
import Synchronization

/// Asks limits, wherever they are counted: in this program's memory, by its clock, or in rows that all nodes share, by the
/// calendar.
final class LimitCounter<Limits: CountedLimits>: Sendable {
    private let new: Limits
    private let memory: Mutex<Limits>
    private let shared: SharedLimits?
    private let time: any TimeSource

    init(_ new: Limits, _ shared: SharedLimits?, time: any TimeSource) {
        self.new = new
        memory = Mutex(new)
        self.shared = shared
        self.time = time
    }

    /// All of a decision at one moment: no other comes between.
    func decide<Result: Sendable>(
        on subject: Limits.Subject, _ decision: @escaping @Sendable (inout Limits, Duration) -> Result
    ) async throws -> Result {
        guard let shared else { return memory.withLock { decision(&$0, time.now) } }
        let new = new
        return try await shared.decide(new.keys(of: subject)) { rows, now in
            var limits = new
            limits.read(rows, of: subject)
            let result = decision(&limits, now)
            limits.write(to: &rows, of: subject)
            return result
        }
    }
}

extension LimitCounter where Limits == TryLimits {
    /// Throws `rateLimited` where the rule leaves no more.
    func take(_ name: String) async throws {
        if let wait = try await decide(on: name, { $0.take(name, at: $1) }) { throw Accounts.tooMany(wait) }
    }
}
