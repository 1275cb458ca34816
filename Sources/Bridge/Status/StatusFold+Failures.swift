import Basics

extension StatusFold {
    /// The latest failures, the newest first: one for each photo and place, until the photo is there after all.
    mutating func noteFailure(_ news: BridgeNews, at now: Timestamp) {
        switch news {
        case .camera(let news): noteFailure(news, at: now)
        case .upload(.failed(let job, let url, let problem, let isFinal)):
            let trouble = BridgeStatus.Trouble(
                at: now, photo: job.facts.name, kind: isFinal ? .failure : .photo, reason: problem,
                advice: isFinal ? BridgeStatus.failedAdvice : BridgeStatus.triedAgain, needsOperator: isFinal)
            put(
                BridgeStatus.Failure(trouble, place: url, capture: job.capture, job: job.id)
            ) { $0.job == job.id }
        case .upload(.delivered(let job, _, _)): status.failures.removeAll { $0.job == job.id }
        case .upload, .search, .paused, .told, .missed: break
        }
    }

    private mutating func noteFailure(_ news: CameraNews, at now: Timestamp) {
        switch news.event {
        case .lost(let capture, let path, let reason):
            fail(
                capture,
                BridgeStatus.Trouble(
                    at: now, photo: path, kind: .photo, reason: reason, advice: BridgeStatus.lostAdvice),
                at: news.place)
        case .givenUp(let capture, let path, let reason):
            fail(
                capture,
                BridgeStatus.Trouble(
                    at: now, photo: path, kind: .photo, reason: reason, advice: BridgeStatus.givenUpAdvice,
                    needsOperator: false), at: news.place)
        case .staged(let capture, _, _), .duplicate(let capture, _, _), .empty(let capture, _):
            status.failures.removeAll { $0.capture == capture && $0.job == nil }
        case .described(let path):
            status.failures.removeAll {
                $0.place == news.place && $0.trouble.photo == path && $0.job == nil
            }
        case .connection, .advice, .personNeeded, .state, .met, .reconciled, .passedOver, .began, .suspected,
            .deleted, .notDeleted, .held, .released, .remark, .clock:
            break
        }
    }

    private mutating func fail(_ capture: CaptureID?, _ trouble: BridgeStatus.Trouble, at place: String) {
        put(BridgeStatus.Failure(trouble, place: place, capture: capture)) {
            $0.place == place && $0.trouble.photo == trouble.photo && $0.job == nil
        }
    }

    private mutating func put(
        _ failure: BridgeStatus.Failure, insteadOf isEarlier: (BridgeStatus.Failure) -> Bool
    ) {
        status.failures.removeAll(where: isEarlier)
        status.failures.insert(failure, at: 0)
        if status.failures.count > BridgeStatus.mostFailures { status.failures.removeLast() }
    }
}
