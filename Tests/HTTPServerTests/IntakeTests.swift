import HTTPServer
import Synchronization
import TestSupport
import Testing

@Suite struct IntakeTests {
    private static func server(
        _ sink: KeepingSink, limit: UInt64 = 1 << 30, time: ManualClock = ManualClock()
    ) throws -> TestServer {
        try TestServer(
            [
                Route(
                    "PUT", "/objects/{key}",
                    .intake { request in
                        request["X-Wrong"] == nil
                            ? .take(sink, limit: limit) : .refuse(.text(403, "expired"))
                    })
            ], time: time)
    }

    private static func head(_ more: String) -> String {
        "PUT /objects/a HTTP/1.1\r\nHost: x\r\n\(more)\r\n"
    }

    @Test("a large body goes to its sink as it is, and the sink answers")
    func taken() async throws {
        let sink = KeepingSink()
        let server = try Self.server(sink)
        let folder = try TemporaryFolder()
        let bytes = (0..<5_000_000).map { UInt8(truncatingIfNeeded: $0 &* 31 >> 3) }
        try folder.write(bytes, to: "body")
        let output = try await server.curl([
            "-T", folder.file("body"), "-w", " %{http_code}", "\(server.url)/objects/a",
        ])
        #expect(output.text == "5000000 bytes 201")
        #expect(sink.kept == bytes)
        #expect(await sink.end() == [.finished])
    }

    @Test("it is asked before the body: only who is taken is told to send it")
    func asked() async throws {
        let sink = KeepingSink()
        let server = try Self.server(sink)
        let expects = "Content-Length: 3\r\nExpect: 100-continue\r\n"
        let taken = try await aside {
            let client = try server.client()
            try client.send(Self.head(expects))
            let first = try client.answer()
            try client.send("abc")
            return [first, try client.answer()]
        }
        #expect(taken.map(\.status) == [100, 201])
        let refused = try await server.exchange(Self.head(expects + "X-Wrong: 1\r\n"))
        #expect(refused.map(\.status) == [403])
        #expect(refused.first?.text == "expired")
        #expect(refused.first?["Connection"] == "close")
    }

    @Test("a small body that was sent unasked is read before it is refused, and the connection goes on")
    func refusedUnasked() async throws {
        let sink = KeepingSink()
        let server = try Self.server(sink)
        let body = String(repeating: "x", count: 300_000)
        let answers = try await server.exchange(
            Self.head("Content-Length: 300000\r\nX-Wrong: 1\r\n") + body
                + Self.head("Content-Length: 3\r\nConnection: close\r\n") + "abc")
        #expect(answers.map(\.status) == [403, 201])
        #expect(answers.first?.text == "expired" && sink.kept == Array("abc".utf8))
    }

    @Test("an empty body is a body, taken or refused without the connection's end")
    func empty() async throws {
        let server = try Self.server(KeepingSink())
        let answers = try await server.exchange(
            Self.head("Content-Length: 0\r\nX-Wrong: 1\r\n") + Self.head("")
                + Self.head("Connection: close\r\n"))
        #expect(answers.map(\.status) == [403, 201, 201])
    }

    @Test("a body without a length is refused, and one that is longer than the sink's limit")
    func lengths() async throws {
        let sink = KeepingSink()
        let server = try Self.server(sink, limit: 10)
        let chunked = try await server.exchange(Self.head("Transfer-Encoding: chunked\r\n"))
        #expect(chunked.map(\.status) == [411])
        let long = try await server.exchange(Self.head("Content-Length: 11\r\n"))
        #expect(long.map(\.status) == [413])
        #expect(await sink.end() == [.abandoned])
    }

    @Test("a sink learns that the body was cut")
    func cut() async throws {
        let sink = KeepingSink()
        let server = try Self.server(sink)
        try await aside {
            let client = try server.client()
            try client.send(Self.head("Content-Length: 100\r\nExpect: 100-continue\r\n"))
            _ = try client.answer()
            try client.send("abc")
            client.reset()
        }
        #expect(await sink.end() == [.abandoned])
        #expect(await server.entries().map(\.status) == [499])
    }

    @Test("a sink that cannot keep it is done with, and the other side is told")
    func full() async throws {
        let sink = KeepingSink(room: 10)
        let server = try Self.server(sink)
        let answer = try await aside {
            let client = try server.client()
            try client.send(Self.head("Content-Length: 100000\r\n") + String(repeating: "a", count: 100_000))
            return try client.answer()
        }
        #expect(answer.status == 500)
        #expect(await sink.end() == [.abandoned])
    }

    @Test("a body that comes more slowly than the minimum is cut, and the others go on")
    func slow() async throws {
        let time = ManualClock()
        let slow = KeepingSink()
        let server = try Self.server(slow, time: time)
        await time.waitForSleepers(1)
        let client = try await aside {
            let client = try server.client()
            try client.send(Self.head("Content-Length: 100000\r\nExpect: 100-continue\r\n"))
            _ = try client.answer()
            // Enough for ten seconds, and not for twenty.
            try client.send(String(repeating: "a", count: 15_000))
            return client
        }
        // The bytes have arrived when the sink has them.
        while slow.kept.count < 15_000 { await Task.yield() }
        time.advance(by: .seconds(10))
        await time.waitForSleeper(until: .seconds(11))
        #expect(slow.kept.count == 15_000)
        try await aside { try client.send("a") }
        while slow.kept.count < 15_001 { await Task.yield() }
        time.advance(by: .seconds(10))
        #expect(await slow.end() == [.abandoned])
        #expect(await server.entries().map(\.status) == [408])
        try await aside { try client.waitForEnd() }
    }
}
