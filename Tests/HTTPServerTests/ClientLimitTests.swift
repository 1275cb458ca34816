import Basics
import HTTPServer
import TestSupport
import Testing

/// Clients behind a proxy that is trusted, each with a share of its own.
@Suite struct ClientLimitTests {
    private static let retryAfter = 1...32
    /// As many requests as one likes were answered.
    private struct Unlimited: Error {}

    private static func head(_ path: String, of client: String, _ more: String = "") -> String {
        "GET \(path) HTTP/1.1\r\nHost: x\r\nX-Forwarded-For: \(client)\r\n\(more)\r\n"
    }

    private static func server(_ gate: Gate) throws -> TestServer {
        try TestServer([
            Route("GET", "/", .quick { _ in .text(200, "here") }),
            Route(
                "GET", "/slow",
                .whole(limit: 10) { _ in
                    await gate.pass()
                    return .text(200, "late")
                }),
        ]) {
            $0.trustedProxies = ["127.0.0.1"]
            $0.mostRequestsPerClient = 2
        }
    }

    @Test("a client with as many requests under way as it may have is told to come back, and no other is")
    func requests() async throws {
        let gate = Gate()
        let server = try Self.server(gate)
        let flood = ["2001:db8::1", "2001:db8::2"]
        let waiting = try await aside {
            try flood.map { address in
                let client = try server.client()
                try client.send(Self.head("/slow", of: address))
                return client
            }
        }
        await gate.waitForArrival()
        // Both are counted when the third comes: it is asked again until it is refused.
        let refused = try await aside {
            for _ in 0..<1000 {
                let client = try server.client()
                try client.send(Self.head("/", of: "2001:db8::3"))
                let answer = try client.answer()
                if answer.status != 200 { return answer }
            }
            throw Unlimited()
        }
        #expect(refused.status == 429 && refused.text.hasPrefix("refused"))
        #expect(Self.retryAfter.contains(refused["Retry-After"].flatMap { Int($0) } ?? 0))
        for other in ["2001:db8:0:1::1", "192.0.2.1", "unknown"] {
            let answer = try await aside {
                let client = try server.client()
                try client.send(Self.head("/", of: other))
                return try client.answer()
            }
            #expect(answer.status == 200, "\(other)")
        }
        gate.open()
        #expect(try await aside { try waiting.map { try $0.answer().text } } == ["late", "late"])
        // Their places are free again, over the same connections too.
        try await aside {
            for client in waiting + waiting {
                try client.send(Self.head("/", of: flood[0]))
                #expect(try client.answer().status == 200)
            }
        }
    }

    @Test("a refused request may be followed by another one over its connection, also where it had a body")
    func goesOn() async throws {
        let gate = Gate()
        let server = try Self.server(gate)
        let waiting = try await aside {
            try (0..<2).map { _ in
                let client = try server.client()
                try client.send(Self.head("/slow", of: "192.0.2.1"))
                return client
            }
        }
        await gate.waitForArrival()
        let answers = try await aside {
            let client = try server.client()
            var answers: [RawClient.Answer] = []
            while answers.last?.status != 429, answers.count < 1000 {
                try client.send(
                    Self.head("/", of: "192.0.2.1", "Content-Length: 5\r\n") + "hello")
                answers.append(try client.answer())
            }
            try client.send(Self.head("/", of: "192.0.2.2"))
            answers.append(try client.answer())
            return answers
        }
        #expect(answers.suffix(2).map(\.status) == [429, 200])
        gate.open()
        try await aside { for client in waiting { _ = try client.answer() } }
    }

    @Test("behind a proxy each client has its share of the streams, and leaves the rest to others")
    func streams() async throws {
        let feed = EventFeed(remembers: 1)
        let server = try TestServer([
            Route(
                "GET", "/live",
                .quick { _ in Response(status: 200, body: .events(feed.stream(after: nil))) })
        ]) {
            $0.trustedProxies = ["127.0.0.1"]
            $0.mostStreams = 4
        }
        try await aside {
            func listen(_ client: String) throws -> (RawClient, String) {
                let connection = try server.client()
                try connection.send(Self.head("/live", of: client))
                return (connection, try connection.textUntilAnswered())
            }
            let listening = try (0..<3).map { _ in try listen("192.0.2.1") }
            #expect(listening.allSatisfy { $0.1.hasPrefix("HTTP/1.1 200") })
            let refused = try listen("192.0.2.1").1
            #expect(refused.hasPrefix("HTTP/1.1 503") && refused.contains("Retry-After: "))
            #expect(try listen("192.0.2.2").1.hasPrefix("HTTP/1.1 200"))
            for (connection, _) in listening { connection.close() }
        }
    }

    @Test("places are shared out: three quarters to the clients of one address")
    func places() {
        let places = StreamPlaces(most: 4)
        let client = AddressGroup("192.0.2.1")
        var held = (0..<3).map { _ in places.take(for: client) }
        #expect(held.allSatisfy { $0 != nil } && places.take(for: client) == nil)
        held.append(places.take(for: AddressGroup("192.0.2.2")))
        #expect(held.allSatisfy { $0 != nil } && places.take() == nil && places.taken == 4)
        held.removeFirst()
        #expect(places.take(for: client) != nil)
        held = []
        #expect(places.taken == 0)
    }
}
