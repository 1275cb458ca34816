/// One transaction under way, from its request to its response.
struct Exchange: Equatable, Sendable {
    /// What comes is a photo's, whether its first byte has been seen or not.
    var isForPhoto: Bool {
        if case .streamed = call.data { true } else { false }
    }

    enum Phase: Equatable, Sendable {
        /// The request is out. Left by Start Data or by the response.
        case expectingAnswer
        /// Start Data has come. Left by End Data, or by a response that breaks the data off.
        case receivingData
        /// End Data has come. Left by the response.
        case expectingResponse
    }

    enum Cancel: Equatable, Sendable {
        case none
        /// Cancel is out on both channels. Left by any response to this transaction, or by the deadline.
        case asked(until: Duration)
    }

    let call: Call
    let transaction: TransactionID
    let startedAt: Duration
    var phase = Phase.expectingAnswer
    var cancel = Cancel.none
    var announced: UInt64?
    /// Payload promised by the headers of Data and End Data so far.
    var received: UInt64 = 0
    var collected: [UInt8] = []
    private var pace: Pace?

    init(_ call: Call, _ transaction: TransactionID, at now: Duration) {
        self.call = call
        self.transaction = transaction
        startedAt = now
        if case .streamed = call.data { pace = Pace(at: now) }
    }

    /// A camera that sends data where none was expected is tolerated up to this, and its data ignored.
    static let unexpectedDataLimit: UInt64 = 1 << 20

    var dataLimit: UInt64 {
        switch call.data {
        case .none, .outgoing: Exchange.unexpectedDataLimit
        case .incoming(let limit): UInt64(limit)
        case .streamed(let limit): limit
        }
    }

    var payloadDestination: Initiator.PayloadDestination {
        if cancel != .none { return .discard }
        return switch call.data {
        case .none, .outgoing: .discard
        case .incoming: .collect
        case .streamed: .stream
        }
    }

    mutating func moved(_ count: Int, at now: Duration, _ patience: Patience) {
        pace?.moved(count, at: now, patience)
    }

    /// While nobody takes the bytes, the camera cannot be blamed for their not coming.
    mutating func consumer(isBusy: Bool, at now: Duration) {
        guard case .streamed = call.data else { return }
        pace = isBusy ? nil : Pace(at: now)
    }

    /// How long the call may take in all; photos have a pace instead.
    func wholeLimit(_ patience: Patience) -> Duration? {
        if case .streamed = call.data { return nil }
        return call.patience ?? patience.call
    }

    func deadline(_ patience: Patience) -> Duration? {
        if case .asked(let until) = cancel { return until }
        return wholeLimit(patience).map { startedAt + $0 } ?? pace?.deadline(patience)
    }

    /// What is wrong with a streamed call's pace, or nothing.
    mutating func paceVerdict(at now: Duration, _ patience: Patience) -> Ending? {
        pace?.verdict(at: now, patience)
    }

    /// Data may end without an End Data only when all that was promised is there (Leica M10), or when the
    /// response says why it was broken off.
    func reply(_ response: OperationResponse) throws(Misconduct) -> Reply {
        if phase == .receivingData, response.code == .ok, announced != received {
            throw .dataCutShort(call.operation, announced: announced, received: received)
        }
        return Reply(
            code: response.code, parameters: response.parameters, data: collected, received: received,
            announced: announced)
    }
}

extension Misconduct: Error {}
