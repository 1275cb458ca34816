import Basics
package import Bridge
import Posix

/// What others say to it, and what it says of itself.
extension Uploader {
    /// The ledger may hold new jobs.
    package nonisolated func lookAgain() {
        tell(.lookAgain)
    }

    /// How the way to a destination is now: the network's name, so that all that go by it share its slots, and how
    /// many uploads at a time it bears at most.
    package nonisolated func way(to destination: DestinationID, by path: String, ceiling: Int, isUp: Bool) {
        inbox.post(.way(destination, PathConcurrency.Way(path: path, ceiling: ceiling, isUp: isUp)))
        signal.fire()
    }

    /// The operator's pause, and its end.
    package nonisolated func pause(_ isPaused: Bool) {
        tell(.pause(isPaused))
    }

    /// The operator does not want these any more; they are in the window, or were a moment ago.
    package nonisolated func cancel(_ jobs: [JobID]) {
        tell(.cancel(jobs))
    }

    /// The file of these is being mended: returns when none of them is under way or waits here, and none will until the ledger
    /// lets them go.
    package func putAside(_ jobs: [JobID]) async throws {
        let deadline = time.now + Self.longestPutAside
        repeat {
            tell(.putAside(jobs))
            try await time.sleep(until: time.now + Self.putAsidePause)
            // One that has ended begins nothing more of what it had.
            if jobs.allSatisfy(pending.isSettled),
                scheduler.isDrained || !jobs.contains(where: scheduler.mayHave)
            {
                return
            }
        } while time.now < deadline
        throw StillUnderWay(jobs: jobs)
    }

    private static let longestPutAside = Duration.seconds(30)
    private static let putAsidePause = Duration.milliseconds(20)

    package struct StillUnderWay: Error, CustomStringConvertible {
        let jobs: [JobID]

        package var description: String {
            "deliveries of it did not end in time: \(jobs.map(\.description).joined(separator: ", ")); try again"
        }
    }

    /// What held a destination may be over.
    package nonisolated func tryAgain(_ destination: DestinationID) {
        tell(.tryAgain(destination))
    }

    /// What waits, and for what.
    package var holds: [DestinationID: (cause: HoldCause?, reason: String)] {
        scheduler.heldReasons.reduce(into: [:]) { holds, held in
            holds[held.key] = (scheduler.holdCause(of: held.key), held.value)
        }
    }
}
