import CLinux
import Glibc
import Synchronization

/// A non-blocking stream socket that several tasks share and that can be closed under them.
///
/// A descriptor's number is used again as soon as it is closed. So closing only marks the socket; the number
/// is given back when the last call that uses it has returned.
package final class Socket: Sendable {
    private struct Use {
        var users = 0
        var isClosing = false
        var isClosed = false

        /// Whether this was the moment to give the number back.
        mutating func closeIfUnused() -> Bool {
            guard isClosing, users == 0, !isClosed else { return false }
            isClosed = true
            return true
        }
    }

    package let descriptor: Int32
    private let use = Mutex(Use())

    init(owning descriptor: Int32) {
        self.descriptor = descriptor
    }

    deinit {
        if use.withLock({ !$0.isClosed }) { Glibc.close(descriptor) }
    }

    /// What a call on a socket came to.
    package enum Outcome: Equatable, Sendable {
        case moved(Int)
        case wouldBlock
        case closedHere
        case failed(Int32)
    }

    // MARK: Moving bytes

    /// Fills `first`, then `second`.
    package func receive(
        _ first: UnsafeMutableRawBufferPointer, _ second: UnsafeMutableRawBufferPointer?
    ) -> Outcome {
        withUnsafeTemporaryAllocation(of: iovec.self, capacity: 2) { vectors in
            vectors[0] = iovec(iov_base: first.baseAddress, iov_len: first.count)
            vectors[1] = iovec(iov_base: second?.baseAddress, iov_len: second?.count ?? 0)
            return perform { readv(descriptor, vectors.baseAddress, second == nil ? 1 : 2) }
        }
    }

    /// More pieces than this go in several calls; the kernel takes 1024.
    package static let mostPieces = 64

    package func send(_ pieces: [UnsafeRawBufferPointer]) -> Outcome {
        precondition(pieces.count <= Socket.mostPieces, "too many pieces for one call")
        return withUnsafeTemporaryAllocation(of: iovec.self, capacity: Socket.mostPieces) { vectors in
            for (index, piece) in pieces.enumerated() {
                vectors[index] = iovec(
                    iov_base: UnsafeMutableRawPointer(mutating: piece.baseAddress), iov_len: piece.count)
            }
            return perform { writev(descriptor, vectors.baseAddress, Int32(pieces.count)) }
        }
    }

    func perform(_ call: () -> Int) -> Outcome {
        let mayUse = use.withLock { use in
            if use.isClosing { return false }
            use.users += 1
            return true
        }
        guard mayUse else { return .closedHere }
        defer { release() }
        while true {
            let count = call()
            if count >= 0 { return .moved(count) }
            switch errno {
            case EINTR: continue
            case EAGAIN, EWOULDBLOCK: return .wouldBlock
            case let number: return .failed(number)
            }
        }
    }

    private func release() {
        let isLast = use.withLock { use in
            use.users -= 1
            return use.closeIfUnused()
        }
        if isLast { Glibc.close(descriptor) }
    }

    // MARK: The end

    /// The first to say so closes: `isReset` breaks the connection off instead of ending it.
    package func close(reset isReset: Bool, _ reactor: Reactor) {
        let isFirst = use.withLock { use in
            if use.isClosing { return false }
            use.isClosing = true
            use.users += 1
            return true
        }
        guard isFirst else { return }
        if isReset {
            var linger = linger(l_onoff: 1, l_linger: 0)
            setsockopt(descriptor, SOL_SOCKET, SO_LINGER, &linger, socklen_t(MemoryLayout<linger>.size))
        } else {
            shutdown(descriptor, Int32(SHUT_RDWR))
        }
        reactor.forget(descriptor)
        release()
    }

    package var isClosing: Bool { use.withLock { $0.isClosing } }

    // MARK: What is known about it

    /// Why a connection attempt failed; 0 when it did not.
    package var pendingError: Int32 {
        var number: Int32 = 0
        var size = socklen_t(MemoryLayout<Int32>.size)
        return getsockopt(descriptor, SOL_SOCKET, SO_ERROR, &number, &size) == 0 ? number : errno
    }

    package var localEndpoint: IPEndpoint? { endpoint { getsockname(descriptor, $0, $1) } }
    package var remoteEndpoint: IPEndpoint? { endpoint { getpeername(descriptor, $0, $1) } }

    private func endpoint(
        _ call: (UnsafeMutablePointer<sockaddr>, UnsafeMutablePointer<socklen_t>) -> Int32
    ) -> IPEndpoint? {
        var storage = sockaddr_storage()
        var size = socklen_t(MemoryLayout<sockaddr_storage>.size)
        let result = withUnsafeMutablePointer(to: &storage) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { call($0, &size) }
        }
        return result == 0 ? IPEndpoint(storage) : nil
    }
}

extension Socket {
    /// A dead peer is noticed after 10 s + 4 × 5 s even when we only wait.
    package static let keepalive: (idle: Int32, interval: Int32, probes: Int32) = (10, 5, 4)

    package static let keepaliveLimit = Duration.seconds(
        Int(keepalive.idle + keepalive.interval * keepalive.probes))

    /// As the standard wants it: "Nagle's algorithm off on both sides".
    package func setUpForPTP() throws(SystemError) {
        let who = remoteEndpoint.map(String.init(describing:)) ?? "socket"
        var on: Int32 = 1
        try check("setsockopt(TCP_NODELAY)", on: who) {
            setsockopt(descriptor, Int32(IPPROTO_TCP), TCP_NODELAY, &on, socklen_t(MemoryLayout<Int32>.size))
        }
        let (idle, interval, probes) = Socket.keepalive
        try check("setsockopt(SO_KEEPALIVE)", on: who) {
            tl_set_keepalive(descriptor, idle, interval, probes)
        }
    }

    /// An unconnected socket of the endpoint's family.
    package static func make(for endpoint: IPEndpoint) throws(SystemError) -> Socket {
        let kind = Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue) | Int32(SOCK_NONBLOCK.rawValue)
        let descriptor = try check("socket", on: "\(endpoint)") {
            socket(endpoint.isIPv6 ? AF_INET6 : AF_INET, kind, 0)
        }
        return Socket(owning: descriptor)
    }

    /// Only through this interface, whatever the routes say: the camera's Wi-Fi and not the uplink.
    package func bind(toInterface name: String) throws(SystemError) {
        try check("binding to the interface", on: name) { tl_bind_to_interface(descriptor, name) }
    }

    /// Begins to connect. `.wouldBlock` means: under way, writable when it is decided.
    package func connect(to endpoint: IPEndpoint) -> Outcome {
        endpoint.withSocketAddress { address, size in
            if Glibc.connect(descriptor, address, size) == 0 { return .moved(0) }
            return errno == EINPROGRESS || errno == EINTR ? .wouldBlock : .failed(errno)
        }
    }

    package func listen(on endpoint: IPEndpoint, backlog: Int32) throws(SystemError) {
        try bind(to: endpoint)
        try check("listen", on: "\(endpoint)") { Glibc.listen(descriptor, backlog) }
    }

    /// Takes the address, where no other listens at it. Until this listens too, another may take it all the same.
    package func bind(to endpoint: IPEndpoint) throws(SystemError) {
        var on: Int32 = 1
        try check("setsockopt(SO_REUSEADDR)", on: "\(endpoint)") {
            setsockopt(descriptor, SOL_SOCKET, SO_REUSEADDR, &on, socklen_t(MemoryLayout<Int32>.size))
        }
        try check("bind", on: "\(endpoint)") { endpoint.withSocketAddress { Glibc.bind(descriptor, $0, $1) } }
    }

    package enum Acceptance: Sendable {
        case accepted(Socket)
        case wouldBlock
        case closedHere
        case failed(Int32)
    }

    package func accept() -> Acceptance {
        var accepted: Int32 = -1
        let outcome = perform {
            accepted = tl_accept(descriptor)
            return Int(accepted)
        }
        switch outcome {
        case .moved: return .accepted(Socket(owning: accepted))
        case .wouldBlock: return .wouldBlock
        case .closedHere: return .closedHere
        case .failed(let number): return .failed(number)
        }
    }
}
