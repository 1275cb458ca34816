import Basics
import Glibc
import HTTPClient
import Posix
import TestSupport
import Testing

extension OnTheWire {
    /// How the client treats connections, redirects, questions before a body, and being told to stop.
    @Suite struct ConductTests {
        @Test(
            "a task that is cancelled ends its transfer within a tenth of a second, wherever that is",
            arguments: 0..<4)
        func cancels(place: Int) async throws {
            let isThere = Signal()
            let peer = try HTTPPeer { request in
                switch place {
                case 0: break
                case 1: _ = try await request.body.read(atLeast: 1)
                case 2: _ = try await request.body.all()
                default: try await request.body.say("HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nabc")
                }
                isThere.fire()
                await request.body.waitUntilGone()
                isThere.fire()
                return .nothing(then: .closes)
            }
            try await withClient { (client: CurlClient) async throws in
                let request = HTTPRequest("PUT", peer.url, body: .bytes(noise(place == 2 ? 10 : 50 << 20)))
                let task = Task { await failure(of: client, request) }
                await isThere.wait()
                let start = MonotonicClock.now
                task.cancel()
                #expect(await task.value == .cancelled)
                #expect((MonotonicClock.now - start) < .milliseconds(100))
                // And the connection is gone.
                await isThere.wait()
            }
        }

        @Test("a task that was cancelled before sends nothing")
        func cancelledBefore() async throws {
            let peer = try HTTPPeer { _ in HTTPPeer.Answer(200) }
            try await withClient { (client: CurlClient) async throws in
                let start = Signal()
                let task = Task {
                    await start.wait()
                    return await failure(of: client, HTTPRequest("GET", peer.url))
                }
                task.cancel()
                start.fire()
                #expect(await task.value == .cancelled)
                #expect(peer.connectionCount == 0)
            }
        }

        @Test("the end of the client ends what runs and refuses what comes")
        func shutDown() async throws {
            let isThere = Signal()
            let peer = try HTTPPeer { _ in
                isThere.fire()
                return .nothing(then: .stalls)
            }
            let client = try CurlClient()
            async let running = failure(of: client, HTTPRequest("GET", peer.url))
            await isThere.wait()
            await client.shutDown()
            #expect(await running == .cancelled)
            #expect(await failure(of: client, HTTPRequest("GET", peer.url)) == .cancelled)
            await client.shutDown()
        }

        @Test("after the network has changed new connections are made, and what runs goes on")
        func forgets() async throws {
            let isThere = Signal()
            let mayGoOn = Signal()
            let peer = try HTTPPeer { request in
                if request.path == "/long" {
                    _ = try await request.body.read(atLeast: 1)
                    isThere.fire()
                    await mayGoOn.wait()
                    return .text(200, "\(try await request.body.all().count > 0) \(request.connection)")
                }
                return .text(200, "\(request.connection)")
            }
            func number(_ client: CurlClient) async throws -> String {
                String(decoding: try await client.send(HTTPRequest("GET", peer.url)).body, as: UTF8.self)
            }
            try await withClient { (client: CurlClient) async throws in
                async let long = client.send(
                    HTTPRequest("PUT", "\(peer.url)/long", body: .bytes(noise(50 << 20))))
                await isThere.wait()
                #expect(try await number(client) == "2")
                #expect(try await number(client) == "2")
                client.forgetConnections()
                #expect(try await number(client) == "3")
                #expect(try await number(client) == "3")
                mayGoOn.fire()
                #expect(String(decoding: try await long.body, as: UTF8.self) == "true 1")
                #expect(try await number(client) == "3")
                client.forgetConnections()
                client.forgetConnections()
                #expect(try await number(client) == "4")
            }
        }

        // MARK: Expect

        @Test("asked first, a server that refuses gets no byte of the body")
        func expects() async throws {
            let peer = try HTTPPeer { request in .text(403, request["Expect"] ?? "-") }
            try await withClient { (client: CurlClient) async throws in
                let sent = Shared<UInt64>(0)
                let response = try await client.send(
                    HTTPRequest(
                        "PUT", peer.url, body: .bytes(noise(100_000)), expects: .asks(atMost: .seconds(5)),
                        onSent: { more in sent.change { $0 += more } }))
                #expect(response.status == 403)
                #expect(String(decoding: response.body, as: UTF8.self) == "100-continue")
                #expect(sent.value == 0)
            }
        }

        @Test(
            "asked first, a server that says yes gets it, and one that says nothing gets it soon",
            arguments: [true, false])
        func expectsAndGoesOn(continues: Bool) async throws {
            let peer = try HTTPPeer(continues: continues) { request in
                .text(200, "\(try await request.body.all().count)")
            }
            try await withClient { (client: CurlClient) async throws in
                let start = MonotonicClock.now
                for _ in 0..<4 {
                    let response = try await client.send(
                        HTTPRequest(
                            "PUT", peer.url, body: .bytes(noise(100_000)),
                            expects: .asks(atMost: .milliseconds(continues ? 20_000 : 100))))
                    #expect(String(decoding: response.body, as: UTF8.self) == "100000")
                }
                // Four times one second, curl's default, had the request set no limit.
                #expect((MonotonicClock.now - start) < .seconds(3))
            }
        }

        // MARK: Redirects

        @Test("a redirect is an answer unless it is asked to be followed, and always for what carries a body")
        func redirectIsAnswer() async throws {
            let peer = try HTTPPeer { request in
                _ = try await request.body.all()
                return HTTPPeer.Answer(307, headers: [HTTPHeader("Location", "/b")])
            }
            try await withClient { (client: CurlClient) async throws in
                #expect(try await client.send(HTTPRequest("GET", peer.url)).status == 307)
                let request = HTTPRequest("PUT", peer.url, body: .bytes([1]), redirects: 5)
                #expect(try await client.send(request).status == 307)
                #expect(peer.connectionCount == 1)
            }
        }

        @Test("to the same host everything goes along; to another one no credential does")
        func redirectCredentials() async throws {
            @Sendable func seen(_ request: HTTPPeer.Request) -> HTTPPeer.Answer {
                let names = ["Authorization", "Cookie", "X-Amz-Security-Token", "X-Api-Key", "Range"]
                return .text(200, names.filter { request[$0] != nil }.joined(separator: " "))
            }
            let other = try HTTPPeer { request in seen(request) }
            let otherURL = other.url
            let peer = try HTTPPeer { request in
                switch request.path {
                case "/same": HTTPPeer.Answer(302, headers: [HTTPHeader("Location", "end?x#y")])
                case "/other": HTTPPeer.Answer(301, headers: [HTTPHeader("Location", "\(otherURL)/end")])
                case "/loop": HTTPPeer.Answer(308, headers: [HTTPHeader("Location", "/loop")])
                case "/bad":
                    HTTPPeer.Answer(302, headers: [HTTPHeader("Location", "http://a:b@127.0.0.1:x/")])
                case "/file": HTTPPeer.Answer(302, headers: [HTTPHeader("Location", "file:///etc/passwd")])
                default: seen(request)
                }
            }
            let headers = [
                HTTPHeader("Authorization", "Bearer t"), HTTPHeader("Cookie", "a=b"),
                HTTPHeader("Range", "bytes=0-1"),
                HTTPHeader("X-Amz-Security-Token", "t"), HTTPHeader("X-Api-Key", "k"),
            ]
            try await withClient { (client: CurlClient) async throws in
                func get(_ path: String) async throws -> HTTPResponse {
                    try await client.send(HTTPRequest("GET", peer.url + path, headers: headers, redirects: 3))
                }
                let same = try await get("/same")
                #expect(
                    String(decoding: same.body, as: UTF8.self)
                        == "Authorization Cookie X-Amz-Security-Token X-Api-Key Range")
                #expect(String(decoding: try await get("/other").body, as: UTF8.self) == "Range")
                #expect(try await get("/loop").status == 308)
                #expect(try await get("/file").status == 302)
                let bad = await failure(of: client, HTTPRequest("GET", peer.url + "/bad", redirects: 1))
                guard case .unreadable? = bad else {
                    Issue.record("\(String(describing: bad))")
                    return
                }
            }
        }

        // MARK: The socket

        @Test("BBR is asked for where the kernel has it")
        func congestionControl() async throws {
            let known = String(
                decoding: try readFile("/proc/sys/net/ipv4/tcp_available_congestion_control"), as: UTF8.self)
            let ss = try #require(Tool("ss"))
            let peer = try HTTPPeer { request in
                let output = try ss.run([
                    "-tinH", "dport", "= :\(request["Host"]?.split(separator: ":").last ?? "0")",
                ])
                return .text(200, output.text)
            }
            try await withClient { (client: CurlClient) async throws in
                let text = String(
                    decoding: try await client.send(HTTPRequest("GET", peer.url)).body, as: UTF8.self)
                if known.contains("bbr") {
                    #expect(text.contains(" bbr "))
                } else {
                    #expect(text.contains("cwnd"))
                }
            }
        }

        @Test("a request leaves by the interface that it names, or not at all")
        func interface() async throws {
            let peer = try HTTPPeer { _ in HTTPPeer.Answer(200) }
            try await withClient { (client: CurlClient) async throws in
                #expect(try await client.send(HTTPRequest("GET", peer.url, interface: "lo")).status == 200)
                // An address would be taken for one by another spelling of the option.
                for name in ["nothere0", "127.0.0.1", "localhost"] {
                    let ending = await failure(of: client, HTTPRequest("GET", peer.url, interface: name))
                    guard case .unreachable? = ending else {
                        Issue.record("\(name): \(String(describing: ending))")
                        return
                    }
                }
            }
        }

        @Test("the environment's proxy is used, and where it says no proxy none is")
        func proxy() async throws {
            await #expect(processExitsWith: .success) {
                let proxy = try HTTPPeer { request in .text(200, "by proxy to \(request.target)") }
                setenv("http_proxy", proxy.url, 1)
                setenv("no_proxy", "127.0.0.1", 1)
                let direct = try HTTPPeer { request in .text(200, "direct") }
                let client = try CurlClient()
                let far = try await client.send(HTTPRequest("GET", "http://photos.invalid/a"))
                try #require(
                    String(decoding: far.body, as: UTF8.self) == "by proxy to http://photos.invalid/a")
                let near = try await client.send(HTTPRequest("GET", direct.url))
                try #require(String(decoding: near.body, as: UTF8.self) == "direct")
                await client.shutDown()
            }
        }

        @Test("libcurl is loaded for the first request, and what comes before that works without it")
        func late() async throws {
            await #expect(processExitsWith: .success) {
                func isLoaded() throws -> Bool {
                    String(decoding: try readFile("/proc/self/maps"), as: UTF8.self).contains("libcurl.so")
                }
                let idle = try CurlClient()
                idle.forgetConnections()
                idle.setRate(bytesPerSecond: 1000, forPath: "eth0")
                await idle.shutDown()
                let client = try CurlClient()
                let isThere = try isLoaded()
                try #require(!isThere)
                let peer = try HTTPPeer { _ in .text(200, "there") }
                let answer = try await client.send(HTTPRequest("GET", peer.url))
                try #require(String(decoding: answer.body, as: UTF8.self) == "there")
                let isThereNow = try isLoaded()
                try #require(isThereNow)
                await client.shutDown()
            }
        }

        @Test("neither a .netrc nor a cookie adds anything to a request")
        func nothingIsAdded() async throws {
            await #expect(processExitsWith: .success) {
                let folder = try TemporaryFolder()
                try folder.write("machine 127.0.0.1 login me password secret\n", to: ".netrc")
                setenv("HOME", folder.path, 1)
                let peer = try HTTPPeer { request in
                    HTTPPeer.Answer(
                        200, headers: [HTTPHeader("Set-Cookie", "a=b")],
                        body: Array(request.headers.map(\.name).sorted().joined(separator: " ").utf8))
                }
                let client = try CurlClient()
                for _ in 0..<2 {
                    let response = try await client.send(HTTPRequest("GET", peer.url))
                    try #require(String(decoding: response.body, as: UTF8.self) == "Accept Host User-Agent")
                }
                await client.shutDown()
            }
        }
    }
}
