import Bridge
import Store
import Upload

/// What follows from photos, for whoever reads along.
extension RunReport {
    func tell(_ event: SpoolKeeper.Event) {
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
}
