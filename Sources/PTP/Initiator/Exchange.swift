/// One transaction under way, from its request to its response.
struct Exchange: Equatable, Sendable {
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

        var until: Duration? {
            if case .asked(let until) = self { until } else { nil }
        }
    }

    let call: Call
    let transaction: TransactionID
    let startedAt: Duration
    var phase = Phase.expectingAnswer
    var cancel = Cancel.none
    var announced: UInt64?
    /// Payload promised by the headers of Data and End Data so far.
    private(set) var received: UInt64 = 0
    var collected: [UInt8] = []
    private var pace: StallDetector?
    /// All that is left of the timeout with a camera that has not answered before; until it sends something.
    private var cap: Duration?
    /// When the camera last said anything, in this call.
    private(set) var lastSign: Duration

    init(_ call: Call, _ transaction: TransactionID, cap: Duration?, at now: Duration) {
        self.call = call
        self.transaction = transaction
        self.cap = cap
        startedAt = now
        lastSign = now
        if call.isPaced { pace = StallDetector(at: now) }
    }

    /// A camera that sends data where none was expected is tolerated up to this, and its data ignored.
    static let unexpectedDataLimit: UInt64 = 1 << 20

    var dataLimit: UInt64 {
        switch call.data {
        case .none, .outgoing: Exchange.unexpectedDataLimit
        case .incoming(let limit), .piece(let limit): UInt64(limit)
        case .streamed(let limit): limit
        }
    }

    /// A header has promised so much more. What goes past the limit is thrown away, from the packet that does so on: the
    /// call has failed, and half a packet is of no use.
    mutating func take(_ header: PayloadHeader) {
        received += UInt64(header.length)
        if excess > 0 { collected = [] }
    }

    /// What has been promised beyond the limit.
    var excess: UInt64 { received > dataLimit ? received - dataLimit : 0 }

    /// How much of that is put up with. Data that was not asked for is not worth waiting for.
    func excessLimit(_ timeouts: Timeouts) -> UInt64 {
        switch call.data {
        case .none, .outgoing: 0
        case .incoming, .piece, .streamed: timeouts.excessBytes
        }
    }

    var payloadDestination: Initiator.PayloadDestination {
        if cancel != .none || excess > 0 { return .discard }
        return switch call.data {
        case .none, .outgoing: .discard
        case .incoming, .piece: .collect
        case .streamed: .stream
        }
    }

    mutating func moved(_ count: Int, at now: Duration, _ timeouts: Timeouts) {
        let timeouts = own(timeouts)
        pace?.moved(count, at: now, timeouts)
    }

    /// Something came from the camera, whatever it was: it is there, and has its own time for the call again.
    mutating func heard(at now: Duration) {
        lastSign = now
        cap = nil
    }

    /// The usual timeout with what this call says of its own.
    private func own(_ timeouts: Timeouts) -> Timeouts {
        guard call.noProgress != nil || cap != nil else { return timeouts }
        var own = timeouts
        let noProgress = capped(call.noProgress ?? timeouts.noProgress)
        own.noProgress = noProgress
        // Who is given a minute before the first byte is not too slow after half of it.
        own.rateWindow = max(timeouts.rateWindow, noProgress)
        return own
    }

    /// While the consumer takes no bytes, the camera cannot be blamed for their not coming.
    mutating func consumer(isBusy: Bool, at now: Duration) {
        guard case .streamed = call.data else { return }
        pace = isBusy ? nil : StallDetector(at: now)
    }

    /// How long the call may take in all; photos have a pace instead.
    func wholeLimit(_ timeouts: Timeouts) -> Duration? {
        call.isPaced ? nil : capped(call.timeout ?? timeouts.call)
    }

    /// How long it may say nothing meanwhile.
    var silenceLimit: Duration? { call.isPaced ? nil : call.silence.map(capped) }

    func mayBeSilent(forLongerThan silence: Duration, _ timeouts: Timeouts) -> Bool {
        guard let whole = wholeLimit(timeouts) else { return false }
        return silenceLimit.map { min($0, whole) } ?? whole > silence
    }

    private func capped(_ limit: Duration) -> Duration { cap.map { min($0, limit) } ?? limit }

    func deadline(_ timeouts: Timeouts) -> Duration? {
        if case .asked(let until) = cancel { return until }
        guard let whole = wholeLimit(timeouts).map({ startedAt + $0 }) else {
            return pace?.deadline(own(timeouts))
        }
        return silenceLimit.map { min(whole, lastSign + $0) } ?? whole
    }

    /// Which of a collecting call's limits has been passed, or nothing.
    func limitPassed(at now: Duration, _ timeouts: Timeouts) -> Duration? {
        if let silenceLimit, now - lastSign >= silenceLimit { return silenceLimit }
        return wholeLimit(timeouts).flatMap { now - startedAt >= $0 ? $0 : nil }
    }

    /// What is wrong with a streamed call's pace, or nothing.
    mutating func paceVerdict(at now: Duration, _ timeouts: Timeouts) -> Ending? {
        let timeouts = own(timeouts)
        return pace?.verdict(at: now, timeouts)
    }

    /// What the response makes of the call. The packets came in their order, so the connection stands, whatever was
    /// wrong with the data.
    ///
    /// Data may end without an End Data only when all that was promised is there (Leica M10), or when the
    /// response says why it was broken off.
    func conclusion(_ response: OperationResponse, at now: Duration) -> Initiator.Action {
        if cancel != .none { return .fail(.cancelled) }
        if excess > 0 { return .fail(.tooMuchData(call.operation, limit: dataLimit)) }
        if phase == .receivingData, response.code == .ok, announced != received {
            return .fail(.dataCutShort(call.operation, announced: announced, received: received))
        }
        if let again = again(after: response.code, at: now) { return again }
        return .finish(
            Reply(
                code: response.code, parameters: response.parameters, data: collected, received: received,
                announced: announced))
    }

    /// The call is made again where the refusal is only for now. Bytes of a photo that have been handed on cannot be
    /// taken back, so that one is the caller's affair.
    private func again(after code: ResponseCode, at now: Duration) -> Initiator.Action? {
        guard received == 0, let rule = call.retries.first(where: { $0.code == code }) else { return nil }
        var call = call
        var attempts = call.attempts ?? Attempts(since: startedAt)
        guard let moment = attempts.next(rule, at: now) else { return nil }
        call.attempts = attempts
        return .callAgain(call, at: moment)
    }
}
