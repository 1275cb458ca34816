import Basics
import HTTPServer
import TestSupport
import Testing

/// Clients that listen leave the library behind; what it did for them is still done.
@Suite struct HandingOverTests {
    private let feed = EventFeed()

    private func server(
        time: ManualClock = ManualClock(), change: (inout ServerSettings) -> Void = { _ in }
    ) throws -> TestServer {
        let feed = feed
        return try TestServer(
            [
                Route(
                    "GET", "/live",
                    .quick { _ in Response(status: 200, body: .events(feed.stream(after: nil))) }),
                Route(
                    "GET", "/late",
                    .whole(limit: 10) { _ in
                        await Task.yield()
                        return Response(
                            status: 200, headers: [HTTPHeader("X-Own", "said\r\nX-Forged: yes")],
                            body: .events(feed.stream(after: nil)))
                    }),
                Route("GET", "/quick", .quick { _ in .text(200, "here") }),
            ], time: time, change: change)
    }

    private static func request(_ path: String) -> String { "GET \(path) HTTP/1.1\r\nHost: x\r\n\r\n" }

    private func listener(_ server: TestServer, path: String = "/live") throws -> RawClient {
        let client = try server.client()
        try client.send(Self.request(path))
        _ = try client.read(until: "retry: 2000\n\n")
        return client
    }

    private func publish(_ id: UInt64, size: Int = 10) {
        feed.publish(
            ServerEvent(id: id, name: "n", data: String(repeating: "x", count: size), subject: "\(id)"))
    }

    @Test(
        "a connection that was used before becomes a stream, by a handler that waits as by one that does not")
    func keptConnections() async throws {
        let server = try server()
        let heads = try await aside {
            try ["/live", "/late"].map { path in
                let client = try server.client()
                for _ in 0..<3 {
                    try client.send(Self.request("/quick"))
                    #expect(try client.answer().text == "here")
                }
                try client.send("GET \(path) HTTP/1.1\r\nHost: x\r\nX-Request-Id: mine\r\n\r\n")
                return (try client.read(until: "\r\n\r\n"), client)
            }
        }
        for (head, _) in heads {
            #expect(head.hasPrefix("HTTP/1.1 200 OK\r\n"))
            #expect(head.contains("\r\nX-Request-Id: mine\r\n"))
            #expect(head.contains("\r\nConnection: close\r\n"))
            #expect(head.firstMatch(of: /\r\nDate: \w{3}, \d\d \w{3} \d{4} \d\d:\d\d:\d\d GMT\r\n/) != nil)
            #expect(!head.contains("\r\nX-Forged"))
        }
        #expect(heads[1].0.contains("\r\nX-Own: said"))
        publish(1)
        try await aside {
            for (_, client) in heads { _ = try client.read(until: "id: 1\nevent: n\ndata: xxxxxxxxxx\n\n") }
        }
    }

    @Test("what follows the request of a stream is not looked at, and the stream is whole all the same")
    func pipelined() async throws {
        let server = try server()
        let client = try await aside {
            let client = try server.client()
            try client.send(Self.request("/live") + Self.request("/quick") + Self.request("/quick"))
            _ = try client.read(until: "retry: 2000\n\n")
            try client.send(Self.request("/quick"))
            return client
        }
        publish(1, size: 100_000)
        feed.sendAway()
        let text = try await aside { try client.textToTheEnd() }
        #expect(text.hasSuffix("x\n\n") && text.utf8.count > 100_000 && !text.contains("here"))
        #expect(await server.entries().map(\.path) == ["/live"])
    }

    enum Leaving: CaseIterable { case closes, breaksOff, endsSending }

    @Test("a client that leaves is noticed, and its place is free", arguments: Leaving.allCases)
    func leaves(how: Leaving) async throws {
        let server = try server { $0.mostStreams = 1 }
        let client = try await aside { try listener(server) }
        publish(1)
        try await aside {
            _ = try client.read(until: "x\n\n")
            switch how {
            case .closes: client.close()
            case .breaksOff: client.reset()
            case .endsSending: client.endSending()
            }
        }
        let entries = await server.entries()
        #expect(entries.map(\.status) == [200] && entries.map(\.path) == ["/live"])
        let body = "retry: 2000\n\nid: 1\nevent: n\ndata: xxxxxxxxxx\n\n"
        #expect(entries.map(\.sent) == [UInt64(body.utf8.count)])
        #expect(feed.listeners == 0)
        try await aside { _ = try listener(server) }
    }

    @Test("so many streams are there at a time, and the next client is told when to come back")
    func limit() async throws {
        let server = try server {
            $0.mostStreams = 2
            $0.mostConnections = 2
            $0.trustedProxies = ["127.0.0.1"]
        }
        let clients = try await aside { try [listener(server), listener(server)] }
        let refused = try await server.get("/live")
        #expect(refused.status == 503 && refused["Retry-After"] == "2")
        // None of them takes the place of another connection.
        #expect(try await server.get("/quick").status == 200)
        #expect(feed.listeners == 2)
        withExtendedLifetime(clients) {}
    }

    @Test("one address has no more than three quarters of the streams")
    func limitOfOne() async throws {
        let server = try server { $0.mostStreams = 4 }
        let clients = try await aside { try (0..<3).map { _ in try listener(server) } }
        #expect(try await server.get("/live").status == 503)
        withExtendedLifetime(clients) {}
    }

    @Test("a message of which a client has half is taken back by cutting the client")
    func half() {
        let stream = feed.stream(after: nil)
        publish(1, size: 100)
        publish(2)
        var memory = [UInt8](repeating: 0, count: 50)
        #expect(memory.withUnsafeMutableBytes { stream.take(into: $0) } == .bytes(50))
        feed.takeBack("2")
        #expect(memory.withUnsafeMutableBytes { stream.take(into: $0) } == .bytes(50))
        feed.takeBack("1")
        #expect(memory.withUnsafeMutableBytes { stream.take(into: $0) } == .ended)
        #expect(stream.isOver && feed.listeners == 0)
    }

    @Test("what a client has yet to get is kept for it, however many messages that are, up to a megabyte")
    func behind() throws {
        let feed = EventFeed(remembers: 10)
        let stream = feed.stream(after: nil)
        for id in UInt64(1)...2000 { feed.publish(ServerEvent(id: id, name: "n", data: "\(id)")) }
        var text = ""
        var memory = [UInt8](repeating: 0, count: 777)
        while case .bytes(let count) = memory.withUnsafeMutableBytes({ stream.take(into: $0) }) {
            text += String(decoding: memory[..<count], as: UTF8.self)
        }
        let ids = text.split(separator: "\n").filter { $0.hasPrefix("id:") }
        #expect(ids == (1...2000).map { "id: \($0)" })
        for id in UInt64(2001)...2011 {
            feed.publish(ServerEvent(id: id, name: "n", data: String(repeating: "x", count: 100_000)))
        }
        #expect(memory.withUnsafeMutableBytes { stream.take(into: $0) } == .ended)
        // What no listener waits for is forgotten again.
        for id in UInt64(2012)...2100 { feed.publish(ServerEvent(id: id, name: "n", data: "")) }
        let late = feed.stream(after: 2012)
        #expect(memory.withUnsafeMutableBytes { late.take(into: $0) } != .nothingYet)
        #expect(String(decoding: memory, as: UTF8.self).hasPrefix("id: 2100\nevent: reset\n"))
    }

    @Test("a client that takes nothing is cut when a server that stops has waited long enough")
    func stops() async throws {
        let time = ManualClock()
        let server = try server(time: time)
        let client = try await aside {
            let client = try RawClient(port: server.port, receiveBuffer: 4096)
            try client.send(Self.request("/live"))
            _ = try client.read(until: "retry: 2000\n\n")
            return client
        }
        // More than the sockets hold, and less than what a client may be behind.
        publish(1, size: 1_000_000)
        async let stopped: Void = server.server.stop(within: .seconds(5))
        await time.waitForSleeper(until: .seconds(5))
        time.advance(by: .seconds(5))
        await stopped
        #expect(await server.entries().map(\.status) == [200])
        try await aside { try client.waitForEnd() }
    }

    @Test("when many listen, each is told another time to come back, also those who came when there were few")
    func manyComeBack() async throws {
        let time = ManualClock()
        let server = try server(time: time)
        await time.waitForSleepers(1)
        let (clients, pauses) = try await aside {
            var pauses: [Int] = []
            let clients = try (0..<220).map { _ in
                let client = try server.client()
                try client.send(Self.request("/live"))
                _ = try client.read(until: "\r\n\r\nretry: ")
                pauses.append(try Self.pause(client))
                return client
            }
            return (clients, pauses)
        }
        #expect(Set(pauses.prefix(100)) == [2000])
        #expect(pauses.allSatisfy { (2000...2330).contains($0) } && Set(pauses.suffix(100)).count > 30)
        time.advance(by: .seconds(1))
        await time.waitForSleeper(until: .seconds(2))
        time.advance(by: .seconds(15))
        let told = try await aside {
            try clients.prefix(100).map { client in
                _ = try client.read(until: "retry: ")
                return try Self.pause(client)
            }
        }
        #expect(told.allSatisfy { (2000...2330).contains($0) } && Set(told).count > 30)
    }

    @Test("over TLS a stream is what it is without")
    func encrypted() async throws {
        let shop = try await aside { try CertificateShop() }
        let pair = try await aside { try shop.selfSigned("server") }
        let server = try server { $0.tls = (pair.certificate, pair.key) }
        let feed = feed
        let url = "https://127.0.0.1:\(server.port)/live"
        async let output = server.curl(["-k", "-N", url])
        while feed.listeners == 0 { await Task.yield() }
        publish(1)
        feed.sendAway()
        #expect(try await output.text == "retry: 2000\n\nid: 1\nevent: n\ndata: xxxxxxxxxx\n\n")
        #expect(await server.entries().map(\.status) == [200])
        withExtendedLifetime(shop) {}
    }

    private static func pause(_ client: RawClient) throws -> Int {
        Int(try client.read(until: "\n\n").prefix { $0.isNumber }) ?? 0
    }
}
