import Basics

extension StatusFold {
    // MARK: Destinations

    mutating func apply(_ event: UploadEvent, at now: Timestamp) {
        switch event {
        case .delivered(let job, let url, let receipt):
            progress += 1
            paces[url, default: DeliveryPace()].confirmed(bytes: receipt.size, at: now)
            totals[url, default: ConfirmedTotals()].confirmed(
                bytes: receipt.size, shot: job.shot, deadline: job.deadline, at: now)
            if let shot = job.shot {
                times[url, default: ConfirmationTimes()].add(
                    ConfirmationTimes.Sample(shot: shot, confirmed: now, deadline: job.deadline))
            }
            undelivered.remove(job.id)
            // What was delivered has been written down, and nothing holds it back there.
            status.notes = []
            destination(url) { $0.hold = nil }
        case .failed(let job, let url, let problem, let isFinal):
            if isFinal { undelivered.insert(job.id) }
            let trouble = BridgeStatus.Trouble(
                at: now, photo: job.facts.name, kind: isFinal ? .failure : .photo, reason: problem,
                advice: isFinal ? BridgeStatus.failedAdvice : BridgeStatus.triedAgain, needsOperator: isFinal)
            destination(url) { $0.lastError = trouble.unlessRepeated($0.lastError) }
        case .held(let url, let cause, let reason):
            destination(url) { destination in
                let hold = BridgeStatus.Destination.Hold(
                    cause: cause, reason: reason, since: destination.hold?.since ?? now)
                let trouble = BridgeStatus.Trouble(
                    at: now, kind: .connection, reason: reason,
                    advice: BridgeStatus.advice(for: hold, at: url), needsOperator: cause != nil)
                destination.hold = hold
                destination.lastError = trouble.unlessRepeated(destination.lastError)
            }
        case .released(let url), .begun(let url):
            destination(url) { destination in
                destination.hold = nil
                // A photo's failure is its own: what held the destination has ended.
                if destination.lastError?.kind == .connection { destination.lastError?.needsNothing() }
            }
        case .slots(let url, let slots): destination(url) { $0.slots = slots }
        case .way(let url, let way): destination(url) { $0.way = way }
        case .ledgerFailed(let reason):
            status.notes = ["the ledger cannot be written: \(reason)"]
        }
    }

    mutating func destination(_ url: String, _ change: (inout BridgeStatus.Destination) -> Void) {
        if let index = status.destinations.firstIndex(where: { $0.url == url }) {
            change(&status.destinations[index])
        } else {
            // One that came while the bridge ran; what kind it is the ledger knows.
            var destination = BridgeStatus.Destination(url: url, kind: .direct)
            change(&destination)
            status.destinations.append(destination)
        }
    }
}
