import Glibc
import Link
import Posix
import TestSupport
import Testing

/// What the kernel has been told about a camera's connection, asked of the kernel.
@Suite struct SocketOptionTests {
    /// The descriptor of this process that is bound to the port and is no listener.
    private func descriptor(boundTo port: UInt16) throws -> Int32 {
        let found = (3..<4096 as Range<Int32>).first { descriptor in
            var address = sockaddr_in()
            var length = socklen_t(MemoryLayout<sockaddr_in>.size)
            let isSocket = withUnsafeMutablePointer(to: &address) { pointer in
                pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                    getsockname(descriptor, $0, &length) == 0
                }
            }
            return isSocket && UInt16(bigEndian: address.sin_port) == port
                && option(descriptor, SOL_SOCKET, SO_ACCEPTCONN) == 0
        }
        return try #require(found)
    }

    private func option(_ descriptor: Int32, _ level: Int32, _ name: Int32) -> Int32? {
        var value: Int32 = -1
        var length = socklen_t(MemoryLayout<Int32>.size)
        return getsockopt(descriptor, level, name, &value, &length) == 0 ? value : nil
    }

    @Test("small packets go out at once, and a dead peer is asked for after 10 s, every 5 s, 4 times")
    func options() async throws {
        let reactor = try Reactor(name: "test")
        let listener = try TCPListener(on: .loopback(port: 0), reactor: reactor)
        async let accepting = listener.accept()
        let link = try await TCPLink.connect(
            to: HostPort(host: "127.0.0.1", port: listener.localEndpoint.port), reactor: reactor)
        let accepted = try await accepting
        let descriptor = try descriptor(boundTo: link.localEndpoint.port)
        let tcp = Int32(IPPROTO_TCP)
        #expect(option(descriptor, tcp, TCP_NODELAY) == 1)
        #expect(option(descriptor, SOL_SOCKET, SO_KEEPALIVE) == 1)
        #expect(option(descriptor, tcp, TCP_KEEPIDLE) == 10)
        #expect(option(descriptor, tcp, TCP_KEEPINTVL) == 5)
        #expect(option(descriptor, tcp, TCP_KEEPCNT) == 4)
        link.close(.orderly)
        accepted.close(.orderly)
    }
}
