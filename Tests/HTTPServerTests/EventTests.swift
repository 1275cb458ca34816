import HTTPServer
import TestSupport
import Testing

@Suite struct EventTests {
    private static func server(_ feed: EventFeed, time: ManualClock = ManualClock()) throws -> TestServer {
        try TestServer(
            [
                Route(
                    "GET", "/live",
                    .quick { request in
                        let last = request["Last-Event-ID"].flatMap { UInt64($0) }
                        return Response(status: 200, body: .events(feed.stream(after: last)))
                    })
            ], time: time)
    }

    private static func listen(_ server: TestServer, after last: UInt64? = nil) async throws -> RawClient {
        try await aside {
            let client = try server.client()
            let header = last.map { "Last-Event-ID: \($0)\r\n" } ?? ""
            try client.send("GET /live HTTP/1.1\r\nHost: x\r\n\(header)\r\n")
            let head = try client.read(until: "\r\n\r\n")
            #expect(head.contains("Content-Type: text/event-stream\r\n"))
            #expect(head.contains("Cache-Control: no-store\r\n"))
            #expect(head.contains("X-Accel-Buffering: no\r\n"))
            _ = try client.read(until: "retry: 2000\n\n")
            return client
        }
    }

    /// What comes until then, without what the chunks add.
    private static func read(_ client: RawClient, until text: String) async throws -> [String] {
        try await aside {
            try client.read(until: text).split(whereSeparator: \.isNewline).map(String.init).filter {
                $0.contains(":")
            }
        }
    }

    private static func publish(_ feed: EventFeed, _ ids: ClosedRange<UInt64>) {
        for id in ids { feed.publish(ServerEvent(id: id, name: "photo", data: "{\"n\": \(id)}")) }
    }

    @Test("every client that listens hears what is published, line by line")
    func heard() async throws {
        let feed = EventFeed()
        let server = try Self.server(feed)
        Self.publish(feed, 1...2)
        var clients: [RawClient] = []
        for _ in 0..<5 { clients.append(try await Self.listen(server)) }
        #expect(feed.listeners == 5)
        feed.publish(ServerEvent(id: 7, name: "count", data: "one\ntwo\r\nid: 9"))
        for client in clients {
            #expect(
                try await Self.read(client, until: "id: 9\n\n")
                    == ["id: 7", "event: count", "data: one", "data: two", "data: id: 9"])
        }
    }

    @Test("who comes back hears what was published meanwhile")
    func comesBack() async throws {
        let feed = EventFeed(remembers: 100)
        let server = try Self.server(feed)
        Self.publish(feed, 1...50)
        let client = try await Self.listen(server, after: 47)
        let lines = try await Self.read(client, until: "{\"n\": 50}\n\n")
        #expect(lines.filter { $0.hasPrefix("id:") } == ["id: 48", "id: 49", "id: 50"])
        Self.publish(feed, 51...51)
        #expect(try await Self.read(client, until: "{\"n\": 51}\n\n").first == "id: 51")
    }

    @Test("who was away for too long, or knows another feed, is told to begin anew", arguments: [3, 1000])
    func reset(last: UInt64) async throws {
        let feed = EventFeed(remembers: 10)
        let server = try Self.server(feed)
        Self.publish(feed, 1...200)
        let client = try await Self.listen(server, after: last)
        #expect(
            try await Self.read(client, until: "data: \n\n") == ["id: 200", "event: reset", "data: "])
        Self.publish(feed, 201...201)
        #expect(try await Self.read(client, until: "{\"n\": 201}\n\n").first == "id: 201")
    }

    @Test("a feed remembers at least as many as it was told to")
    func remembers() async throws {
        let feed = EventFeed(remembers: 10, behind: 5)
        let server = try Self.server(feed)
        // A client that knows what was before the feed began misses nothing.
        let early = try await Self.listen(server, after: 5)
        for id in UInt64(6)...300 {
            Self.publish(feed, id...id)
            let knowing = id - min(10, id - 5)
            let client = id % 50 == 0 ? try await Self.listen(server, after: knowing) : nil
            if let client {
                let lines = try await Self.read(client, until: "{\"n\": \(id)}\n\n")
                #expect(lines.count { $0.hasPrefix("id:") } == 10)
            }
        }
        #expect(try await Self.read(early, until: "{\"n\": 300}\n\n").count == 295 * 3)
    }

    @Test("who is sent away hears what was said before, and may come back for what was said since")
    func sentAway() async throws {
        let feed = EventFeed()
        let server = try Self.server(feed)
        let clients = [try await Self.listen(server), try await Self.listen(server)]
        Self.publish(feed, 1...1)
        feed.sendAway()
        Self.publish(feed, 2...3)
        for client in clients {
            let heard = try await aside { try client.textToTheEnd() }
            #expect(heard.contains("{\"n\": 1}") && !heard.contains("{\"n\": 2}"))
        }
        #expect(feed.listeners == 0)
        let back = try await Self.listen(server, after: 1)
        #expect(try await Self.read(back, until: "{\"n\": 3}\n\n").count { $0.hasPrefix("id:") } == 2)
    }

    @Test("a line that is silent gets a comment every fifteen seconds")
    func heartbeat() async throws {
        let time = ManualClock()
        let server = try Self.server(EventFeed(), time: time)
        let client = try await Self.listen(server)
        await time.waitForSleepers(1)
        time.advance(by: .seconds(1))
        for beat in 1...2 {
            await time.waitForSleeper(until: time.now + .seconds(1))
            time.advance(by: .seconds(15))
            #expect(try await Self.read(client, until: ":\n\n") == [":"], "beat \(beat)")
        }
    }

    @Test("what is taken back is told to no client that comes back, nor to one that has not read it yet")
    func takenBack() async throws {
        let feed = EventFeed()
        let behind = feed.stream(after: nil)
        for (id, subject) in [(1, "a"), (2, "b"), (3, "a"), (4, nil)] as [(UInt64, String?)] {
            feed.publish(ServerEvent(id: id, name: "photo", data: "{\"n\": \(id)}", subject: subject))
        }
        feed.takeBack("a")
        feed.publish(ServerEvent(id: 5, name: "gone", data: "{}", subject: "a"))
        let late = feed.stream(after: 0)
        let server = try TestServer(
            [
                Route("GET", "/behind", .quick { _ in Response(status: 200, body: .events(behind)) }),
                Route("GET", "/late", .quick { _ in Response(status: 200, body: .events(late)) }),
            ], time: ManualClock())
        for path in ["/behind", "/late"] {
            let client = try server.client()
            let lines = try await aside {
                try client.send("GET \(path) HTTP/1.1\r\nHost: x\r\n\r\n")
                return try client.read(until: "{}\n\n")
            }
            let ids = lines.split(whereSeparator: \.isNewline).filter { $0.hasPrefix("id:") }
            #expect(ids == ["id: 2", "id: 4", "id: 5"], "\(path)")
        }
    }

    @Test("who does not read is let go, and the others hear everything")
    func slow() async throws {
        let feed = EventFeed()
        let server = try Self.server(feed)
        let slow = try await aside {
            let client = try RawClient(port: server.port, receiveBuffer: 4096)
            try client.send("GET /live HTTP/1.1\r\nHost: x\r\n\r\n")
            _ = try client.read(until: "retry: 2000\n\n")
            return client
        }
        let quick = try await Self.listen(server)
        let data = String(repeating: "x", count: 100_000)
        for id in UInt64(1)...40 {
            feed.publish(ServerEvent(id: id, name: "photo", data: data))
            _ = try await Self.read(quick, until: "x\n\n")
        }
        #expect(feed.listeners == 1)
        slow.widen()
        try await aside { try slow.waitForEnd() }
        #expect(await server.entries().map(\.status) == [200])
    }

    @Test("a feed that is done with ends its listeners' requests when the server stops")
    func ends() async throws {
        let server = try Self.server(EventFeed())
        let client = try await Self.listen(server)
        await server.server.stop(within: .seconds(100))
        #expect(try await aside { try client.textToTheEnd() }.isEmpty)
        #expect(await server.entries().map(\.status) == [200])
    }

    @Test("curl reads a feed as any client does")
    func curl() async throws {
        let feed = EventFeed()
        Self.publish(feed, 1...3)
        let server = try Self.server(feed)
        let output = try await aside {
            try Tool("curl")?.run([
                "-s", "-N", "--max-time", "1", "-H", "Last-Event-ID: 2",
                "http://127.0.0.1:\(server.port)/live",
            ])
        }
        #expect(output?.text == "retry: 2000\n\nid: 3\nevent: photo\ndata: {\"n\": 3}\n\n")
    }
}
