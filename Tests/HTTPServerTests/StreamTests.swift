import Basics
import HTTPServer
import TestSupport
import Testing

@Suite struct StreamTests {
    private static func server(_ source: PieceSource, headers: [HTTPHeader] = []) throws -> TestServer {
        try TestServer([
            Route("GET", "/", .quick { _ in Response(status: 200, headers: headers, body: .stream(source)) })
        ])
    }

    private static func expected(pieces: Int, of size: Int) -> [UInt8] {
        (1...pieces).flatMap { [UInt8](repeating: UInt8(truncatingIfNeeded: $0), count: size) }
    }

    @Test("a body that is made while it is sent arrives whole, in order, and its source is closed")
    func whole() async throws {
        let source = PieceSource(pieces: 100, of: 50_000)
        let server = try Self.server(source)
        let output = try await server.curl(["\(server.url)/"])
        #expect(output.output == Self.expected(pieces: 100, of: 50_000))
        #expect(await source.closed() == [0])
        let entry = try #require(await server.entries().first)
        #expect(entry.sent == 5_000_000)
    }

    @Test("with a length that is known before, the length is said")
    func counted() async throws {
        let source = PieceSource(pieces: 3, of: 10)
        let answer = try await Self.server(source, headers: [HTTPHeader("Content-Length", "30")]).get("/")
        #expect(answer["Content-Length"] == "30")
        #expect(answer["Transfer-Encoding"] == nil)
        #expect(answer.body == Self.expected(pieces: 3, of: 10))
    }

    @Test("a source that fails cuts the connection, so that no client takes a part for the whole")
    func fails() async throws {
        let source = PieceSource(pieces: 3, of: 10, fails: true)
        let server = try Self.server(source)
        let answer = try await server.get("/")
        #expect(!answer.isWhole)
        #expect(await source.closed() == [0])
        let short = PieceSource(pieces: 2, of: 10)
        let other = try Self.server(short, headers: [HTTPHeader("Content-Length", "30")])
        #expect(try await other.get("/").isWhole == false)
        #expect(try await other.curl(["\(other.url)/"]).code == 18)
    }

    @Test("HEAD reads nothing from a source, and closes it")
    func head() async throws {
        let source = PieceSource(pieces: 3)
        let answer = try await Self.server(source).get("/", method: "HEAD")
        #expect(answer.status == 200)
        #expect(await source.closed() == [3])
    }

    @Test("who reads slowly is waited for with a bounded part read ahead, and who leaves ends the source")
    func slow() async throws {
        let source = PieceSource(pieces: 100_000)
        let server = try Self.server(source)
        let client = try await aside {
            let client = try RawClient(port: server.port, receiveBuffer: 4096)
            try client.send("GET / HTTP/1.1\r\nHost: x\r\n\r\n")
            _ = try client.read(until: "\r\n\r\n")
            return client
        }
        client.reset()
        let left = try #require(await source.closed().first)
        // What lies in the buffers of the kernel and in ours.
        #expect(left > 99_000)
        #expect(await server.entries().map(\.status) == [200])
    }
}
