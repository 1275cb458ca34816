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
        if let problem = try await unreadiness() {
            throw problem.answer(withDetails: settings.mayReadMetrics(request.client))
        }
        return .data(["status": .string("ready")])
    }

    private func unreadiness() async throws -> Unreadiness? {
        if isDraining { return .draining }
        if try isDiskFull() { return .diskFull }
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
        await Look.now(storeLook, of: time) { [storage] in
            // A list says whether there is a bucket at all, which a look at an object does not.
            _ = try await storage.list(after: ObjectKey.beyondAll, limit: 1)
        }
    }

    /// Where photos are made, or the database's where that is a file.
    private func isDiskFull() throws -> Bool {
        guard reserve?.hasRoom() ?? true else { return true }
        return try DiskReserve.isFull(Directory(path: storage.workshop))
    }
}
