import Basics
import HTTPServer
import TestSupport
import Testing

@Suite struct StressTests {
    private static func routes(_ feed: EventFeed) -> [Route] {
        [
            Route("GET", "/quick", .quick { _ in .text(200, "here") }),
            Route("POST", "/whole", .whole(limit: 1000) { .text(200, "\($0.body.count)") }),
            Route(
                "GET", "/late",
                .whole(limit: 10) { _ in
                    for _ in 0..<20 { await Task.yield() }
                    return .text(200, "late")
                }),
            Route("PUT", "/sink", .intake { _ in .take(KeepingSink(), limit: 1 << 20) }),
            Route(
                "GET", "/stream",
                .quick { _ in Response(status: 200, body: .stream(PieceSource(pieces: 20))) }),
            Route(
                "GET", "/live", .quick { _ in Response(status: 200, body: .events(feed.stream(after: nil))) }),
        ]
    }

    private static let requests = [
        "GET /quick HTTP/1.1\r\nHost: x\r\n\r\n", "GET /late HTTP/1.1\r\nHost: x\r\n\r\n",
        "POST /whole HTTP/1.1\r\nHost: x\r\nContent-Length: 5\r\n\r\nabcde",
        "PUT /sink HTTP/1.1\r\nHost: x\r\nContent-Length: 5\r\n\r\nabcde",
        "GET /stream HTTP/1.1\r\nHost: x\r\n\r\n", "GET /live HTTP/1.1\r\nHost: x\r\n\r\n",
        "HEAD /stream HTTP/1.1\r\nHost: x\r\n\r\n",
        "PUT /sink HTTP/1.1\r\nHost: x\r\nContent-Length: 5\r\n\r\nab",
    ]

    @Test(
        "whichever client leaves at whatever moment, the server goes on and comes to its end",
        arguments: Cases.seeds(full: 40))
    func leaving(seed: UInt64) async throws {
        let feed = EventFeed()
        let server = try TestServer(Self.routes(feed))
        let log = Task {
            var entries: [AccessEntry] = []
            while !entries.contains(where: { $0.path == "/last" }) { entries += await server.entries() }
            return entries
        }
        try await aside {
            var random = Seeded(seed)
            var clients: [RawClient] = []
            for turn in UInt64(1)...400 {
                let client = try server.client()
                for _ in 0..<Int.random(in: 1...3, using: &random) {
                    let request = Self.requests.randomElement(using: &random) ?? ""
                    let isWhole = Bool.random(using: &random)
                    let bytes = Array(request.utf8)
                    let count = isWhole ? bytes.count : Int.random(in: 0...bytes.count, using: &random)
                    do {
                        try client.send(Array(bytes.prefix(count)))
                    } catch is RawClient.Failed {
                        // A pipelined request was refused before.
                        break
                    }
                }
                feed.publish(ServerEvent(id: turn, name: "n", data: "\(turn)"))
                switch Int.random(in: 0..<4, using: &random) {
                case 0: client.reset()
                case 1: client.close()
                case _: clients.append(client)
                }
                if clients.count > 40 { clients.remove(at: Int.random(in: 0..<40, using: &random)).reset() }
            }
        }
        #expect(try await server.get("/quick").text == "here")
        #expect(try await server.get("/last").status == 404)
        let entries = await log.value
        #expect(entries.count > 50)
        #expect(Set(entries.map(\.id)).count == entries.count)
        await server.server.stop(within: .zero)
        #expect(feed.listeners == 0)
    }
}
