import PTP
import TestSupport

/// Both machines against each other, through pipes that cut, delay and drop, in simulated time. The same
/// seed gives the same run.
struct BackToBack {
    enum Fault: Equatable {
        case none
        /// Both ends see the link break after so many bytes.
        case cut(Channel, afterBytes: Int)
        /// Nothing gets through any more in one direction, and neither end is told.
        case silence(Channel, Pipe.End, afterBytes: Int)
        /// The body takes longer for some answers than the client waits.
        case lateAnswers
    }

    enum Happening {
        case start
        case linkOpened(Channel)
        case arrived([UInt8], Channel, Pipe.End)
        case broke(Channel, Pipe.End)
        case answered(Responder.Answer)
        case sendNextPacket(Int)
        case nextStep
        case cancelCall(step: Int)
        case look
    }

    /// What came of one call.
    struct Outcome: Equatable {
        var call: Call
        var bytes: [UInt8] = []
        var reply: Reply?
        var failure: CallFailure?
        var wasCancelled = false
    }

    let fault: Fault
    var random: Seeded
    var now: Duration = .zero
    var agenda = Agenda<Happening>()
    var initiator: Initiator
    var responder: Responder
    var pipes: [Pipe]
    let body: Body
    var steps: [Call]
    var outcomes: [Outcome] = []
    var notices: [EventPacket] = []
    var sentNotices: [EventPacket] = []
    var sending: Sending?
    var dataPhases = 0
    var ending: Ending?
    var responderFree = false
    var happenings = 0

    /// Data on its way from the body, a packet at a time.
    struct Sending {
        let id: Int
        let transaction: TransactionID
        var rest: ArraySlice<UInt8>
        var stops = false
        let endsEmpty: Bool
    }

    init(seed: UInt64) {
        var random = Seeded(seed)
        var timeouts = Timeouts()
        timeouts.person = .seconds(20)
        initiator = Initiator(
            identity: InitCommandRequest(guid: .zero, name: "back to back"), timeouts: timeouts)
        var settings = Responder.Settings(
            identity: InitCommandAck(
                connectionNumber: UInt32.random(in: 0...3, using: &random), guid: .anonymous, name: "body"))
        settings.probeInterval = .seconds(15)
        settings.countsTransactions = true
        responder = Responder(settings: settings)
        pipes = Channel.allCases.flatMap { [Pipe($0, to: .initiator), Pipe($0, to: .responder)] }
        fault = BackToBack.fault(&random)
        body = Body(answersLate: fault == .lateAnswers)
        steps = (0..<Int.random(in: 1...6, using: &random)).map { _ in BackToBack.call(&random) }
        if case .silence(let channel, let end, let bytes) = fault {
            for index in pipes.indices where pipes[index].channel == channel && pipes[index].to == end {
                pipes[index].silentAfter = bytes
            }
        }
        self.random = random
    }

    private static func fault(_ random: inout Seeded) -> Fault {
        let bytes = Int.random(in: 0...(random.chance(50) ? 400 : 200_000), using: &random)
        let channel = random.chance(70) ? Channel.command : .event
        return switch Int.random(in: 0..<10, using: &random) {
        case 0..<4: .none
        case 4..<6: .cut(channel, afterBytes: bytes)
        case 6..<8: .silence(channel, random.chance(50) ? .initiator : .responder, afterBytes: bytes)
        default: .lateAnswers
        }
    }

    private static func call(_ random: inout Seeded) -> Call {
        let handle = UInt32.random(in: 1...9, using: &random)
        return switch Int.random(in: 0..<6, using: &random) {
        case 0: Call(.getDeviceInfo, data: .incoming(limit: 1 << 16))
        case 1: Call(.getNumObjects, [0xFFFF_FFFF, 0, 0])
        case 2: Call(.getObjectHandles, [0xFFFF_FFFF, 0, 0], data: .incoming(limit: 1 << 20))
        case 3: Call(Body.takesData, data: .outgoing(random.bytes(Int.random(in: 0...5000, using: &random))))
        default: Call(.getObject, [handle], data: .streamed(limit: 1 << 32))
        }
    }
}

/// A camera's insides that follow from the question alone, so that every answer can be checked.
struct Body {
    static let takesData = OperationCode(rawValue: 0x1016)

    let answersLate: Bool

    /// What the call should bring, and how the body says so.
    func answer(_ code: OperationCode, _ parameters: [UInt32], _ data: [UInt8]) -> Responder.Answer {
        switch code {
        case .getNumObjects: Responder.Answer(.ok, [17])
        case Body.takesData: Responder.Answer(.ok, [UInt32(data.count)])
        default: Responder.Answer(.ok, data: .bytes(Body.bytes(code, parameters)))
        }
    }

    static func bytes(_ code: OperationCode, _ parameters: [UInt32]) -> [UInt8] {
        let object = UInt64(parameters.first ?? 0)
        var random = Seeded(UInt64(code.rawValue) << 32 | object)
        // Some objects are empty, some small, some large enough for many packets.
        let length = code == .getObject ? [0, 1, 300, 4000, 70_000][Int(object % 5)] : 120
        return random.bytes(length)
    }
}
