import Basics
import Bridge
import PTP

/// What a Sony wants to hear before anything else: "all within 30 s", or it hangs up.
struct SonyGreeting {
    let session: CameraSession
    /// The rules that the operator names, where the body's own answer is not to be believed.
    let wanted: SonyVersion?

    private static let limit = Duration.seconds(30)
    /// The body counts for itself, and may be through with it this much earlier.
    private static let moment = Duration.seconds(1)
    private static let pauses: [Duration] = [
        .milliseconds(50), .milliseconds(100), .milliseconds(200), .milliseconds(400),
    ]
    /// "Repeat until data is non-empty, up to 20 times"; then by the older rules.
    private static let mostQuestions = 20

    init(session: CameraSession, wanted: SonyVersion?) {
        self.session = session
        self.wanted = wanted
    }

    func run() async throws(CameraFailure) -> SonyExtendedDeviceInfo {
        let until = session.time.now + Self.limit
        try await connect(1, until)
        try await connect(2, until)
        let info = try await extendedInfo(until)
        try await connect(3, until)
        return info
    }

    /// "8-byte data, ignore": some promise more than they send.
    private func connect(_ step: UInt32, _ until: Duration) async throws(CameraFailure) {
        let call = Call(
            .sonyConnect, [step, 0, 0], data: .incoming(limit: DatasetLimits.sonyConnectBytes),
            timeout: try left(until))
        do throws(CameraError) {
            _ = try await session.demand(call, about: nil)
        } catch {
            switch error.problem {
            case .dataCutShort, .tooMuchData: return
            default: throw failure(error, until)
            }
        }
    }

    private func extendedInfo(_ until: Duration) async throws(CameraFailure) -> SonyExtendedDeviceInfo {
        for version in wanted.map({ [$0] }) ?? [.three, .two] {
            // By the last rules that are left it is asked until the time is over.
            let most = version == .three && wanted == nil ? Self.mostQuestions : .max
            questions: for question in 0..<most {
                let call = Call(
                    .sonyExtendedDeviceInfo, [UInt32(version.rawValue)],
                    data: .incoming(limit: DatasetLimits.sonyDeviceInfoBytes), timeout: try left(until))
                do throws(CameraError) {
                    let reply = try await session.demand(call, about: nil)
                    if !reply.data.isEmpty { return try info(reply.data) }
                } catch {
                    guard error.isHarmless else { throw failure(error, until) }
                    // It does not know these rules.
                    if error.isRefusal {
                        if most == .max { throw failure(error, until) }
                        break questions
                    }
                }
                try await pause(Self.pauses[min(question, Self.pauses.count - 1)], until)
            }
        }
        throw notReady
    }

    private func info(_ bytes: [UInt8]) throws(CameraError) -> SonyExtendedDeviceInfo {
        do throws(Malformed) {
            var info = try SonyExtendedDeviceInfo(decoding: bytes[...])
            if let wanted { info.version = wanted }
            return info
        } catch {
            throw session.error(.malformed(error))
        }
    }

    // MARK: Time

    private func left(_ until: Duration) throws(CameraFailure) -> Duration {
        let left = until - session.time.now
        guard left > .zero else { throw notReady }
        return left
    }

    private func pause(_ pause: Duration, _ until: Duration) async throws(CameraFailure) {
        do {
            try await session.time.sleep(until: min(until, session.time.now + pause))
        } catch {
            throw CameraFailure(session.error(.cancelled))
        }
    }

    // MARK: Errors

    private func failure(_ error: CameraError, _ until: Duration) -> CameraFailure {
        var failure = CameraFailure(error)
        switch failure.trouble {
        case .cancelled: return failure
        case .connectionOver(.lost, _):
            if session.time.now >= until - Self.moment { return notReady }
            failure.reason = "the connection ended before the camera's greeting did: \(error.problem)"
        case .connectionOver: return failure
        default:
            if session.time.now >= until - Self.moment { return notReady }
        }
        failure.advice = Self.advice
        failure.trouble = .connectionOver(.lost(failure.cause), mayBeItsDoing: false)
        return failure
    }

    private var notReady: CameraFailure {
        let reason = "the camera did not come to the end of its greeting within \(Self.limit)"
        return CameraFailure(
            camera: session.links.target, reason: reason, advice: Self.advice,
            trouble: .connectionOver(.lost("\(reason). \(Self.advice)"), mayBeItsDoing: false),
            outcome: .tryAgain)
    }

    private static let advice =
        "Switch PC Remote off and on in the camera's network menu; a body that hangs there wants to be switched off and on."
}
