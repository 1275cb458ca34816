import Basics
import CMicrohttpd
import Glibc
import Posix
import Synchronization

/// The library's server, its threads, and what it calls.
final class Daemon: @unchecked Sendable {
    private let core: Core
    private let handle: OpaquePointer
    let port: UInt16
    /// The library is not clear about how long it looks at them.
    private let secrets: [TLSText]
    /// Open for as long as the other end stands where the server listened.
    private var quietEnd: OwnedDescriptor?

    /// Room beside the headers: what the library notes about them, and those of the answer. All of it is cleared
    /// for each request, so it is not more than that.
    private static let memoryBesideHeaders = 12 << 10

    init(_ core: Core) throws(ServerProblem) {
        self.core = core
        let settings = core.settings
        if settings.inherited == nil { try ListenAddress.check(settings.listen) }
        let context = Unmanaged.passUnretained(core).toOpaque()
        var flags =
            MHD_USE_EPOLL_INTERNAL_THREAD.rawValue | MHD_ALLOW_SUSPEND_RESUME.rawValue | MHD_USE_ITC.rawValue
        if settings.listen.isIPv6 { flags |= MHD_USE_DUAL_STACK.rawValue }
        var options = Self.options(settings, context)
        var texts: [[UInt8]] = []
        if let tls = settings.tls {
            flags |= MHD_USE_TLS.rawValue
            texts = [
                try Self.read(tls.certificate), try Self.read(tls.key),
                Array("NORMAL:-VERS-TLS1.0:-VERS-TLS1.1".utf8) + [0],
            ]
        }
        let secrets = texts.map(TLSText.init)
        let names: [MHD_OPTION] = [.HTTPS_MEM_CERT, .HTTPS_MEM_KEY, .HTTPS_PRIORITIES]
        for (name, text) in zip(names, secrets) {
            options.append(Self.option(name, 0, text.memory.baseAddress))
        }
        let passed = try Self.duplicate(settings.inherited)
        let started = ListenAddress.with(settings.listen) { address in
            options.append(
                passed.map { Self.option(.LISTEN_SOCKET, Int($0)) } ?? Self.option(.SOCK_ADDR, 0, address))
            options.append(Self.option(.END, 0))
            return tl_mhd_start(flags, Callbacks.policy, Callbacks.access, context, options)
        }
        guard let started else {
            let hint = settings.tls == nil ? "" : "; check that the certificate and its key belong together"
            throw ServerProblem(description: "\(settings.listen): the server cannot be started\(hint)")
        }
        handle = started
        port = passed == nil ? tl_mhd_port(started) : settings.listen.port
        self.secrets = secrets
        if settings.tls != nil { Self.sendHandshakesAtOnce(tl_mhd_listening(started)) }
    }

    /// The second part of what a server says in a handshake waits for the client's word that the first has come, which is one way
    /// there and back more, unless the socket sends all at once. The library sees to that for answers alone. Connections have it from
    /// the socket that listens; where that does not take it they are slower, and no more.
    private static func sendHandshakesAtOnce(_ listening: Int32) {
        var on: Int32 = 1
        setsockopt(listening, Int32(IPPROTO_TCP), TCP_NODELAY, &on, socklen_t(MemoryLayout<Int32>.size))
    }

    /// The library closes it at its end; where it fails to start, the descriptor is left to the process.
    private static func duplicate(_ inherited: InheritedSocket?) throws(ServerProblem) -> Int32? {
        do throws(SystemError) {
            return try inherited?.duplicate()
        } catch {
            throw ServerProblem(description: "\(error)")
        }
    }

    private static func options(_ settings: ServerSettings, _ context: UnsafeMutableRawPointer)
        -> [MHD_OptionItem]
    {
        [
            option(.THREAD_POOL_SIZE, max(1, settings.threads)),
            // Ours is kept when a connection comes: at its own the library would touch the socket that listens.
            option(.CONNECTION_LIMIT, 4 * (settings.mostConnections + settings.threads)),
            option(.LISTEN_BACKLOG_SIZE, 1024),
            option(.CONNECTION_TIMEOUT, max(1, Int(settings.idle.components.seconds))),
            option(.CONNECTION_MEMORY_LIMIT, settings.headerLimit + memoryBesideHeaders),
            option(.NOTIFY_COMPLETED, Callbacks.address(Callbacks.completed), context),
            option(.NOTIFY_CONNECTION, Callbacks.address(Callbacks.connection), context),
            option(.URI_LOG_CALLBACK, Callbacks.address(Callbacks.target), context),
            option(.UNESCAPE_CALLBACK, Callbacks.address(Callbacks.unescape), nil),
        ]
    }

    private static func option(
        _ option: MHD_OPTION, _ value: Int, _ pointer: UnsafeMutableRawPointer? = nil
    ) -> MHD_OptionItem {
        MHD_OptionItem(option: option, value: value, ptr_value: pointer)
    }

    /// The library wants a text with its NUL.
    private static func read(_ path: String) throws(ServerProblem) -> [UInt8] {
        guard let file = fopen(path, "re") else {
            throw ServerProblem(description: "\(SystemError("opening", errno, on: path))")
        }
        defer { fclose(file) }
        var bytes = [UInt8](repeating: 0, count: 1 << 20)
        let count = fread(&bytes, 1, bytes.count - 1, file)
        guard count > 0 else { throw ServerProblem(description: "\(path): nothing can be read from it") }
        return bytes.prefix(count) + [0]
    }

    // MARK: The end

    /// Takes no new connection; a client that tries is refused at once.
    ///
    /// MHD_quiesce_daemon of version 0.9.75 ends the process when a thread of the library takes the socket out of its
    /// epoll set at the same moment. So another descriptor, from which nothing ever comes, takes the number of the one
    /// that listens: the kernel closes that and takes it out of every set, and no threads have to agree on anything.
    ///
    /// A socket of the service manager's stays open: clients that come now wait for the next program that serves it, but for
    /// those that a thread of the library still takes, and closes.
    func quiesce() {
        guard core.settings.inherited == nil else { return }
        let listening = tl_mhd_listening(handle)
        guard listening >= 0 else { return }
        var pair: [Int32] = [-1, -1]
        let kind = Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue)
        // Without descriptors for it each new connection is accepted and closed, as the server is stopping.
        guard socketpair(AF_UNIX, kind, 0, &pair) == 0 else { return }
        quietEnd = OwnedDescriptor(owning: pair[1])
        dup2(pair[0], listening)
        close(pair[0])
    }

    /// Blocks until the threads have ended. No connection may sleep then.
    func stop() {
        core.close()
        for connection in core.connections.all { connection.state.withLock(\.exchange)?.abandon() }
        MHD_stop_daemon(handle)
    }
}

/// A text at a place that does not move.
private final class TLSText {
    let memory: UnsafeMutableRawBufferPointer

    init(_ bytes: [UInt8]) {
        memory = .allocate(byteCount: bytes.count, alignment: 1)
        memory.copyBytes(from: bytes)
    }

    deinit {
        // One of them is a key.
        memory.initializeMemory(as: UInt8.self, repeating: 0)
        memory.deallocate()
    }
}

/// Where it listens, in the system's form.
private enum ListenAddress {
    /// The library only says that it failed, so the address is tried before, for the sake of the reason.
    static func check(_ endpoint: IPEndpoint) throws(ServerProblem) {
        do {
            try Socket.make(for: endpoint).listen(on: endpoint, backlog: 1)
        } catch {
            throw ServerProblem(description: "\(error)")
        }
    }

    /// The library binds to it itself: a socket that it is given it closes, or does not, when it fails to start.
    static func with<Result>(_ endpoint: IPEndpoint, _ body: (UnsafeMutableRawPointer) -> Result) -> Result {
        if endpoint.isIPv6 {
            var address = sockaddr_in6()
            address.sin6_family = sa_family_t(AF_INET6)
            address.sin6_port = endpoint.port.bigEndian
            withUnsafeMutableBytes(of: &address.sin6_addr) { $0.copyBytes(from: endpoint.address) }
            return withUnsafeMutablePointer(to: &address) { body(UnsafeMutableRawPointer($0)) }
        }
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = endpoint.port.bigEndian
        withUnsafeMutableBytes(of: &address.sin_addr) { $0.copyBytes(from: endpoint.address) }
        return withUnsafeMutablePointer(to: &address) { body(UnsafeMutableRawPointer($0)) }
    }
}
