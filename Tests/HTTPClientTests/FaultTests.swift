import Basics
import HTTPClient
import Posix
import TestSupport
import Testing

extension OnTheWire {
    /// What goes wrong on the way, and what is made of it.
    @Suite struct FaultTests {
        let folder: TemporaryFolder
        let photo: HTTPBody

        init() throws {
            folder = try TemporaryFolder()
            try folder.write(noise(8 << 20), to: "photo")
            photo = .file(FileSlice(path: folder.file("photo"), count: 8 << 20))
        }

        private func outcome(
            _ request: HTTPRequest, _ client: CurlClient
        ) async -> Result<HTTPResponse, HTTPFailure> {
            do throws(HTTPFailure) {
                return .success(try await client.send(request))
            } catch {
                return .failure(error)
            }
        }

        @Test("no server listens: unreachable, at once")
        func refused() async throws {
            let peer = try HTTPPeer { _ in HTTPPeer.Answer(200) }
            await peer.stop()
            try await withClient { (client: CurlClient) async throws in
                guard case .unreachable(let text)? = await failure(of: client, HTTPRequest("GET", peer.url))
                else {
                    Issue.record("that is not unreachable")
                    return
                }
                #expect(text.contains("127.0.0.1:\(peer.port)"))
            }
        }

        @Test("a name that there is not: unreachable, with the name in the sentence")
        func noName() async throws {
            try await withClient { (client: CurlClient) async throws in
                let request = HTTPRequest("GET", "http://nowhere.invalid/a?signature=secret")
                guard case .unreachable(let text)? = await failure(of: client, request) else {
                    Issue.record("that is not unreachable")
                    return
                }
                #expect(text.contains("nowhere.invalid") && !text.contains("secret"))
            }
        }

        @Test("a host that never answers the greeting: unreachable when the limit for connecting is over")
        func connectLimit() async throws {
            // A full queue: the kernel drops what comes to it.
            let endpoint = IPEndpoint.loopback(port: 0)
            let listener = try Socket.make(for: endpoint)
            try listener.listen(on: endpoint, backlog: 0)
            let port = try #require(listener.localEndpoint?.port)
            let fillers = try (0..<4).map { _ in
                let socket = try Socket.make(for: endpoint)
                _ = socket.connect(to: .loopback(port: port))
                return socket
            }
            try await withClient { (client: CurlClient) async throws in
                var request = HTTPRequest("GET", "http://127.0.0.1:\(port)/")
                request.limits.connect = .milliseconds(300)
                let start = MonotonicClock.now
                guard case .unreachable? = await failure(of: client, request) else {
                    Issue.record("that is not unreachable")
                    return
                }
                #expect((0.25...3).contains((MonotonicClock.now - start).inSeconds))
            }
            withExtendedLifetime(fillers) {}
        }

        @Test("a refusal in the middle of the body counts, and the rest is not sent", arguments: [403, 503])
        func refusal(status: Int) async throws {
            let peer = try HTTPPeer { request in
                _ = try await request.body.read(atLeast: 100_000)
                return HTTPPeer.Answer(
                    status, headers: [HTTPHeader("Retry-After", "7")], body: Array("why".utf8), then: .stalls)
            }
            try await withClient { (client: CurlClient) async throws in
                let sent = Shared<UInt64>(0)
                let response = try await client.send(
                    HTTPRequest("PUT", peer.url, body: photo, onSent: { more in sent.change { $0 += more } }))
                #expect(response.status == status)
                #expect(response["Retry-After"] == "7")
                #expect(String(decoding: response.body, as: UTF8.self) == "why")
                #expect(sent.value < 8 << 20)
            }
        }

        @Test("a refusal that promises more than comes before the connection breaks is still that refusal")
        func brokenRefusal() async throws {
            let peer = try HTTPPeer { request in
                _ = try await request.body.all()
                return .raw("HTTP/1.1 503 No\r\nContent-Length: 100\r\n\r\nshort", then: .closes)
            }
            try await withClient { (client: CurlClient) async throws in
                let response = try await client.send(HTTPRequest("PUT", peer.url, body: .bytes([1, 2])))
                #expect(response.status == 503)
                #expect(String(decoding: response.body, as: UTF8.self) == "short")
            }
        }

        @Test("a success that breaks off is none")
        func brokenSuccess() async throws {
            let peer = try HTTPPeer { request in
                _ = try await request.body.all()
                return .raw("HTTP/1.1 200 Yes\r\nContent-Length: 100\r\n\r\nshort", then: .closes)
            }
            try await withClient { (client: CurlClient) async throws in
                guard
                    case .broken(_, bodyWasSent: true)? = await failure(
                        of: client, HTTPRequest("PUT", peer.url, body: .bytes([1, 2])))
                else {
                    Issue.record("that is not broken")
                    return
                }
            }
        }

        @Test("a connection cut in the middle of the body: broken, and the other side cannot have it")
        func cutInside() async throws {
            let peer = try HTTPPeer { request in
                _ = try await request.body.read(atLeast: 100_000)
                return .nothing(then: .resets)
            }
            try await withClient { (client: CurlClient) async throws in
                let ending = await failure(of: client, HTTPRequest("PUT", peer.url, body: photo))
                guard case .broken(_, bodyWasSent: false)? = ending else {
                    Issue.record("\(String(describing: ending))")
                    return
                }
            }
        }

        @Test("closed after the whole body without a word: broken, and the other side may have it")
        func cutAfter() async throws {
            let peer = try HTTPPeer { request in
                _ = try await request.body.all()
                return .nothing(then: .closes)
            }
            try await withClient { (client: CurlClient) async throws in
                let ending = await failure(of: client, HTTPRequest("PUT", peer.url, body: photo))
                guard case .broken(_, bodyWasSent: true)? = ending else {
                    Issue.record("\(String(describing: ending))")
                    return
                }
            }
        }

        @Test("nothing moves any more: broken after the limit and not much later", arguments: [false, true])
        func stall(afterBody: Bool) async throws {
            let peer = try HTTPPeer { request in
                if afterBody { _ = try await request.body.all() }
                return .nothing(then: .stalls)
            }
            try await withClient { (client: CurlClient) async throws in
                var request = HTTPRequest("PUT", peer.url, body: photo)
                // More than the kernel takes: the rest stays here.
                if !afterBody {
                    try folder.write(noise(64 << 20), to: "photo")
                    request.body = .file(FileSlice(path: folder.file("photo"), count: 64 << 20))
                }
                request.limits.noProgress = .milliseconds(500)
                let start = MonotonicClock.now
                let ending = await failure(of: client, request)
                guard case .broken(_, let bodyWasSent)? = ending else {
                    Issue.record("\(String(describing: ending))")
                    return
                }
                #expect(bodyWasSent == afterBody)
                #expect((0.45...2.5).contains((MonotonicClock.now - start).inSeconds))
            }
        }

        @Test("a server that says now and then that it is at it is waited for")
        func interim() async throws {
            let reactor = try Reactor(name: "slow peer")
            defer { reactor.shutDown() }
            let peer = try HTTPPeer { request in
                _ = try await request.body.all()
                for _ in 0..<4 {
                    try await reactor.sleep(until: reactor.now + .milliseconds(200))
                    try await request.body.say("HTTP/1.1 102 Processing\r\n\r\n")
                }
                return HTTPPeer.Answer(200)
            }
            try await withClient { (client: CurlClient) async throws in
                var request = HTTPRequest("PUT", peer.url, body: .bytes([1]))
                request.limits.noProgress = .milliseconds(500)
                #expect(try await client.send(request).status == 200)
            }
        }

        @Test("a photo that is not there, or is shorter than was said, is the disk's failure")
        func noBody() async throws {
            let peer = try HTTPPeer { _ in HTTPPeer.Answer(200) }
            try folder.write([1, 2, 3], to: "short")
            try await withClient { (client: CurlClient) async throws in
                let missing = HTTPRequest(
                    "PUT", peer.url, body: .file(FileSlice(path: folder.file("none"), count: 3)))
                guard case .body(let error)? = await failure(of: client, missing) else {
                    Issue.record("it is missing")
                    return
                }
                #expect(error.meaning == .missing)
                for (offset, count) in [(0, 4), (1, 3), (UInt64.max, 1)] as [(UInt64, UInt64)] {
                    let slice = FileSlice(path: folder.file("short"), offset: offset, count: count)
                    let ending = await failure(of: client, HTTPRequest("PUT", peer.url, body: .file(slice)))
                    guard case .body? = ending else {
                        Issue.record("\(String(describing: ending))")
                        return
                    }
                }
                #expect(peer.connectionCount == 0)
            }
        }

        @Test("a photo that shrinks while it is sent is the disk's failure")
        func shrinks() async throws {
            let path = folder.file("photo")
            let peer = try HTTPPeer { request in
                _ = try await request.body.read(atLeast: 1)
                try TemporaryFolder.cut(path, to: 100_000)
                _ = try await request.body.all()
                return HTTPPeer.Answer(200)
            }
            try folder.write(noise(64 << 20), to: "photo")
            try await withClient { (client: CurlClient) async throws in
                let ending = await failure(
                    of: client,
                    HTTPRequest("PUT", peer.url, body: .file(FileSlice(path: path, count: 64 << 20))))
                guard case .body? = ending else {
                    Issue.record("\(String(describing: ending))")
                    return
                }
            }
        }

        static let nonsense: [(String, HTTPPeer.Answer)] = [
            ("no HTTP", .raw("SSH-2.0-OpenSSH_9.2\r\n", then: .closes)),
            ("no status", .raw("HTTP/1.1 nothing\r\n\r\n", then: .closes)),
            ("a body that is too long", HTTPPeer.Answer(200, body: noise(5000))),
            (
                "a body without end",
                HTTPPeer.Answer(200, body: noise(5000), framing: .untilClosed, then: .closes)
            ),
            ("chunks without end", HTTPPeer.Answer(200, body: noise(5000), framing: .chunked)),
            (
                "more headers than there are",
                HTTPPeer.Answer(200, headers: (0..<1000).map { HTTPHeader("X-\($0)", "y") })
            ),
            (
                "headers without end",
                HTTPPeer.Answer(
                    200, headers: (0..<100).map { HTTPHeader("X-\($0)", String(repeating: "y", count: 9000)) }
                )
            ),
            (
                "a header of its own length",
                HTTPPeer.Answer(200, headers: [HTTPHeader("X", String(repeating: "y", count: 200_000))])
            ),
        ]

        @Test("what is no answer, or one too long, is unreadable", arguments: nonsense)
        func unreadable(name: String, answer: HTTPPeer.Answer) async throws {
            let peer = try HTTPPeer { _ in answer }
            try await withClient { (client: CurlClient) async throws in
                let ending = await failure(of: client, HTTPRequest("GET", peer.url, answerLimit: 1000))
                guard case .unreadable? = ending else {
                    Issue.record("\(name): \(String(describing: ending))")
                    return
                }
            }
        }

        @Test("a refusal with a long page is that refusal, with the page's beginning")
        func longRefusal() async throws {
            let peer = try HTTPPeer { _ in HTTPPeer.Answer(500, body: noise(5000)) }
            try await withClient { (client: CurlClient) async throws in
                let response = try await client.send(HTTPRequest("GET", peer.url, answerLimit: 1000))
                #expect(response.status == 500)
                #expect(response.body == Array(noise(5000)[..<1000]))
            }
        }

        @Test("bodies in chunks, until the end, or with no length for none are read")
        func framings() async throws {
            let peer = try HTTPPeer { request in
                switch request.path {
                case "/chunks": HTTPPeer.Answer(200, body: noise(5000), framing: .chunked)
                case "/end": HTTPPeer.Answer(200, body: noise(5000), framing: .untilClosed, then: .closes)
                default: HTTPPeer.Answer(204, framing: .asSaid)
                }
            }
            try await withClient { (client: CurlClient) async throws in
                for path in ["/chunks", "/end"] {
                    #expect(try await client.send(HTTPRequest("GET", peer.url + path)).body == noise(5000))
                }
                #expect(try await client.send(HTTPRequest("GET", peer.url + "/none")).body.isEmpty)
            }
        }
    }
}
