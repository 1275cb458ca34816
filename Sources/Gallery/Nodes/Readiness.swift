import Basics
import HTTPServer
import Posix
import Web

/// Why a node is to be sent nothing. What is wrong is told with names, addresses and errors to whom may read figures; all others
/// hear only what it is about.
struct Unreadiness: Equatable, Sendable {
    let word: String
    let details: String

    static let draining = Unreadiness("this node is about to stop")
    static let diskFull = Unreadiness("the disk is full")

    private init(_ word: String) { (self.word, details) = (word, word) }

    init(_ word: String, _ problem: String) {
        self.word = word
        details = "\(word): \(problem)"
    }

    func answer(withDetails: Bool) -> APIError {
        APIError(.serviceUnavailable, "not ready: \(withDetails ? details : word)")
    }
}

extension GalleryServer {
    /// Whether a balancer is to send clients here. The looks at the database and at the store go side by side, each with a time
    /// of its own, and are those of all that ask within a second.
    func ready(_ request: Request) async throws -> Response {
        if let problem = await unreadiness() {
            throw problem.answer(withDetails: settings.mayReadMetrics(request.client))
        }
        return .data(["status": .string("ready")])
    }

    /// What was found within the last seconds, for who asks again and again.
    func isReady() async -> Bool {
        if isDraining { return false }
        if let isKnown = readiness.isReady(at: time.now) { return isKnown }
        return await unreadiness() == nil
    }

    /// Until the task is cancelled: so that the log says it, and no work is taken, where no balancer asks.
    func watchReadiness() async {
        while !Task.isCancelled {
            _ = await isReady()
            do throws(CancellationError) {
                try await time.sleep(until: time.now + ReadinessRecord.life)
            } catch {
                return
            }
        }
    }

    private func unreadiness() async -> Unreadiness? {
        if isDraining { return .draining }
        let problem = await lookAround()
        // Who has stopped waiting has seen nothing.
        if !Task.isCancelled { readiness.note(problem, at: time.now) }
        return problem
    }

    private func lookAround() async -> Unreadiness? {
        if let problem = lookAtDisk() { return problem }
        async let database = lookAtDatabase()
        async let store = lookAtStore()
        let problems = await (database.problem, store.problem)
        if let problem = problems.0 { return Unreadiness("the database cannot be used now", problem) }
        if let problem = problems.1 { return Unreadiness("the store cannot be used now", problem) }
        return cluster?.commits.problem.map {
            Unreadiness("what is written here does not become durable", $0)
        }
    }

    private func lookAtStore() async -> Look {
        let look = await Look.now(storeLook, of: time) { [storage] in
            // A list says whether there is a bucket at all, which a look at an object does not.
            _ = try await storage.list(after: ObjectKey.beyondAll, limit: 1)
        }
        if !Task.isCancelled { readiness.note(store: look) }
        return look
    }

    private func lookAtDisk() -> Unreadiness? {
        do throws(SystemError) {
            return try Self.isDiskFull(reserve, storage.workshop) ? .diskFull : nil
        } catch {
            return Unreadiness("the disk cannot be looked at", "\(error)")
        }
    }

    /// Where photos are made, or the database's where that is a file.
    static func isDiskFull(_ reserve: DiskReserve?, _ workshop: String) throws(SystemError) -> Bool {
        guard reserve?.hasRoom() ?? true else { return true }
        return try DiskReserve.isFull(Directory(path: workshop))
    }
}
