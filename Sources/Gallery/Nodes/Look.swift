import Basics

/// What a look at something that this node depends on has shown.
struct Look: Equatable, Sendable {
    /// Nothing where it answered as it should.
    let problem: String?

    /// Monitoring and balancers ask every second or two: longer is not waited for, and each answer does for the others of
    /// that second.
    static let patience = Duration.seconds(2)
    static let life = Duration.seconds(1)

    static let late = Look(problem: "it has not answered within 2 seconds")

    /// Once for all that ask meanwhile. What takes longer goes on, and tells the next that asks.
    static func now(
        _ reading: SharedReading<Look>, of time: any TimeSource,
        _ body: @escaping @Sendable () async throws -> Void
    ) async -> Look {
        await reading.value(within: patience, of: time) {
            do {
                try await body()
                return Look(problem: nil)
            } catch {
                return Look(problem: "\(error)")
            }
        } ?? late
    }
}

extension GalleryServer {
    func lookAtDatabase() async -> Look {
        await Look.now(databaseLook, of: time) { [looker = database.looker] in
            try await looker.look { try $0.look() }
        }
    }
}
