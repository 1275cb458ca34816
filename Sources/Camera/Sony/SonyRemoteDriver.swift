import Bridge
import PTP

/// What the drivers of a Sony in PC Remote have in common: the properties are its sign of life, and a refusal costs a
/// sentence before it costs the connection.
protocol SonyRemoteDriver: MakerDriver, Actor {
    nonisolated var session: CameraSession { get }
    var version: SonyVersion { get }
    var complaints: SonyComplaints { get set }
    /// It has refused that often in a row that this connection brings nothing more.
    var refusesForGood: Bool { get }
}

/// What a body has refused or said without sense in this connection.
struct SonyComplaints {
    /// As far as the operator was told.
    private var told: Set<OperationCode> = []
    /// Why the connection is left.
    fileprivate(set) var ailment: CameraFailure?

    /// Whether this is the first one about that operation: it goes on for a while before anything follows from it.
    mutating func isFirst(_ operation: OperationCode) -> Bool { told.insert(operation).inserted }
}

extension SonyRemoteDriver {
    /// All properties: what has changed may have been told in an answer that was lost.
    private var question: Call {
        Call(
            .sonyAllProperties, [0], data: .incoming(limit: DatasetLimits.sonyPropertiesBytes))
    }

    /// As far as they are understood, if that is as far as the one that is needed.
    func properties(needing code: DevicePropertyCode?) async throws(CameraError) -> SonyPropertyList {
        let reply = try await session.demand(question, about: nil)
        let list = SonyPropertyList(reading: reply.data[...], version: version)
        if list.followsOtherRules { plain.unseen.met(.sonyOtherRules) }
        guard let problem = list.problem else { return list }
        if let code, list[code] == nil { throw session.error(.malformed(problem)) }
        if complaints.isFirst(.sonyAllProperties) {
            changes.push(.remark("\(problem). What stands before that is taken."))
        }
        return list
    }

    /// The connection stands. A body that goes on refusing does not recover in this one.
    func bear(_ error: CameraError, _ operation: OperationCode) throws(CameraError) {
        plain.unseen.met(error)
        guard error.isHarmless else { throw error }
        guard error.hasAnswered else { return }
        if complaints.isFirst(operation) { changes.push(.remark(Self.sentence(on: error, operation))) }
        guard refusesForGood, complaints.ailment == nil else { return }
        let reason = Self.refusal(of: operation, error)
        complaints.ailment = CameraFailure(
            camera: error.camera, reason: reason,
            advice:
                "It is connected to again; if it goes on like that, switch PC Remote off and on in its network menu.",
            trouble: .connectionOver(.lost(reason), mayBeItsDoing: false), outcome: .tryAgain)
    }

    private static func refusal(of operation: OperationCode, _ error: CameraError) -> String {
        switch operation {
        case .sonyAllProperties: "the camera refuses everything it is asked: \(error.problem)"
        case .sonyContentList: "the camera does not list its card any more: \(error.problem)"
        default: "the camera says that a photo is ready, and refuses it: \(error.problem)"
        }
    }

    private static func sentence(on error: CameraError, _ operation: OperationCode) -> String {
        guard case .malformed(let nonsense) = error.problem, operation == .sonyAllProperties else {
            return "\(error.problem). It is asked again."
        }
        return
            "\(nonsense): what waits in its memory is not known. Try cameras[].sdio-version, 2 or 3; if no photo comes, record the connection with 'camera events --record' and report it"
    }

    func throwIfEnded() async throws(CameraFailure) {
        if let ailment = complaints.ailment { throw ailment }
        try await plain.throwIfEnded()
    }

    /// "Keep polling 0x9209": a body hangs up on clients that ask it nothing.
    func keepAlive() async throws(CameraFailure) {
        try await throwIfEnded()
        let question = question
        try await CameraFailure.attempt { () throws(CameraError) in
            try await session.askForLife(plain.settings.lifeTimeout, by: question)
        }
    }

    func gone(_ reference: PhotoReference, _ operation: OperationCode) -> CameraFailure {
        CameraFailure(session.error(.answered(operation, .invalidObjectHandle, .sony), "photo \(reference)"))
    }
}

extension UnseenRemarks {
    /// "0xA105: drain 0xFFFFC001" is said of the properties.
    func met(_ error: CameraError) {
        guard case .answered(let operation, ResponseCode.Sony.temporaryStorageFull, _) = error.problem,
            operation != .sonyAllProperties
        else { return }
        met(.sonyFull, operation.described(for: .sony))
    }
}

extension PushedNotices {
    /// What is pushed goes to this one; what is not yet seen of that is said.
    func take(noting unseen: UnseenRemarks, by taker: @escaping @Sendable (EventCode) -> Void) {
        take { notice in
            if [.sonyListChanged, .sonyContentPushed].contains(notice.code) {
                unseen.met(.sonyListNotice, notice.code.described(for: .sony))
            }
            taker(notice.code)
        }
    }
}

extension CameraError {
    /// The body did answer, with a refusal or with what makes no sense.
    var hasAnswered: Bool {
        switch problem {
        case .answered, .malformed, .tooMuchData, .dataCutShort: true
        case .timedOut, .notSupported, .ended, .tooLarge, .tooManyObjects, .consumer, .cancelled: false
        }
    }
}
