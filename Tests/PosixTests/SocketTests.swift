import Glibc
import Posix
import Testing

@Suite struct SocketTests {
    /// As a child that is just being started holds for a moment whatever this process has open.
    @Test("an address that was looked for keeps no server from it, and answers for none")
    func freeAddress() throws {
        let holder = try Socket.make(for: .loopback(port: 0))
        try holder.bind(to: .loopback(port: 0))
        let address = try #require(holder.localEndpoint)
        #expect(connects(to: address.port) == ECONNREFUSED)
        let server = try Socket.make(for: address)
        try server.listen(on: address, backlog: 1)
        #expect(connects(to: address.port) == 0)
        let second = try Socket.make(for: address)
        #expect(throws: SystemError.self, "a server's address is taken") { try second.bind(to: address) }
    }

    /// Zero, or why not.
    private func connects(to port: UInt16) -> Int32 {
        let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        defer { close(descriptor) }
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        address.sin_port = port.bigEndian
        return withUnsafeBytes(of: &address) { bytes in
            connect(
                descriptor, bytes.assumingMemoryBound(to: sockaddr.self).baseAddress, socklen_t(bytes.count))
                == 0 ? 0 : errno
        }
    }
}
