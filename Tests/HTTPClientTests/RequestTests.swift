import Basics
import HTTPClient
import TestSupport
import Testing

extension OnTheWire {
    @Suite struct RequestTests {
        @Test("a request arrives as it was written, and its answer comes back whole")
        func simple() async throws {
            let peer = try HTTPPeer { request in
                let seen = [request.method, request.target, request["X-One"] ?? "", request["Accept"] ?? ""]
                return HTTPPeer.Answer(
                    201,
                    headers: [
                        HTTPHeader("ETag", "\"1\""), HTTPHeader("X-Many", "a"), HTTPHeader("x-many", "b"),
                    ],
                    body: Array(seen.joined(separator: " ").utf8))
            }
            try await withClient { (client: CurlClient) async throws in
                let response = try await client.send(
                    HTTPRequest(
                        "GET", "\(peer.url)/a/../b?x=1&y=%2F", headers: [HTTPHeader("X-One", "two words")]))
                #expect(response.status == 201)
                #expect(
                    String(decoding: response.body, as: UTF8.self) == "GET /a/../b?x=1&y=%2F two words */*")
                #expect(response["etag"] == "\"1\"")
                #expect(
                    response.headers.filter { $0.name.lowercased() == "x-many" }.map(\.value) == ["a", "b"])
            }
        }

        @Test(
            "a body arrives byte by byte with its length, from memory and from a piece of a file",
            arguments: [0, 1, 1000, 65536, 3_000_001], ["PUT", "POST", "PATCH"])
        func bodies(count: Int, method: String) async throws {
            let bytes = noise(count + 100)
            let folder = try TemporaryFolder()
            try folder.write(bytes, to: "photo")
            let seen = Shared<[[UInt8]]>([])
            let peer = try HTTPPeer { request in
                let body = try await request.body.all()
                seen.change { $0.append(body) }
                return .text(
                    200, "\(request.method) \(request["Content-Length"] ?? "-") \(request["Expect"] ?? "-")")
            }
            try await withClient { (client: CurlClient) async throws in
                let sent = Shared<UInt64>(0)
                let bodies: [HTTPBody] = [
                    .bytes(Array(bytes[100...])),
                    .file(FileSlice(path: folder.file("photo"), offset: 100, count: UInt64(count))),
                ]
                for body in bodies {
                    let response = try await client.send(
                        HTTPRequest(
                            method, peer.url, headers: [HTTPHeader("Content-Length", "\(count)")], body: body,
                            onSent: { more in sent.change { $0 += more } }))
                    #expect(String(decoding: response.body, as: UTF8.self) == "\(method) \(count) -")
                }
                #expect(sent.value == UInt64(2 * count))
            }
            #expect(seen.value == [Array(bytes[100...]), Array(bytes[100...])])
        }

        @Test("methods without a body say nothing of one", arguments: ["GET", "DELETE", "MKCOL", "PROPFIND"])
        func bodiless(method: String) async throws {
            let peer = try HTTPPeer { request in
                .text(207, "\(request.method) \(request["Content-Length"] ?? "-")")
            }
            try await withClient { (client: CurlClient) async throws in
                let response = try await client.send(HTTPRequest(method, peer.url))
                #expect(String(decoding: response.body, as: UTF8.self) == "\(method) -")
            }
        }

        @Test("HEAD gives the headers, and its length is no body")
        func head() async throws {
            let peer = try HTTPPeer { _ in HTTPPeer.Answer(200, body: noise(5000)) }
            try await withClient { (client: CurlClient) async throws in
                let response = try await client.send(HTTPRequest("HEAD", peer.url))
                #expect(response.body.isEmpty)
                #expect(response["Content-Length"] == "5000")
            }
        }

        @Test("headers with an empty value are sent, and nothing else is added but what HTTP wants")
        func headers() async throws {
            let peer = try HTTPPeer { request in
                .text(200, request.headers.map(\.name).sorted().joined(separator: " "))
            }
            try await withClient { (client: CurlClient) async throws in
                let response = try await client.send(
                    HTTPRequest("PUT", peer.url, headers: [HTTPHeader("X-Empty", "")], body: .bytes([1])))
                #expect(
                    String(decoding: response.body, as: UTF8.self)
                        == "Accept Content-Length Host User-Agent X-Empty")
            }
        }

        static let mistakes: [HTTPRequest] = [
            HTTPRequest("GET", "ftp://127.0.0.1/a"), HTTPRequest("GET", "file:///etc/passwd"),
            HTTPRequest("GET", "//127.0.0.1/"), HTTPRequest("GET", "http://"), HTTPRequest("GET", ""),
            HTTPRequest("GET", "http://127.0.0.1:99999/"), HTTPRequest("GET", "http://127.0.0.1/a b"),
            HTTPRequest("GET", "http://127.0.0.1/ä"), HTTPRequest("GET", "http://user:secret@127.0.0.1/"),
            HTTPRequest("GET", "http://127.0.0.1/\r\nX: y"), HTTPRequest("G T", "http://127.0.0.1/"),
            HTTPRequest("", "http://127.0.0.1/"), HTTPRequest("GET", "http://127.0.0.1/", body: .bytes([1])),
            HTTPRequest("GET", "http://127.0.0.1/", headers: [HTTPHeader("A", "b\r\nC: d")]),
            HTTPRequest("GET", "http://127.0.0.1/", headers: [HTTPHeader("A", "b\u{0}")]),
            HTTPRequest("GET", "http://127.0.0.1/", headers: [HTTPHeader("A:", "b")]),
            HTTPRequest("GET", "http://127.0.0.1/", headers: [HTTPHeader("", "b")]),
            HTTPRequest("PUT", "http://127.0.0.1/", headers: [HTTPHeader("Expect", "x")]),
            HTTPRequest("PUT", "http://127.0.0.1/", headers: [HTTPHeader("Transfer-Encoding", "chunked")]),
            HTTPRequest(
                "PUT", "http://127.0.0.1/", headers: [HTTPHeader("Content-Length", "2")], body: .bytes([1])),
        ]

        @Test(
            "what cannot be a request is refused before anything leaves, without a secret",
            arguments: mistakes)
        func refuses(request: HTTPRequest) async throws {
            try await withClient { (client: CurlClient) async throws in
                guard case .invalid(let text)? = await failure(of: client, request) else {
                    Issue.record("\(request.method) \(request.url) was not refused")
                    return
                }
                #expect(!text.contains("secret") && text.utf8.count > 20, "\(text)")
            }
        }

        @Test("connections are used again, and many requests at a time are no trouble")
        func reuse() async throws {
            let peer = try HTTPPeer { request in .text(200, "\(try await request.body.all().count)") }
            try await withClient { (client: CurlClient) async throws in
                for _ in 0..<20 {
                    _ = try await client.send(HTTPRequest("PUT", peer.url, body: .bytes(noise(5000))))
                }
                #expect(peer.connectionCount == 1)
                let total = try await withThrowingTaskGroup(of: Int.self) { group in
                    for number in 0..<200 {
                        group.addTask {
                            let response = try await client.send(
                                HTTPRequest(
                                    "PUT", peer.url, body: .bytes([UInt8](repeating: 7, count: number))))
                            return Int(String(decoding: response.body, as: UTF8.self)) ?? -1
                        }
                    }
                    return try await group.reduce(0, +)
                }
                #expect(total == 199 * 200 / 2)
            }
        }

        @Test(
            "a connection that the server has closed meanwhile is replaced without a word, with the whole body"
        )
        func staleConnection() async throws {
            let peer = try HTTPPeer { request in
                let count = try await request.body.all().count
                return HTTPPeer.Answer(200, body: Array("\(count)".utf8), then: .closes)
            }
            let folder = try TemporaryFolder()
            try folder.write(noise(700_000), to: "photo")
            try await withClient { (client: CurlClient) async throws in
                for round in 1...10 {
                    let response = try await client.send(
                        HTTPRequest(
                            "PUT", peer.url,
                            body: .file(FileSlice(path: folder.file("photo"), count: 700_000))))
                    #expect(String(decoding: response.body, as: UTF8.self) == "700000")
                    #expect(peer.connectionCount == round)
                }
            }
        }

        @Test("a connection that dies when it is used again gets the body from its beginning on another")
        func rewinds() async throws {
            let bodies = Shared<[Int]>([])
            let peer = try HTTPPeer { request in
                if request.number == 2 {
                    bodies.change { $0.append(-1) }
                    _ = try await request.body.read(atLeast: 1)
                    return .nothing(then: .closes)
                }
                let body = try await request.body.all()
                bodies.change { $0.append(body.count) }
                return HTTPPeer.Answer(200)
            }
            let folder = try TemporaryFolder()
            try folder.write(noise(8 << 20), to: "photo")
            try await withClient { (client: CurlClient) async throws in
                let sent = Shared<UInt64>(0)
                let request = HTTPRequest(
                    "PUT", peer.url, body: .file(FileSlice(path: folder.file("photo"), count: 8 << 20)),
                    onSent: { more in sent.change { $0 += more } })
                _ = try await client.send(request)
                _ = try await client.send(request)
                #expect(bodies.value == [8 << 20, -1, 8 << 20])
            }
        }
    }
}
