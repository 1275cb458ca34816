package import Basics
import Database
import Synchronization

/// One connection with its thread.
package protocol Lane: Actor {}

extension Lane {
    fileprivate func run<Result: Sendable>(
        _ body: @Sendable (isolated Self) throws -> Result
    ) throws -> Result {
        try body(self)
    }
}

/// Connections to one database, each used by one caller at a time. A gallery in a folder has one that writes, and its callers
/// wait for each other there; on a server there are several.
///
/// What fails because of others, or because the connection ended, is done again as a whole until it succeeds or its time is
/// over: so what runs here may run more than once, and of it only the last run counts.
package final class LanePool<Member: Lane>: Sendable {
    package typealias Work<Result> = @Sendable (isolated Member) throws -> Result

    private struct Waiting {
        let deadline: Duration
        /// Nothing when its time is over.
        let continuation: CheckedContinuation<Member?, Never>
    }

    private struct State {
        var idle: [Member]
        var waiting: [Waiting] = []
        var figures = PoolFigures()
        /// Why nothing is done.
        var closure: String?
        var makeRoom: @Sendable () -> Bool = { false }
    }

    let members: [Member]
    private let state: Mutex<State>
    private let time: any TimeSource
    private let random: any RandomSource

    /// How long something is tried again: less than proxies and bridges wait for an answer.
    private static var patience: Duration { .seconds(20) }
    private static var mostWaiting: Int { 10_000 }

    package init(_ members: [Member], time: any TimeSource, random: any RandomSource) {
        self.members = members
        self.time = time
        self.random = random
        state = Mutex(State(idle: members))
    }

    /// What is done once where a change finds no room on the disk; it says whether there is more room now.
    func onNoRoom(_ makeRoom: @escaping @Sendable () -> Bool) { state.withLock { $0.makeRoom = makeRoom } }

    func close(because reason: String?) { state.withLock { $0.closure = reason } }

    package var figures: PoolFigures { state.withLock(\.figures) }

    package func callAsFunction<Result: Sendable>(_ work: Work<Result>) async throws -> Result {
        let start = time.now
        var tries = 0
        while true {
            if let reason = state.withLock(\.closure) { throw Unavailable(cause: reason) }
            do {
                return try await once(work, by: start + Self.patience)
            } catch let error as any SQLError where error.failure == .unknown {
                throw Unavailable(cause: "\(error)")
            } catch let error as any SQLError where error.failure == .noRoom {
                guard state.withLock(\.makeRoom)() else { throw error }
            } catch let error as any SQLError where Self.isPassing(error, tries) {
                tries += 1
                guard time.now - start < Self.patience else { throw Unavailable(cause: "\(error)") }
                state.withLock { $0.figures.retries += 1 }
                // Those that were in each other's way are not so again at once.
                let most = min(1000, 10 << min(tries, 7))
                let pause = Duration.milliseconds(Int64(random.next() % UInt64(most)) + 1)
                do throws(CancellationError) {
                    try await time.sleep(until: time.now + pause)
                } catch {
                    throw Unavailable(cause: "\(error)")
                }
            }
        }
    }

    /// Two that wrote the same at once: the second sees what the first wrote when it looks again.
    private static func isPassing(_ error: any SQLError, _ tries: Int) -> Bool {
        switch error.failure {
        case .lost: true
        case .busy: true
        case .uniqueViolated: tries < 3
        case .foreignKeyViolated, .checkViolated, .noRoom, .unknown, .other: false
        }
    }

    /// Also where nothing else is done.
    func evenIfClosed<Result: Sendable>(_ work: Work<Result>) async throws -> Result {
        try await once(work, by: time.now + Self.patience)
    }

    /// How the database is at this moment: not tried until its time is over, and once more only where the connection had
    /// ended since it was used last.
    func look<Result: Sendable>(_ work: Work<Result>) async throws -> Result {
        if let reason = state.withLock(\.closure) { throw Unavailable(cause: reason) }
        let deadline = time.now + Self.patience
        do {
            return try await once(work, by: deadline)
        } catch let error as any SQLError where error.failure == .lost {
            return try await once(work, by: deadline)
        }
    }

    private func once<Result: Sendable>(
        _ work: Work<Result>, by deadline: Duration
    ) async throws -> Result {
        if members.count == 1 {
            // One that all wait for anyway keeps them in line itself.
            let start = time.now
            defer { state.withLock { $0.figures.note(time.now - start) } }
            return try await members[0].run(work)
        }
        precondition(!members.isEmpty, "what only reads was asked to write")
        let member = try await take(by: deadline)
        let start = time.now
        do {
            let result = try await member.run(work)
            give(member, after: time.now - start)
            return result
        } catch {
            give(member, after: time.now - start, hasLost: (error as? any SQLError)?.failure == .lost)
            throw error
        }
    }

    private func take(by deadline: Duration) async throws -> Member {
        let start = time.now
        let free = state.withLock { $0.idle.popLast() }
        if let free { return free }
        let isCrowded = state.withLock { state in
            state.figures.waits += 1
            return state.waiting.count >= Self.mostWaiting
        }
        guard !isCrowded else {
            throw Unavailable(cause: "\(Self.mostWaiting) others wait for a connection to the database")
        }
        let member = await withCheckedContinuation { continuation in
            let member = state.withLock { state -> Member? in
                // One may have become free since.
                if let free = state.idle.popLast() { return free }
                state.waiting.append(Waiting(deadline: deadline, continuation: continuation))
                return nil
            }
            if let member { continuation.resume(returning: member) }
        }
        state.withLock { $0.figures.waited += time.now - start }
        guard let member else {
            throw Unavailable(cause: "no connection to the database became free in time")
        }
        return member
    }

    /// To the next that still waits for it. A connection whose server does not answer is given back when its own time is over,
    /// so that all who wait are told in time.
    ///
    /// One that has lost its connection, which the server may not let it make anew, is taken after all others.
    private func give(_ member: Member, after span: Duration, hasLost: Bool = false) {
        let now = time.now
        let (late, next) = state.withLock { state -> (ArraySlice<Waiting>, Waiting?) in
            state.figures.note(span)
            let count = state.waiting.firstIndex { $0.deadline > now } ?? state.waiting.count
            let late = state.waiting.prefix(count)
            let next = state.waiting.dropFirst(count).first
            state.waiting.removeFirst(next == nil ? count : count + 1)
            if next == nil { state.idle.insert(member, at: hasLost ? 0 : state.idle.endIndex) }
            return (late, next)
        }
        for waiting in late { waiting.continuation.resume(returning: nil) }
        next?.continuation.resume(returning: member)
    }
}

/// What a pool has seen since the start.
package struct PoolFigures: Equatable, Sendable {
    /// How often a caller found no connection free, and how long these waited in all.
    package var waits: UInt64 = 0
    package var waited = Duration.zero
    /// How often something was done again.
    package var retries: UInt64 = 0
    /// How long connections were used at a time, by upper bounds in seconds.
    package var buckets = [UInt64](repeating: 0, count: PoolFigures.bounds.count)
    package var used = Duration.zero
    package var uses: UInt64 = 0

    package static let bounds = [0.001, 0.005, 0.02, 0.1, 0.5, 2.0, 10.0]

    mutating func note(_ span: Duration) {
        let seconds = span / Duration.seconds(1)
        for (index, bound) in Self.bounds.enumerated() where seconds <= bound { buckets[index] += 1 }
        used += span
        uses += 1
    }
}

/// The database could not do it in the time that there is. The same request may be made again.
package struct Unavailable: Error, CustomStringConvertible {
    package let cause: String

    package var description: String { "the database does not take it now: \(cause)" }
}

package typealias StorePool = LanePool<GalleryStore>
package typealias ReaderPool = LanePool<GalleryReader>

extension LanePool where Member == GalleryStore {
    package var wall: any WallTime { members[0].wall }
    package var random: any RandomSource { members[0].random }
    package var zones: TimeZones { members[0].zones }

    /// See ``GalleryStore/onCommit(_:)``.
    package func onCommit(_ observer: @escaping @Sendable ([GalleryChange]) -> Void) {
        for member in members { member.onCommit(observer) }
    }

    /// Returns when a thread that writes has got to it.
    package func answer() async { await members[0].answer() }
}
