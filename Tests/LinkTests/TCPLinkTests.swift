import Glibc
import Link
import Posix
import TestSupport
import Testing

@Suite struct TCPLinkTests {
    let reactor: Reactor

    init() throws {
        reactor = try Reactor(name: "test")
    }

    @Test("a port where no program listens is told apart from a host that is not there")
    func refused() async throws {
        let listener = try TCPListener(on: .loopback(port: 0), reactor: reactor)
        let port = listener.localEndpoint.port
        listener.close()
        let error = await #expect(throws: LinkError.self) {
            try await TCPLink.connect(to: HostPort(host: "127.0.0.1", port: port), reactor: reactor)
        }
        #expect(error == .refused(peer: "127.0.0.1:\(port)", port: port))
    }

    @Test("an address that never answers costs the connect limit and no more")
    func connectLimit() async throws {
        // A listener whose queue is full takes no more connections and does not refuse them either.
        let full = try FullListener()
        var options = TCPLink.Options()
        options.connectLimit = .milliseconds(60)
        let error = await #expect(throws: LinkError.self) {
            try await TCPLink.connect(
                to: HostPort(host: "127.0.0.1", port: full.port), options: options, reactor: reactor)
        }
        #expect(error == .connectTimedOut(peer: "127.0.0.1:\(full.port)", after: .milliseconds(60)))
    }

    @Test("a name that does not exist is unreachable")
    func unknownName() async throws {
        await #expect(throws: LinkError.self) {
            try await TCPLink.connect(to: HostPort(host: "no-such-camera.invalid", port: 1), reactor: reactor)
        }
    }

    @Test("a peer that takes nothing any more stalls the sender, and then the link says so")
    func sendLimit() async throws {
        let listener = try TCPListener(on: .loopback(port: 0), reactor: reactor)
        var options = TCPLink.Options()
        options.sendLimit = .milliseconds(60)
        async let accepted = listener.accept()
        let link = try await TCPLink.connect(
            to: HostPort(host: "127.0.0.1", port: listener.localEndpoint.port), options: options,
            reactor: reactor)
        let other = try await accepted
        let error = await #expect(throws: LinkError.self) {
            try await link.send([UInt8](repeating: 1, count: 64 << 20))
        }
        #expect(error == .stalled(peer: link.peer, after: .milliseconds(60)))
        other.close(.reset)
    }

    @Test("a receive limit, where one is set, ends the wait")
    func receiveLimit() async throws {
        let listener = try TCPListener(on: .loopback(port: 0), reactor: reactor)
        var options = TCPLink.Options()
        options.receiveLimit = .milliseconds(40)
        async let accepted = listener.accept()
        let link = try await TCPLink.connect(
            to: HostPort(host: "127.0.0.1", port: listener.localEndpoint.port), options: options,
            reactor: reactor)
        let other = try await accepted
        await #expect(throws: LinkError.stalled(peer: link.peer, after: .milliseconds(40))) {
            try await link.receive(into: Buffer(capacity: 8))
        }
        other.close(.orderly)
    }

    @Test("an interface that is not there is named in the error")
    func unknownInterface() async throws {
        let listener = try TCPListener(on: .loopback(port: 0), reactor: reactor)
        var options = TCPLink.Options()
        options.interface = "wlan99"
        let error = await #expect(throws: LinkError.self) {
            try await TCPLink.connect(
                to: HostPort(host: "127.0.0.1", port: listener.localEndpoint.port), options: options,
                reactor: reactor)
        }
        #expect(error?.description.contains("wlan99") == true)
    }

    @Test("through the right interface a link comes up")
    func knownInterface() async throws {
        let listener = try TCPListener(on: .loopback(port: 0), reactor: reactor)
        var options = TCPLink.Options()
        options.interface = "lo"
        async let accepted = listener.accept()
        let link = try await TCPLink.connect(
            to: HostPort(host: "127.0.0.1", port: listener.localEndpoint.port), options: options,
            reactor: reactor)
        #expect(try await accepted.remoteEndpoint == link.localEndpoint)
    }

    @Test("small packets go out at once and a dead peer is noticed: NODELAY and keepalive are set")
    func socketOptions() async throws {
        let listener = try TCPListener(on: .loopback(port: 0), reactor: reactor)
        async let accepted = listener.accept()
        let link = try await TCPLink.connect(
            to: HostPort(host: "127.0.0.1", port: listener.localEndpoint.port), reactor: reactor)
        _ = try await accepted
        // The kernel's own table says which timer a connection has: 02 is keepalive.
        let table = String(decoding: try readFile("/proc/net/tcp"), as: UTF8.self)
        // Both ports: a connection long closed may have had one of them, and its row stays a minute.
        func address(_ port: UInt16) -> String {
            let digits = String(port, radix: 16, uppercase: true)
            return "0100007F:" + String(repeating: "0", count: 4 - digits.count) + digits
        }
        let ends = "\(address(link.localEndpoint.port)) \(address(listener.localEndpoint.port))"
        let row = table.split(separator: "\n").first { $0.contains(ends) }
        #expect(row?.contains(" 02:") == true, "\(row ?? "no row")")
    }

    @Test("a listener that is closed ends the wait for the next connection")
    func closedListener() async throws {
        let listener = try TCPListener(on: .loopback(port: 0), reactor: reactor)
        let task = Task { try await listener.accept() }
        listener.close()
        await #expect(throws: LinkError.closedHere) { try await task.value }
    }

    @Test("a port that is taken is an error that names it")
    func portTaken() async throws {
        let listener = try TCPListener(on: .loopback(port: 0), reactor: reactor)
        let error = #expect(throws: LinkError.self) {
            try TCPListener(on: listener.localEndpoint, reactor: reactor)
        }
        #expect(error?.description == "\(listener.localEndpoint): bind failed: Address already in use")
    }
}

/// A socket that listens and never accepts, with its queue full.
private final class FullListener {
    let port: UInt16
    private var sockets: [Int32] = []

    init() throws {
        let listener = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        var size = socklen_t(MemoryLayout<sockaddr_in>.size)
        withUnsafeMutablePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                bind(listener, $0, size)
                listen(listener, 0)
                getsockname(listener, $0, &size)
            }
        }
        port = UInt16(bigEndian: address.sin_port)
        sockets = [listener]
        for _ in 0..<4 {
            let kind = Int32(SOCK_STREAM.rawValue) | Int32(SOCK_NONBLOCK.rawValue)
            let client = socket(AF_INET, kind, 0)
            withUnsafePointer(to: &address) { pointer in
                pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { _ = connect(client, $0, size) }
            }
            sockets.append(client)
        }
    }

    deinit {
        for socket in sockets { close(socket) }
    }
}
