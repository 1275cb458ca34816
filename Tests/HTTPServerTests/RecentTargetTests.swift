import Basics
import HTTPServer
import TestSupport
import Testing

/// What a target was found to be is remembered for the next request of the same.
@Suite struct RecentTargetTests {
    /// Says what it was asked for.
    private func server() throws -> TestServer {
        let told: @Sendable (Request) -> Response = { request in
            let query = request.query.items.map { "\($0.name)=\($0.value)" }.joined(separator: "&")
            let mark = request.query.isAbsent ? "" : "?"
            return .text(
                200,
                "\(request.method) \(request.path) \(request.parameters["key"] ?? "none") \(mark)\(query)")
        }
        return try TestServer([
            Route("GET", "/images/{key}", .quickOr(told, otherwise: { told($0) })),
            Route("GET", "/others/{key}", .quick(told)),
            Route("PUT", "/images/{key}", .whole(limit: 9) { told($0) }),
        ])
    }

    @Test("the same target is the same again, and one that differs a little is another")
    func again() async throws {
        let server = try server()
        for _ in 0..<3 {
            for (target, text) in [
                ("/images/a", "GET /images/a a "), ("/images/b", "GET /images/b b "),
                ("/images/%61", "GET /images/%61 a "), ("/images/A", "GET /images/A A "),
                ("/images/a?", "GET /images/a a ?"), ("/images/a?x=1", "GET /images/a a ?x=1"),
                ("/images/a?x=2", "GET /images/a a ?x=2"), ("/others/a", "GET /others/a a "),
                ("http://here/images/a", "GET /images/a a "),
            ] {
                #expect(try await server.get(target).text == text)
            }
            #expect(try await server.get("/images/a", method: "HEAD").body.isEmpty)
            #expect(try await server.get("/images/a", method: "PUT").text == "PUT /images/a a ")
            #expect(try await server.get("/images/a", method: "DELETE").status == 405)
            #expect(try await server.get("/images/a/").status == 404)
            #expect(try await server.get("/images/").status == 404)
        }
    }

    @Test("more targets than are remembered, and such as are too long for it, are answered as well")
    func many() async throws {
        let server = try server()
        let long = String(repeating: "k", count: 200)
        try await aside {
            let client = try server.client()
            for batch in 0..<50 {
                let keys = (0..<100).map { "\(batch)-\($0)" } + ["first", long]
                for key in keys { try client.send("GET /images/\(key) HTTP/1.1\r\nHost: x\r\n\r\n") }
                for key in keys { #expect(try client.answer().text == "GET /images/\(key) \(key) ") }
            }
        }
    }
}
