/// One operation that a caller wants done: what goes into a transaction.
public struct Call: Equatable, Sendable {
    public enum DataPhase: Equatable, Sendable {
        case none
        /// A dataset: collected in memory. One that grows past `limit` bytes fails the call.
        case incoming(limit: Int)
        /// A few bytes of a photo: collected in memory as well, at a photo's pace. A camera that falls silent over them falls
        /// silent over the photo.
        case piece(limit: Int)
        /// Bytes of a photo: they go past the machine. More than `limit` of them fail the call, and no byte beyond it
        /// is handed on.
        case streamed(limit: UInt64)
        case outgoing([UInt8])
    }

    public var operation: OperationCode
    public var parameters: [UInt32]
    public var data: DataPhase
    /// How long the whole call may take, where the usual timeout does not fit. Photos have no such limit.
    public var timeout: Duration?
    /// How long not a byte of the photo may come, where the usual timeout does not fit: some bodies take their time before
    /// the first byte of a large file. Datasets have ``timeout``.
    public var noProgress: Duration?
    /// How long nothing at all may come from the camera, where that is less than the whole call may take. Whatever comes
    /// gives it as long again, and an answer that comes too late shows all the same that it is there.
    public var silence: Duration?

    /// The camera is asked on the event link meanwhile, too: its answer gives the call its whole time.
    public var isProbed: Bool

    /// Which refusals mean "not just now". Without any, the caller has whatever the camera says.
    public var retries: [RetryRule]
    var attempts: Attempts?
    /// With what the camera has refused it, where it is to be made again.
    public var refusal: ResponseCode? { attempts?.refusal }

    /// Has a pace instead of a limit on the whole.
    var isPaced: Bool {
        switch data {
        case .piece, .streamed: true
        case .none, .incoming, .outgoing: false
        }
    }

    public init(
        _ operation: OperationCode, _ parameters: [UInt32] = [], data: DataPhase = .none,
        timeout: Duration? = nil, noProgress: Duration? = nil, silence: Duration? = nil,
        isProbed: Bool = false, retries: [RetryRule] = []
    ) {
        self.operation = operation
        self.parameters = parameters
        self.data = data
        self.timeout = timeout
        self.noProgress = noProgress
        self.silence = silence
        self.isProbed = isProbed
        self.retries = retries
    }
}

/// What came back from a call that ran to its response, whatever the response says.
public struct Reply: Equatable, Sendable {
    public var code: ResponseCode
    public var parameters: [UInt32]
    /// What was collected. Empty for a streamed call.
    public var data: [UInt8]
    /// Bytes of payload that arrived, collected or streamed.
    public var received: UInt64
    /// What Start Data promised, where it promised anything.
    public var announced: UInt64?

    public init(
        code: ResponseCode, parameters: [UInt32] = [], data: [UInt8] = [], received: UInt64 = 0,
        announced: UInt64? = nil
    ) {
        self.code = code
        self.parameters = parameters
        self.data = data
        self.received = received
        self.announced = announced
    }
}

/// Why a call came to no response.
public enum CallFailure: Error, Equatable, Sendable {
    /// The caller took it back and the camera has stopped.
    case cancelled
    /// No response in time. The connection stands; a late answer will be skipped.
    case timedOut(OperationCode, after: Duration)
    /// More data came than was asked for, or than such a dataset can have. What was beyond that was thrown away, and the
    /// connection stands.
    case tooMuchData(OperationCode, limit: UInt64)
    /// The response says OK and the data is not all there. The connection stands.
    case dataCutShort(OperationCode, announced: UInt64?, received: UInt64)
    /// The whole connection ended, and the call with it.
    case connectionEnded(Ending)
}
