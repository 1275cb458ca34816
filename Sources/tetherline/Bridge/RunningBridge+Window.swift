import Basics
import Bridge
import Posix
import Store
import Transfer

/// The event's window, as a run finds and keeps it.
extension RunningBridge {
    /// What the operator should know of it.
    func tell(_ beginning: WindowBeginning) {
        if let other = beginning.closed {
            report.note(
                "'\(other.name)' was open here and is closed now: what is shot from now on goes into '\(event.name)'. Where that "
                    + "is not what you meant, run '\(other.name)' again at once.")
        }
        if let absence = beginning.absence, absence.verdict == nil {
            let (from, until) = (absence.from.onTheWall, absence.until.onTheWall)
            report.note(
                "no bridge ran for '\(event.name)' from \(from) to \(until): what was shot then waits on the card. 'tetherline "
                    + "events take' downloads it, 'tetherline events decline' leaves it there.")
        }
    }

    /// So that a crash leaves no doubt until when there was a run.
    func noteAlive(every interval: Duration, of time: any TimeSource) async {
        var hasFailed = false
        while !Task.isCancelled {
            do {
                try await time.sleep(until: time.now + interval)
                try await ledger.noteAlive(event)
                hasFailed = false
            } catch is CancellationError {
                return
            } catch {
                if !hasFailed { report.note("the ledger cannot note that this run is alive: \(error)") }
                hasFailed = true
            }
        }
    }

    /// `--once` that begins an event takes nothing unless it is told what, and says what it left.
    func leftAtFirstRun() throws -> String? {
        guard command.settings.run.isOnce, command.settings.run.since == nil, let beginning, beginning.isFirst
        else { return nil }
        let left = try command.home.reader().passedOver(in: event.id)[.older, default: 0]
        return
            "this was the first run of '\(event.name)', which begins now: \(left) photos on the cards were shot before and are "
            + "left there. '--since all' takes everything, '--since DATE' what was shot from then on."
    }

    /// Those that are connected look at everything again, by what is taken now.
    func lookAtCardsAgain() async {
        for camera in cameras.all { await camera.lookAgain() }
    }
}
