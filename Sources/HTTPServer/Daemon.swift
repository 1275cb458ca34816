import Bridge
import CMicrohttpd
import Glibc
import Posix
import Synchronization

/// The library's server, its threads, and what it calls.
final class Daemon: @unchecked Sendable {
    private let core: Core
    private let handle: OpaquePointer
    let port: UInt16

    /// Room beside the headers: what the library notes about them, and those of the answer. All of it is cleared
    /// for each request, so it is not more than that.
    private static let memoryBesideHeaders = 12 << 10

    init(_ core: Core) throws(ServerProblem) {
        self.core = core
        let settings = core.settings
        let listener = try Listener(settings.listen)
        let context = Unmanaged.passUnretained(core).toOpaque()
        var flags =
            MHD_USE_EPOLL_INTERNAL_THREAD.rawValue | MHD_ALLOW_SUSPEND_RESUME.rawValue | MHD_USE_ITC.rawValue
        var options = Self.options(settings, context)
        var certificate: [UInt8] = []
        var key: [UInt8] = []
        if let tls = settings.tls {
            flags |= MHD_USE_TLS.rawValue
            certificate = try Self.read(tls.certificate)
            key = try Self.read(tls.key)
        }
        options.append(Self.option(.LISTEN_SOCKET, Int(listener.descriptor)))
        let handle = certificate.withUnsafeMutableBytes { certificate in
            key.withUnsafeMutableBytes { key in
                "NORMAL:-VERS-TLS1.0:-VERS-TLS1.1".withCString { priorities in
                    if settings.tls != nil {
                        options += [
                            Self.option(.HTTPS_MEM_CERT, 0, certificate.baseAddress),
                            Self.option(.HTTPS_MEM_KEY, 0, key.baseAddress),
                            Self.option(
                                .HTTPS_PRIORITIES, 0, UnsafeMutableRawPointer(mutating: priorities)),
                        ]
                    }
                    options.append(Self.option(.END, 0))
                    return tl_mhd_start(flags, 0, Callbacks.access, context, options)
                }
            }
        }
        guard let handle else {
            let hint = settings.tls == nil ? "" : "; check that the certificate and its key belong together"
            throw ServerProblem(description: "\(settings.listen): the server cannot be started\(hint)")
        }
        // From now on it is the library's.
        listener.isHandedOver = true
        self.handle = handle
        port = listener.port
    }

    private static func options(_ settings: ServerSettings, _ context: UnsafeMutableRawPointer)
        -> [MHD_OptionItem]
    {
        [
            option(.THREAD_POOL_SIZE, max(1, settings.threads)),
            option(.CONNECTION_LIMIT, max(settings.threads, settings.mostConnections)),
            option(.PER_IP_CONNECTION_LIMIT, settings.mostConnectionsPerAddress),
            option(.CONNECTION_TIMEOUT, max(1, Int(settings.idle.components.seconds))),
            option(.CONNECTION_MEMORY_LIMIT, settings.headerLimit + memoryBesideHeaders),
            // A request without Host, or with a blank in its target, is refused.
            option(.STRICT_FOR_CLIENT, 1),
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

    /// Takes no new connection; whoever tries is refused at once.
    func quiesce() -> Int32 {
        let listening = MHD_quiesce_daemon(handle)
        if listening >= 0 { shutdown(listening, Int32(SHUT_RDWR)) }
        return listening
    }

    /// Blocks until the threads have ended. No connection may sleep then.
    func stop(_ listening: Int32) {
        core.close()
        for connection in core.connections.all { connection.state.withLock(\.exchange)?.abandon() }
        MHD_stop_daemon(handle)
        if listening >= 0 { close(listening) }
    }
}

/// The socket that listens, until the library has it.
private final class Listener {
    let descriptor: Int32
    let port: UInt16
    var isHandedOver = false

    init(_ endpoint: IPEndpoint) throws(ServerProblem) {
        do {
            let socket = try Socket.make(for: endpoint)
            try socket.listen(on: endpoint, backlog: 1024)
            port = socket.localEndpoint?.port ?? endpoint.port
            descriptor = try check("dup", on: "\(endpoint)") { fcntl(socket.descriptor, F_DUPFD_CLOEXEC, 0) }
        } catch {
            throw ServerProblem(description: "\(error)")
        }
    }

    deinit {
        if !isHandedOver { close(descriptor) }
    }
}
