import Basics
import Bridge
import Store
import Upload

/// What follows from photos, what was found at the start, and the sum at the end.
extension RunReport {
    func tell(_ event: SpoolRetention.Event) {
        switch event {
        case .removed: break
        case .held(let reason): note("delivered photos stay in the spool for now: \(reason)")
        case .released: note("delivered photos leave the spool again")
        }
    }

    func tell(_ event: HookRunner.Event) {
        switch event {
        case .failed(let program, let capture, let problem):
            note("\(program) failed for photo \(capture): \(problem)")
        case .dropped(let count): note("\(count) hooks were not run: too many wait")
        case .notRun(let count): note("\(count) hooks had not been run when the bridge ended")
        }
    }

    func tell(_ event: WebhookSender.Event) {
        switch event {
        case .held(let name, let reason):
            note("\(name) cannot be told now; it is tried again by itself: \(reason)")
        case .released(let name): note("\(name) is told again")
        case .givenUp(let name, _, let problem): note("\(name) was not told of a photo: \(problem)")
        case .ledgerFailed(let reason): note("messages to listeners wait for the ledger: \(reason)")
        }
    }

    func tell(_ report: Recovery.Report) {
        guard !report.isQuiet else { return }
        tell(
            "recovered",
            "found after the last run: \(report.adopted) whole photos, \(report.resumable) parts to go on with, "
                + "\(report.strays) strays, \(report.vanished) vanished, \(report.rescuedJobs) interrupted deliveries",
            [
                "adopted": .integer(Int64(report.adopted)), "resumable": .integer(Int64(report.resumable)),
                "strays": .integer(Int64(report.strays)), "vanished": .integer(Int64(report.vanished)),
                "removed": .integer(Int64(report.removed)),
                "rescuedJobs": .integer(Int64(report.rescuedJobs)),
            ])
    }

    func sum(_ counts: LedgerReader.Counts, _ event: BridgeEvent, notDescribed: [String]) {
        let captures = CaptureState.allCases.compactMap { state in
            counts.captures[state].flatMap { $0 > 0 ? "\($0) \(state.advice)" : nil }
        }
        let jobs = JobState.allCases.compactMap { state in
            counts.jobs[state].flatMap { $0 > 0 ? "\($0) \(state.rawValue)" : nil }
        }
        let unnamed =
            notDescribed.isEmpty ? "" : "; could not be described: \(notDescribed.joined(separator: ", "))"
        tell(
            "sum",
            "\(event.name): photos: \(captures.isEmpty ? "none have come yet" : captures.joined(separator: ", "))"
                + (jobs.isEmpty ? "" : "; deliveries: \(jobs.joined(separator: ", "))") + unnamed,
            [
                "eventId": .string(event.id), "name": .string(event.name),
                "captures": .object(
                    counts.captures.sorted { $0.key.rawValue < $1.key.rawValue }.map {
                        (key: $0.key.rawValue, value: .integer(Int64($0.value)))
                    }),
                "jobs": .object(
                    counts.jobs.sorted { $0.key.rawValue < $1.key.rawValue }.map {
                        (key: $0.key.rawValue, value: .integer(Int64($0.value)))
                    }),
                "notDescribed": .array(notDescribed.map { .string($0) }),
            ])
    }
}
