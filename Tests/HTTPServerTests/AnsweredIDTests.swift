import HTTPServer
import TestSupport
import Testing

/// Code that does not have the request knows which one is answered.
@Suite struct AnsweredIDTests {
    private static var answer: Response { .text(200, Request.answeredID ?? "none") }

    private final class NamingSink: BodySink {
        func write(_ bytes: UnsafeRawBufferPointer) throws {}
        func finish() async -> Response { AnsweredIDTests.answer }
        func abandon() {}
    }

    private static func server() throws -> TestServer {
        try TestServer([
            Route("GET", "/whole", .whole(limit: 0) { _ in Self.answer }),
            Route("GET", "/begun", .whole(limit: 0) { _ in await Task { Self.answer }.value }),
            Route("GET", "/waited", .quickOr({ _ in nil }, otherwise: { _ in Self.answer })),
            Route("GET", "/quick", .quick { _ in Self.answer }),
            Route("PUT", "/asked", .intake { _ in .refuse(Self.answer) }),
            Route("PUT", "/kept", .intake { _ in .take(NamingSink(), limit: 1) }),
        ])
    }

    @Test(
        "a handler that may wait finds the id in its task and in those that it begins; a quick one has none",
        arguments: [
            ("GET", "/whole", "r-1"), ("GET", "/begun", "r-1"), ("GET", "/waited", "r-1"),
            ("GET", "/quick", "none"), ("PUT", "/asked", "r-1"), ("PUT", "/kept", "r-1"),
        ])
    func known(method: String, path: String, id: String) async throws {
        let server = try Self.server()
        let body = method == "PUT" ? "Content-Length: 1\r\n\r\nx" : "\r\n"
        let answers = try await server.exchange(
            "\(method) \(path) HTTP/1.1\r\nHost: x\r\nX-Request-Id: r-1\r\nConnection: close\r\n\(body)")
        #expect(answers.map(\.text) == [id])
    }

    @Test("the next request of a connection has its own")
    func next() async throws {
        let server = try Self.server()
        let answers = try await server.exchange(
            "GET /whole HTTP/1.1\r\nHost: x\r\nX-Request-Id: r-1\r\n\r\n"
                + "GET /whole HTTP/1.1\r\nHost: x\r\nX-Request-Id: r-2\r\nConnection: close\r\n\r\n")
        #expect(answers.map(\.text) == ["r-1", "r-2"])
    }
}
