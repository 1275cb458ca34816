public import Link
public import PTP
public import Posix

/// Where a TCP connection to a camera comes from, for a caller that puts something around it.
protocol TCPSource: Sendable {
    var target: String { get }
    func connect() async throws(LinkError) -> TCPLink
    /// No more connections come.
    func close() async
}

extension TCPSource {
    func close() async {}
}

/// Links over TCP: both to the same port, as PTP/IP wants it.
public struct TCPLinks: LinkOpening, TCPSource {
    /// IANA's "ptp-ip".
    public static let usualPort: UInt16 = 15740

    private let host: HostPort
    private let options: TCPLink.Options
    private let reactor: Reactor

    public init(to host: HostPort, options: TCPLink.Options = TCPLink.Options(), reactor: Reactor) {
        self.host = host
        self.options = options
        self.reactor = reactor
    }

    public var target: String { "\(host)" }

    public func open(_ channel: Channel) async throws(LinkError) -> any ByteLink {
        try await connect()
    }

    /// The same with its addresses, for a caller that wraps it.
    public func connect() async throws(LinkError) -> TCPLink {
        try await TCPLink.connect(to: host, options: options, reactor: reactor)
    }
}

extension CameraSession {
    /// Connects over TCP, lets `body` use the camera, and ends the connection in order. Makes the thread that it
    /// all happens on and ends it, too.
    public static func tether<Result: Sendable>(
        to host: String, options: Options, _ body: @escaping @Sendable (CameraSession) async throws -> Result
    ) async throws -> Result {
        let target = try HostPort(host, defaultPort: TCPLinks.usualPort)
        let reactor = try Reactor(name: "camera")
        defer { reactor.shutDown() }
        let session = CameraSession(
            links: TCPLinks(to: target, reactor: reactor), executor: reactor, time: reactor, options: options)
        return try await session.run(body)
    }
}

extension PhotoWorkers {
    /// Two threads of their own. Say ``shutDown()`` when no more photos come.
    public static func start(sharing budget: BufferBudget = BufferBudget()) -> PhotoWorkers {
        let writer = ThreadExecutor(name: "photo-write")
        let hasher = ThreadExecutor(name: "photo-hash")
        return PhotoWorkers(writing: writer, hashing: hasher, sharing: budget) {
            writer.shutDown()
            hasher.shutDown()
        }
    }
}
