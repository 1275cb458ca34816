package import Basics
import Posix

/// Tells hosts that events of theirs end, each once for an end, until the operator's program has taken it.
///
/// Any number of nodes do this for one database; each takes what no other has. A node that is killed between telling and writing
/// that down tells once more.
package final class HostReminder: Sendable {
    private let store: StorePool
    private let way: any ReminderWay
    private let publicURL: String
    private let time: any TimeSource
    private let log: GalleryLog

    /// How often it is looked whether an end is near.
    private static let lookPause = Duration.seconds(60)

    package init(
        store: StorePool, way: any ReminderWay, publicURL: String, time: any TimeSource, log: GalleryLog
    ) {
        self.store = store
        self.way = way
        self.publicURL = publicURL
        self.time = time
        self.log = log
    }

    enum Turn: Equatable, Sendable {
        /// Nothing was due.
        case nothing
        case told(Reminder)
        /// It is due again later, and others are told meanwhile.
        case failed(String)
        /// The database does not answer.
        case stuck(String)
    }

    /// Until the task is cancelled. What is under way then is told by the next start, or by another node.
    package func run() async {
        var isStuck = false
        while !Task.isCancelled {
            switch await turn() {
            case .told:
                isStuck = false
                continue
            case .failed(let problem):
                guard !Task.isCancelled else { return }
                log.warning("a host could not be told that an event ends, which is tried again: \(problem)")
                continue
            case .stuck(let problem):
                guard !Task.isCancelled else { return }
                if !isStuck {
                    log.warning("it could not be seen which events end, which is tried again: \(problem)")
                }
                isStuck = true
            case .nothing: isStuck = false
            }
            do {
                try await time.sleep(until: time.now + Self.lookPause)
            } catch {
                return
            }
        }
    }

    /// Tells one that is due.
    func turn() async -> Turn {
        do {
            guard let due = try await store({ try $0.takeReminder() }) else { return .nothing }
            do throws(OperatorProblem) {
                try await way.tell(due, publicURL: publicURL)
            } catch {
                try await store { [isRefusal = error.isRefusal] in try $0.giveBack(due, isRefused: isRefusal)
                }
                return .failed(error.description)
            }
            try await store { try $0.told(due) }
            return .told(due)
        } catch {
            return .stuck("\(error)")
        }
    }
}
