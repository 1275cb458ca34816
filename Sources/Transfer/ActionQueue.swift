import Bridge

/// Actions that are carried out in their order, by one worker or by a few side by side. Belongs to an actor and is used
/// only on it.
final class ActionQueue {
    private var waiting: [TransferMachine.Action] = []
    private var head = 0
    private var workers: [CheckedContinuation<TransferMachine.Action?, Never>] = []
    private var isClosed = false

    /// What is posted after the end goes nowhere.
    func post(_ action: TransferMachine.Action) {
        if isClosed { return }
        if workers.isEmpty {
            waiting.append(action)
        } else {
            workers.removeFirst().resume(returning: action)
        }
    }

    /// What is in it is still carried out.
    func close() {
        isClosed = true
        for worker in workers { worker.resume(returning: nil) }
        workers = []
    }

    /// Looks and lies down in one step: awaiting may let others run on the actor first, before anything is registered.
    func next() async -> TransferMachine.Action? {
        await withCheckedContinuation { continuation in
            if head < waiting.count {
                let action = waiting[head]
                head += 1
                if head == waiting.count {
                    waiting.removeAll(keepingCapacity: true)
                    head = 0
                }
                continuation.resume(returning: action)
            } else if isClosed {
                continuation.resume(returning: nil)
            } else {
                workers.append(continuation)
            }
        }
    }
}

extension TransferMachine.Action {
    /// Where an action is carried out: what is in one line is done in its order.
    enum Line: CaseIterable {
        /// The camera is asked one thing at a time, and partial files are its business.
        case camera
        case finish
        case ledger
        /// What takes no time.
        case desk
    }

    var line: Line {
        switch self {
        case .survey, .surveyForOthers, .list, .describe, .fetch, .release, .delete, .keepAlive, .beginAnew,
            .discard:
            .camera
        case .finish: .finish
        // What is not to be trusted is written down also when the camera is gone.
        case .record, .settleMissing, .settle, .charge, .detach, .distrust, .askForDeletable, .learn,
            .journal, .answerSurveyWanted:
            .ledger
        case .endConnection, .answerDeletionWanted, .report: .desk
        }
    }
}
