import Bridge
import PTP

/// What the errors of a PTP session mean.
extension CameraFailure {
    /// `place` is where the object that the error is about stands in the camera's list, where that is known.
    init(_ error: CameraError, place: Int? = nil) {
        self.init(
            camera: error.camera, subject: error.subject, reason: "\(error.problem)",
            advice: error.advice,
            trouble: error.trouble, outcome: error.problem.outcome,
            object: error.object.map { ListedPlace(PhotoReference($0), place: place) })
        if case .consumer(let failure) = error.problem { takerFailure = failure }
        whenIdle = error.sentenceWhenIdle
        answer = error.code?.rawValue
    }
}

extension CameraFailure {
    /// Does something with a session, and says what a failure of it means to a photo.
    static func attempt<Result>(
        about reference: PhotoReference? = nil, isolation: isolated (any Actor)? = #isolation,
        _ body: () async throws(CameraError) -> Result
    ) async throws(CameraFailure) -> Result {
        do throws(CameraError) {
            return try await body()
        } catch {
            var failure = CameraFailure(error)
            if let reference { failure.object = ListedPlace(reference) }
            throw failure
        }
    }
}

extension CameraError {
    var trouble: FailureImpact {
        switch problem {
        case .ended(.cancelled), .ended(.closed): .cancelled
        case .ended(let ending): .connectionOver(loss(ending), mayBeItsDoing: ending.mayBeAnObjectsDoing)
        case .answered(_, .invalidObjectHandle, _): .gone
        // The object is not to blame, and the next one would be answered alike.
        case .answered where hasLostSession:
            .connectionOver(.lost("\(problem). \(advice)"), mayBeItsDoing: false)
        case .timedOut: .unanswered
        case .answered, .malformed, .tooMuchData, .dataCutShort: .notNow
        case .notSupported, .tooLarge, .tooManyObjects: .never
        case .consumer: .taker
        case .cancelled: .cancelled
        }
    }

    /// The camera does not know our session any more, or counts its transactions otherwise. "If operations fail with
    /// 0x2003 or 0x2004, close TCP and start over": no answer in this connection is about what was asked.
    var hasLostSession: Bool {
        if case .answered(_, let code, _) = problem {
            code == .sessionNotOpen || code == .invalidTransactionID
        } else {
            false
        }
    }

    private func loss(_ ending: Ending) -> ConnectionLife.Loss {
        // The line that says so names the camera, and the one about the photo names the photo.
        let cause = "\(problem). \(advice)"
        return switch ending {
        // "One session per activation."
        case .linkLost where kind?.make == .sony(.sendToComputer): .needsPerson(cause)
        // "Too many clients: InitFail 2, or Device_Busy to OpenSession."
        case .refused(.busy, _), .sessionRefused(.deviceBusy): .busy(cause)
        case .refused, .notConfirmed, .notAdmitted, .foreign(.fujifilmPhone): .needsPerson(cause)
        // What has the address while the camera is away is not the camera, and no button has to be pressed there.
        case .unreachable, .nothingListens, .foreign: .unreachable(cause)
        case .misbehaved(.flood, _): .flood(cause)
        case .closed, .cancelled, .linkLost, .sessionRefused, .silent, .hung, .stalled, .tooSlow,
            .malformed, .misbehaved:
            .lost(cause)
        }
    }

    /// A camera that hangs up while nothing is asked of it mostly sleeps, and is not reached then.
    fileprivate var sentenceWhenIdle: String? {
        switch problem {
        case .ended(.linkLost), .ended(.unreachable):
            let usual =
                "The \(kind?.name ?? "camera") sleeps or was switched off: half-press its shutter, and look at its Wi-Fi menu if it does not come back."
            return "\(problem). \(kind?.words?.advice(on: .asleep) ?? usual)"
        default: return nil
        }
    }
}

extension Ending {
    /// Cameras have been seen to end connections, to fall silent and to lose count over a single file.
    var mayBeAnObjectsDoing: Bool {
        switch self {
        case .linkLost, .silent, .hung, .stalled, .tooSlow, .malformed: true
        case .misbehaved(let conduct, _): conduct.mayBeAnObjectsDoing
        case .closed, .cancelled, .unreachable, .nothingListens, .notAdmitted, .foreign, .refused,
            .notConfirmed, .sessionRefused:
            false
        }
    }

    var outcome: CameraFailure.Outcome {
        switch self {
        case .closed, .cancelled: .interrupted
        case .unreachable, .nothingListens, .linkLost, .silent, .hung, .stalled, .tooSlow: .unavailable
        case .refused(.rejectedInitiator, _), .notAdmitted: .notPermitted
        case .refused, .notConfirmed, .sessionRefused: .tryAgain
        case .malformed, .misbehaved, .foreign: .nonsense
        }
    }
}

extension Misconduct {
    fileprivate var mayBeAnObjectsDoing: Bool {
        switch self {
        case .flood: false
        case .unexpectedPacket, .outOfStep, .tooMuchData, .staleWithoutEnd: true
        }
    }
}

extension CameraError.Problem {
    var outcome: CameraFailure.Outcome {
        switch self {
        case .ended(let ending): ending.outcome
        case .timedOut, .answered(_, .deviceBusy, _): .tryAgain
        case .answered, .notSupported: .failed
        case .malformed, .tooLarge, .tooManyObjects, .tooMuchData, .dataCutShort: .nonsense
        case .consumer: .inputOutput
        case .cancelled: .interrupted
        }
    }
}
