/// What uploading asks of the network, so that it can be a real one, or a model of a server in memory that refuses
/// whatever the contract does not allow.

/// One request. It says how it wants to be treated; nothing about it is decided while it runs.
public struct HTTPRequest: Sendable {
    public var method: String
    /// Absolute; `https` unless the operator chose otherwise. May hold a signature: it is never logged whole.
    public var url: String
    public var headers: [HTTPHeader]
    public var body: HTTPBody
    /// Bytes of an answer's body that are kept; more is a failure.
    public var answerLimit: Int
    /// Redirects that are followed, without credentials once they lead to another host; none for what carries a photo.
    public var redirects: Int
    /// Whether the server is asked before a body is sent.
    public var expects: HTTPExpectation
    public var limits: HTTPLimits
    /// The interface that it leaves by, where that is not left to the kernel.
    public var interface: String?
    /// The network path whose share of bytes it draws on; all uploads of a path share it.
    public var path: String?
    /// Told how many bytes of the body have just arrived at the other side, as it acknowledges them. Called from the network's thread: it is to be
    /// quick.
    public var onSent: (@Sendable (UInt64) -> Void)?

    public init(
        _ method: String, _ url: String, headers: [HTTPHeader] = [], body: HTTPBody = .none,
        answerLimit: Int = 1 << 20, redirects: Int = 0, expects: HTTPExpectation = .never,
        limits: HTTPLimits = HTTPLimits(), interface: String? = nil, path: String? = nil,
        onSent: (@Sendable (UInt64) -> Void)? = nil
    ) {
        self.method = method
        self.url = url
        self.headers = headers
        self.body = body
        self.answerLimit = answerLimit
        self.redirects = redirects
        self.expects = expects
        self.limits = limits
        self.interface = interface
        self.path = path
        self.onSent = onSent
    }
}

public struct HTTPHeader: Equatable, Sendable {
    public let name: String
    public let value: String

    public init(_ name: String, _ value: String) {
        self.name = name
        self.value = value
    }
}

public enum HTTPBody: Equatable, Sendable {
    case none
    case bytes([UInt8])
    /// A piece of a file, which is opened when the request begins and never held in memory.
    case file(FileSlice)

    public var count: UInt64 {
        switch self {
        case .none: 0
        case .bytes(let bytes): UInt64(bytes.count)
        case .file(let slice): slice.count
        }
    }
}

public struct FileSlice: Equatable, Sendable {
    public let path: String
    public let offset: UInt64
    public let count: UInt64

    public init(path: String, offset: UInt64 = 0, count: UInt64) {
        self.path = path
        self.offset = offset
        self.count = count
    }
}

/// `Expect: 100-continue`: asking first saves the body where the answer is no, and costs a wait where the server does
/// not know the question.
public enum HTTPExpectation: Equatable, Sendable {
    case never
    /// The body follows unasked when no answer has come for so long.
    case asks(atMost: Duration)
}

public struct HTTPLimits: Equatable, Sendable {
    public var connect = Duration.seconds(10)
    /// Nothing moved in either direction for so long.
    public var noProgress = Duration.seconds(30)
    /// Bytes a second that it must reach over any minute while a body is sent or received; 0 for any.
    public var minimumRate: UInt64 = 0
    /// Bytes a second that it may reach; 0 for any.
    public var maximumRate: UInt64 = 0

    public init() {}
}

public struct HTTPResponse: Equatable, Sendable {
    public let status: Int
    /// In the order they came, of the last answer.
    public let headers: [HTTPHeader]
    public let body: [UInt8]

    public init(status: Int, headers: [HTTPHeader] = [], body: [UInt8] = []) {
        self.status = status
        self.headers = headers
        self.body = body
    }

    /// The first header of that name, in any case.
    public subscript(name: String) -> String? {
        let wanted = name.lowercased()
        return headers.first { $0.name.lowercased() == wanted }?.value
    }
}

/// Why there is no answer.
public enum HTTPFailure: Error, Equatable, Sendable {
    /// No name, no route, refused, or no answer to the greeting: nothing of the request has been handled.
    case unreachable(String)
    /// The other side cannot prove who it is. That does not pass by itself.
    case certificate(String)
    /// The connection broke, or nothing moved, or it was too slow. With the whole body sent it is ambiguous: the other
    /// side may have it.
    case broken(String, bodyWasSent: Bool)
    /// It answered, and not in a way that can be read: too long, or no HTTP.
    case unreadable(String)
    /// The body could not be read here.
    case body(DiskError)
    /// The request itself cannot be made: a mistake in an address or a setting.
    case invalid(String)
    case cancelled
}

extension HTTPFailure: CustomStringConvertible {
    public var description: String {
        switch self {
        case .unreachable(let text), .certificate(let text), .broken(let text, _), .unreadable(let text),
            .invalid(let text):
            text
        case .body(let error): "\(error)"
        case .cancelled: "it was taken back"
        }
    }
}

public protocol HTTPTransport: Sendable {
    /// Ends within a tenth of a second of the task's cancellation.
    func send(_ request: HTTPRequest) async throws(HTTPFailure) -> HTTPResponse
    /// The network has changed: connections that are kept for later may lead nowhere.
    func forgetConnections()
}
