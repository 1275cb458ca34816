import Basics
import Glibc
import HTTPServer
import Posix
import TestSupport
import Testing

@Suite struct LifeTests {
    private static let request = "GET / HTTP/1.1\r\nHost: x\r\n\r\n"
    private static let slow = "GET /slow HTTP/1.1\r\nHost: x\r\n\r\n"

    private static func routes(_ gate: Gate = Gate(), cancelled: Shared<Bool> = Shared(false)) -> [Route] {
        [
            Route("GET", "/", .quick { _ in .text(200, "here") }),
            Route(
                "GET", "/slow",
                .whole(limit: 10) { _ in
                    await withTaskCancellationHandler {
                        await gate.pass()
                    } onCancel: {
                        cancelled.change { $0 = true }
                        gate.open()
                    }
                    return .text(200, "late")
                }),
        ]
    }

    @Test("a server that stops takes nothing new and finishes what it serves")
    func stops() async throws {
        let gate = Gate()
        let server = try TestServer(Self.routes(gate))
        let (serving, idle) = try await aside {
            let serving = try server.client()
            let idle = try server.client()
            try idle.send(Self.request)
            _ = try idle.answer()
            try serving.send(Self.slow)
            return (serving, idle)
        }
        await gate.waitForArrival()
        async let stopped: Void = server.server.stop(within: .seconds(1000))
        try await aside {
            // It is not listened to any more as soon as this fails.
            do {
                while true {
                    let client = try server.client()
                    try client.send("GET / HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n")
                    try client.waitForEnd()
                }
            } catch is RawClient.Failed {
                return
            }
        }
        gate.open()
        let answer = try await aside { try serving.answer() }
        #expect(answer.text == "late")
        #expect(answer["Connection"] == "close")
        await stopped
        try await aside {
            try serving.waitForEnd()
            try idle.waitForEnd()
        }
        // Again is nothing.
        await server.server.stop(within: .zero)
    }

    @Test("what is not finished in time is cut, and its handler told")
    func patience() async throws {
        let time = ManualClock()
        let gate = Gate()
        let cancelled = Shared(false)
        let server = try TestServer(Self.routes(gate, cancelled: cancelled), time: time)
        await time.waitForSleepers(1)
        let clients = try await aside {
            let clients = [try server.client(), try server.client()]
            try clients[0].send(Self.slow)
            // One that never comes to its end is not waited for.
            try clients[1].send("GET / HTTP/1.1\r\nX-")
            return clients
        }
        await gate.waitForArrival()
        async let stopped: Void = server.server.stop(within: .seconds(5))
        await time.waitForSleeper(until: .seconds(5))
        time.advance(by: .seconds(5))
        await stopped
        #expect(cancelled.value)
        try await aside { for client in clients { try client.waitForEnd() } }
        #expect(await server.entries().contains { $0.status == 499 && $0.route == "/slow" })
    }

    @Test("a client that leaves while its handler runs harms no other")
    func leaves() async throws {
        let gate = Gate()
        let server = try TestServer(Self.routes(gate))
        let client = try await aside {
            let client = try server.client()
            try client.send(Self.slow)
            return client
        }
        await gate.waitForArrival()
        client.reset()
        gate.open()
        #expect(await server.entries().map(\.route) == ["/slow"])
        #expect(try await server.get("/").text == "here")
    }

    @Test("a port that is taken is a problem that names it")
    func taken() throws {
        let server = try TestServer([])
        #expect {
            _ = try TestServer([]) { $0.listen = .loopback(port: server.port) }
        } throws: { error in
            "\(error)".contains("127.0.0.1:\(server.port)") && "\(error)".contains("in use")
        }
    }

    @Test("a certificate that is not there, or is none, is a problem that names it")
    func certificates() throws {
        let folder = try TemporaryFolder()
        try folder.write("no certificate", to: "none")
        #expect {
            _ = try TestServer([]) { $0.tls = (folder.file("missing"), folder.file("none")) }
        } throws: { "\($0)".contains(folder.file("missing")) }
        #expect {
            _ = try TestServer([]) { $0.tls = (folder.file("none"), folder.file("none")) }
        } throws: { "\($0)".contains("certificate") }
    }

    @Test("a handshake's second part waits for no word of the client")
    func handshakes() async throws {
        let shop = try await aside { try CertificateShop() }
        let pair = try await aside { try shop.selfSigned("server") }
        let server = try TestServer(Self.routes()) { $0.tls = (pair.certificate, pair.key) }
        let connection = try RawClient(port: server.port)
        let accepted = try await aside { () -> Int32? in
            // It is there once the program has taken it: a handshake that the client does not begin is left open.
            let end = ContinuousClock.now + .seconds(60 * Cases.minutesOfHang)
            while ContinuousClock.now < end {
                if let found = try Self.descriptors().first(where: {
                    Self.port($0, getsockname) == server.port && Self.port($0, getpeername) != nil
                }) {
                    return found
                }
                sched_yield()
            }
            return nil
        }
        var isSet: Int32 = 0
        var size = socklen_t(MemoryLayout<Int32>.size)
        #expect(getsockopt(try #require(accepted), Int32(IPPROTO_TCP), TCP_NODELAY, &isSet, &size) == 0)
        #expect(isSet != 0)
        withExtendedLifetime(connection) {}
    }

    /// Those of this process, in which the server runs.
    private static func descriptors() throws -> [Int32] {
        try Directory(path: "/proc/self/fd").names(limit: 100_000).compactMap { Int32($0) }
    }

    /// Of this end or of the other.
    private static func port(
        _ descriptor: Int32,
        _ ask: (Int32, UnsafeMutablePointer<sockaddr>, UnsafeMutablePointer<socklen_t>) -> Int32
    ) -> UInt16? {
        var address = sockaddr_in()
        var size = socklen_t(MemoryLayout<sockaddr_in>.size)
        let result = withUnsafeMutablePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { ask(descriptor, $0, &size) }
        }
        return result == 0 && Int32(address.sin_family) == AF_INET ? UInt16(bigEndian: address.sin_port) : nil
    }

    @Test("it listens to IPv6 as to IPv4")
    func addresses() async throws {
        let server = try TestServer([Route("GET", "/", .quick { .text(200, $0.peer) })]) {
            $0.listen = IPEndpoint(address: [UInt8](repeating: 0, count: 16), port: 0)
        }
        #expect(try await server.curl(["http://127.0.0.1:\(server.port)/"]).text == "127.0.0.1")
        #expect(try await server.curl(["http://[::1]:\(server.port)/"]).text == "::1")
    }

    @Test("HTTP/1.0 is answered, and its connection closed")
    func old() async throws {
        let answers = try await TestServer(Self.routes()).exchange("GET / HTTP/1.0\r\n\r\n")
        #expect(answers.map(\.text) == ["here"])
        #expect(answers.first?["Connection"]?.lowercased() == "close")
    }

    @Test("each request is one line of the log")
    func log() async throws {
        let server = try TestServer([
            Route("PUT", "/a/{b}", .whole(limit: 10) { .text(200, "\($0.body.count)") })
        ])
        _ = try await server.exchange(
            "PUT /a/%20?signature=secret HTTP/1.1\r\nHost: x\r\nX-Request-Id: one\r\nContent-Length: 3\r\n\r\nabc"
                + "GET /b HTTP/1.1\r\nHost: x\r\nX-Request-Id: two\r\nConnection: close\r\n\r\n")
        var entries: [AccessEntry] = []
        while entries.count < 2 { entries += await server.entries() }
        #expect(entries.map(\.id) == ["one", "two"])
        #expect(entries.map(\.method) == ["PUT", "GET"])
        #expect(entries.map(\.path) == ["/a/%20", "/b"])
        #expect(entries.map(\.route) == ["/a/{b}", nil])
        #expect(entries.map(\.status) == [200, 404])
        #expect(entries.map(\.received) == [3, 0])
        #expect(entries[0].sent == 1 && entries[1].sent > 1)
        #expect(entries.allSatisfy { $0.peer == "127.0.0.1" && $0.took >= .zero })
    }
}
