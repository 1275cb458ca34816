import Basics
import HTTPServer
import TestSupport
import Testing

@Suite struct RoutingTests {
    /// Says what it was and what stood in its places.
    static func route(_ method: String, _ pattern: String) -> Route {
        Route(
            method, pattern,
            .quick { request in
                let places = request.parameters.sorted { $0.key < $1.key }.map { "\($0.key)=\($0.value)" }
                return .text(200, "\(method) \(pattern) \(places.joined(separator: ","))")
            })
    }

    static func server() throws -> TestServer {
        try TestServer([
            route("GET", "/"), route("GET", "/events/{id}"), route("PATCH", "/events/{id}"),
            route("GET", "/events/{id}/photos"), route("GET", "/uploads/{id}"),
            route("GET", "/uploads/status"), route("POST", "/uploads/presign"),
            route("POST", "/uploads/{id}/{what}"), route("POST", "/uploads/events/{id}"),
        ])
    }

    @Test(
        "a path and a method lead to one route, what is fixed before what takes a place",
        arguments: [
            ("GET", "/", "GET / "), ("GET", "/?a=b", "GET / "), ("GET", "/events/7", "GET /events/{id} id=7"),
            ("PATCH", "/events/7", "PATCH /events/{id} id=7"),
            ("GET", "/events/a%20b/photos", "GET /events/{id}/photos id=a b"),
            ("GET", "/events/%C3%BC", "GET /events/{id} id=ü"),
            ("GET", "/events/a+b", "GET /events/{id} id=a+b"),
            ("GET", "/%65vents/7", "GET /events/{id} id=7"),
            ("GET", "/uploads/status", "GET /uploads/status "),
            ("GET", "/uploads/statuses", "GET /uploads/{id} id=statuses"),
            ("POST", "/uploads/a/b", "POST /uploads/{id}/{what} id=a,what=b"),
            ("POST", "/uploads/events/b", "POST /uploads/events/{id} id=b"),
            ("GET", "http://elsewhere/events/7?x=1", "GET /events/{id} id=7"),
            ("GET", "http://elsewhere", "GET / "),
        ])
    func leads(method: String, path: String, to expected: String) async throws {
        let answer = try await Self.server().get(path, method: method)
        #expect(answer.status == 200)
        #expect(answer.text == expected)
    }

    @Test(
        "a question mark makes another address, also with nothing behind it",
        arguments: [("/q", true), ("/q?", false), ("/q?&", false), ("/q?a", false)])
    func questionMark(target: String, isAbsent: Bool) async throws {
        let server = try TestServer([
            Route("GET", "/q", .quick { request in .text(200, "\(request.query.isAbsent)") })
        ])
        #expect(try await server.get(target, method: "GET").text == "\(isAbsent)")
    }

    @Test(
        "where no route is, it says so; where another method is, it says which",
        arguments: [
            ("GET", "/nothing", 404, nil), ("GET", "/events", 404, nil), ("GET", "/events/", 404, nil),
            ("GET", "/events//photos", 404, nil), ("GET", "/events/7/", 404, nil), ("GET", "//", 404, nil),
            ("POST", "/events/7", 405, "GET, HEAD, OPTIONS, PATCH"),
            ("GET", "/uploads/presign", 200, nil),
            ("DELETE", "/uploads/presign", 405, "GET, HEAD, OPTIONS, POST"),
            ("BREW", "/", 405, "GET, HEAD, OPTIONS"),
            ("OPTIONS", "/events/7", 204, "GET, HEAD, OPTIONS, PATCH"),
            ("OPTIONS", "/nothing", 404, nil),
            ("OPTIONS", "*", 204, "GET, HEAD, OPTIONS, PATCH, POST"),
        ] as [(String, String, Int, String?)])
    func refuses(method: String, path: String, status: Int, allow: String?) async throws {
        let answer = try await Self.server().get(path, method: method)
        #expect(answer.status == status)
        #expect(answer["Allow"] == allow)
        if status >= 400 { #expect(answer.text.hasPrefix("refused: ")) }
    }

    @Test(
        "a path that hides something is refused before any route is looked for",
        arguments: [
            "/events/%2", "/events/%zz", "/events/%", "/events/a%2Fb", "/events/%00", "/events/..", "/../x",
            "/events/%2e%2E/photos", "/events/.", "/events/%ff%fe", "/events/ü", "/events/7#x", "events/7",
            "ftp://here/", "/?q=%zz", "/" + String(repeating: "a", count: 3000),
            "/" + String(repeating: "a/", count: 40), "/?" + String(repeating: "a&", count: 200),
            "/?" + String(repeating: "a", count: 9000),
        ])
    func hides(path: String) async throws {
        let answer = try await Self.server().get(path)
        #expect(answer.status == 400)
        #expect(answer["Connection"] == "close")
    }

    @Test("HEAD has every header of GET, and no body")
    func head() async throws {
        let server = try Self.server()
        let get = try await server.get("/events/7")
        let answers = try await server.exchange(
            "HEAD /events/7 HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n")
        // The client does not know that it was HEAD, and finds nothing where the length says there is something.
        let head = try #require(answers.first)
        #expect(answers.count == 1 && head.body.isEmpty && !head.isWhole)
        #expect(head["Content-Length"] == get["Content-Length"])
        #expect(head["Content-Type"] == get["Content-Type"])
    }

    @Test("a query is taken apart as forms write it")
    func query() async throws {
        let server = try TestServer([
            Route(
                "GET", "/",
                .quick { request in
                    .text(200, request.query.items.map { "\($0.name)=\($0.value)" }.joined(separator: ";"))
                })
        ])
        #expect(try await server.get("/?a=1&b=%26+c&a=2&d&=e&&f==").text == "a=1;b=& c;a=2;d=;=e;f==")
    }

    @Test("a request's own id is taken when it is a plain one, and made otherwise")
    func ids() async throws {
        let server = try Self.server()
        let own = try await server.get("/", headers: ["X-Request-Id: photo-7.a_B"])
        #expect(own["X-Request-Id"] == "photo-7.a_B")
        let long = String(repeating: "a", count: 101)
        var made: Set<String> = []
        for value in ["", "a b", "a;b", long, "ü"] {
            let answer = try await server.get("/", headers: ["X-Request-Id: \(value)"])
            let id = try #require(answer["X-Request-Id"])
            #expect(!id.isEmpty && id != value)
            made.insert(id)
        }
        #expect(made.count == 5)
    }

    @Test("every answer has a date and a length, and does not name the server's program")
    func always() async throws {
        let answer = try await Self.server().get("/")
        #expect(answer["Date"].flatMap { Timestamp(httpDate: $0) } != nil)
        #expect(answer["Content-Length"] == "6")
        #expect(answer["Server"] == nil)
    }

    @Test("what a guest typed cannot add a header")
    func injection() async throws {
        let server = try TestServer([
            Route(
                "GET", "/",
                .quick { request in
                    Response(
                        status: 302,
                        headers: [
                            HTTPHeader("Location", request.query["to"] ?? ""), HTTPHeader("Server", "x"),
                            HTTPHeader("Content-Length", "99"),
                        ])
                })
        ])
        let answer = try await server.get("/?to=/a%0d%0aSet-Cookie:%20b%00c")
        #expect(answer["Location"] == "/a  Set-Cookie: b c")
        #expect(answer["Set-Cookie"] == nil && answer["Server"] == nil)
        #expect(answer["Content-Length"] == "0")
    }
}
