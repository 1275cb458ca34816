import Basics
import Rendering

/// What this node cannot do just now, another may: its disk is full, or the store does not answer it, or lets it in no longer.
extension Processor {
    /// A node that fails is quicker than those that work: it would take most of what comes.
    static let restAfterTrouble = Duration.seconds(10)
    /// Where no node could do it for so long since its bytes came, its host is told, who can have it tried again.
    static let longestTrouble = Duration.seconds(1800)

    var isResting: Bool { time.now < restsUntil }

    /// False where it has failed for good.
    func givesBack(_ row: UploadRow, _ key: String, after problem: any Error) async -> Bool {
        guard sharesWork, isOfThisNode(problem) else { return false }
        restsUntil = time.now + Self.restAfterTrouble
        do {
            let isLeft = try await store {
                try $0.giveBack(row.id, key: key, within: Self.longestTrouble)
            }
            guard isLeft else { return false }
            log("upload \(row.id) is left to other nodes, because this one cannot work on it: \(problem)")
        } catch {
            // Its lease is not renewed from now on.
            log("upload \(row.id) could not be worked on: \(problem)")
            log("others begin it when its lease has run out, because it could not be given back: \(error)")
            unwritten[row.id, default: 0] += 1
        }
        return true
    }

    /// A renderer that was killed may have been so by the photo; where there is no room, it was not.
    private func isOfThisNode(_ problem: any Error) -> Bool {
        switch problem {
        case let problem as StorageProblem:
            switch problem.meaning {
            case .noRoom, .unavailable, .refused: true
            case .missing, .taken: false
            }
        case let problem as RenderProblem: problem.code == .storage && !hasRoom()
        case let problem as VideoProblem: problem.code == .storage && !hasRoom()
        default: false
        }
    }
}
