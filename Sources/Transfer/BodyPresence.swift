import Basics
import Camera
import Posix

/// Whether the body of a transfer is still there, for those who have met one that calls itself the same.
struct BodyPresence: LiveConnection {
    let transfer: CameraTransfer
    let time: any TimeSource

    /// How long a body that answers at all takes for it, between two photos and over the listing of its card.
    private static let limit = Duration.seconds(10)
    private static let limitOverList = Duration.seconds(30)
    private static let look = Duration.milliseconds(100)

    /// Whatever comes from it is an answer.
    func answers() async -> Bool {
        let asked = await transfer.connection
        let before = transfer.heard.value
        let until = time.now + (await transfer.isConnected ? Self.limit : Self.limitOverList)
        let question = Task(executorPreference: transfer.executor) { try await ask() }
        defer { question.cancel() }
        while await transfer.isStanding(asked), time.now < until {
            if transfer.heard.value > before { return true }
            do {
                try await time.sleep(until: time.now + Self.look)
            } catch {
                // The one who asks is ending.
                return true
            }
        }
        return false
    }

    /// Something has to be asked for: not every body tells its time.
    private func ask() async throws {
        try await transfer.lend { camera in
            if try await camera.clock() == nil { _ = try await camera.references() }
            transfer.heard.add(1)
        }
    }

    func makeWay(to place: String) async { await transfer.makeWay(to: place) }
}
