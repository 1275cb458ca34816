import Basics
import HTTPServer
import TestSupport
import Testing

@Suite struct LimitTests {
    private static let request = "GET / HTTP/1.1\r\nHost: x\r\n\r\n"

    private static func server(
        time: ManualClock = ManualClock(), gate: Gate? = nil,
        change: (inout ServerSettings) -> Void = { _ in }
    ) throws -> TestServer {
        try TestServer(
            [
                Route("GET", "/", .quick { _ in .text(200, "here") }),
                Route(
                    "GET", "/slow",
                    .whole(limit: 10) { _ in
                        await gate?.pass()
                        return .text(200, "late")
                    }),
            ], time: time, change: change)
    }

    @Test("headers that are too long, or too many, are refused")
    func headers() async throws {
        let server = try Self.server()
        let line = "X-A: " + String(repeating: "a", count: 100)
        #expect(try await server.get("/", headers: Array(repeating: line, count: 90)).status == 200)
        #expect(try await server.get("/", headers: Array(repeating: "X-A: a", count: 120)).status == 431)
        let long = "X-A: " + String(repeating: "a", count: 17 << 10)
        #expect(try await server.get("/", headers: [long]).text.hasPrefix("refused"))
        let endless = try await aside {
            let client = try server.client()
            do {
                try client.send("GET / HTTP/1.1\r\nHost: x\r\nX-A: " + String(repeating: "a", count: 1 << 20))
            } catch is RawClient.Failed {
                // It was cut while it was sending.
            }
            return try client.textToTheEnd()
        }
        #expect(endless.isEmpty || endless.hasPrefix("HTTP/1.1 431"))
        let line2 = try await aside {
            let client = try server.client()
            do {
                try client.send("GET /" + String(repeating: "a", count: 1 << 20))
            } catch is RawClient.Failed {
                // It was cut while it was sending.
            }
            return try client.textToTheEnd()
        }
        #expect(line2.isEmpty || line2.hasPrefix("HTTP/1.1 414"))
    }

    @Test("as many headers as are taken leave room for an answer with many of its own")
    func room() async throws {
        let server = try TestServer([
            Route(
                "GET", "/",
                .quick { _ in
                    Response(
                        status: 302,
                        headers: [HTTPHeader("Location", "https://x/" + String(repeating: "b", count: 3000))])
                })
        ])
        let headers = (0..<95).map { "X-\($0): " + String(repeating: "a", count: 155) }
        let answer = try await server.get("/", headers: headers)
        #expect(answer.status == 302)
        #expect(answer["Location"]?.count == 3010)
    }

    @Test("headers that drip in are cut when their time is over, whatever comes meanwhile")
    func drips() async throws {
        let time = ManualClock()
        let gate = Gate()
        let server = try Self.server(time: time, gate: gate)
        await time.waitForSleepers(1)
        let dripping = try await aside {
            let client = try server.client()
            try client.send(Self.request)
            _ = try client.answer()
            return client
        }
        #expect(await server.entries().map(\.status) == [200])
        let thinking = try await aside {
            let client = try server.client()
            try client.send("GET /slow HTTP/1.1\r\nHost: x\r\n\r\n")
            return client
        }
        await gate.waitForArrival()
        for second in 1...31 {
            try await aside { try dripping.send(second == 1 ? "GET / HTTP/1.1\r\nX-A: " : "a") }
            time.advance(by: .seconds(1))
            await time.waitForSleeper(until: .seconds(second + 1))
        }
        try await aside { try dripping.waitForEnd() }
        // It is our turn there, however long that takes.
        gate.open()
        #expect(try await aside { try thinking.answer().text } == "late")
    }

    @Test("a connection over which nothing comes is closed by real time, too")
    func idle() async throws {
        let server = try Self.server { $0.idle = .seconds(1) }
        try await aside {
            let silent = try server.client()
            let begun = try server.client()
            try begun.send("GET / HT")
            let kept = try server.client()
            try kept.send(Self.request)
            _ = try kept.answer()
            for client in [silent, begun, kept] { try client.waitForEnd() }
        }
    }

    @Test("so many connections of one address are served, and not one more")
    func perAddress() async throws {
        let server = try Self.server { $0.mostConnectionsPerAddress = 3 }
        try await aside {
            let clients = try (0..<3).map { _ in try server.client() }
            for client in clients {
                try client.send(Self.request)
                #expect(try client.answer().status == 200)
            }
            let other = try server.client()
            try other.waitForEnd()
            clients[0].close()
            // Its place is free as soon as the server has seen that.
            while true {
                let next = try server.client()
                try next.send(Self.request)
                if try next.textUntilAnswered().hasPrefix("HTTP/1.1 200") { break }
            }
        }
    }

    @Test(
        "behind a trusted proxy, whose address all clients share, only all connections together are counted")
    func behindProxy() async throws {
        let server = try Self.server {
            $0.mostConnectionsPerAddress = 1
            $0.mostConnections = 3
            $0.trustedProxies = ["127.0.0.1"]
        }
        try await aside {
            let clients = try (0..<3).map { _ in try server.client() }
            for client in clients {
                try client.send(Self.request)
                #expect(try client.answer().status == 200)
            }
            try server.client().waitForEnd()
        }
    }

    @Test("so many connections are served, and the next one is closed")
    func connections() async throws {
        let server = try Self.server { $0.mostConnections = 2 }
        try await aside {
            let clients = try (0..<2).map { _ in try server.client() }
            for client in clients {
                try client.send(Self.request)
                #expect(try client.answer().status == 200)
            }
            try server.client().waitForEnd()
            for client in clients {
                try client.send(Self.request)
                #expect(try client.answer().status == 200)
            }
        }
    }

    @Test(
        "exactly as many requests at once as the library takes at a time are answered, though nothing follows"
    )
    func batch() async throws {
        let time = ManualClock()
        let entered = Gate()
        let release = Barrier()
        let blocks = Route(
            "GET", "/block",
            .quick { _ in
                // On purpose: the thread of the network stands still while the others ask.
                entered.open()
                release.block()
                return .text(200, "blocked")
            })
        let server = try TestServer(
            [blocks, Route("GET", "/", .quick { _ in .text(200, "here") })], time: time
        ) {
            $0.threads = 1
        }
        await time.waitForSleepers(1)
        let clients = try await aside {
            let clients = try (0..<129).map { _ in try server.client() }
            for client in clients {
                try client.send(Self.request)
                _ = try client.answer()
            }
            try clients[128].send("GET /block HTTP/1.1\r\nHost: x\r\n\r\n")
            return clients
        }
        await entered.waitUntilOpen()
        try await aside { for client in clients[..<128] { try client.send(Self.request) } }
        release.unblock()
        #expect(try await aside { try clients[128].answer().text } == "blocked")
        time.advance(by: .seconds(1))
        let texts = try await aside { try clients[..<128].map { try $0.answer().text } }
        #expect(texts.allSatisfy { $0 == "here" })
    }

    @Test("the client is the one that a trusted proxy names, and no other header is believed")
    func proxies() async throws {
        let route = Route("GET", "/", .quick { .text(200, $0.peer) })
        let far = ["X-Forwarded-For: 1.1.1.1, 10.0.0.7", "X-Forwarded-For: 10.0.0.1"]
        let alone = try TestServer([route])
        #expect(try await alone.get("/", headers: far).text == "127.0.0.1")
        let behind = try TestServer([route]) { $0.trustedProxies = ["127.0.0.1", "10.0.0.1"] }
        #expect(try await behind.get("/", headers: far).text == "10.0.0.7")
        #expect(try await behind.get("/").text == "127.0.0.1")
        #expect(await behind.entries().first?.peer == "10.0.0.7")
    }
}
