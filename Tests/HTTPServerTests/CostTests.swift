import Basics
import Glibc
import HTTPServer
import TestSupport
import Testing

/// What it takes from the machine, in processes of their own, where no other test opens anything.
@Suite struct CostTests {
    private static func allowDescriptors(_ count: rlim_t) {
        var limit = rlimit()
        getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
        limit.rlim_cur = max(limit.rlim_cur, min(count, limit.rlim_max))
        setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
    }

    private static func residentBytes() throws -> Int {
        let status = String(decoding: try readFile("/proc/self/status"), as: UTF8.self)
        let line = status.split(separator: "\n").first { $0.hasPrefix("VmRSS:") }
        return (line.flatMap { Int($0.filter(\.isNumber)) } ?? 0) << 10
    }

    private static func descriptors() -> Int {
        var count = 0
        guard let stream = opendir("/proc/self/fd") else { return 0 }
        defer { closedir(stream) }
        while readdir(stream) != nil { count += 1 }
        return count
    }

    private static let request = "GET / HTTP/1.1\r\nHost: x\r\n\r\n"

    private static func server() throws -> TestServer {
        let folder = try TemporaryFolder()
        try folder.write("0123456789", to: "ten")
        let file = ServedFile(path: folder.file("ten"), size: 10, type: "text/plain", etag: "\"t\"")
        return try TestServer([
            Route("GET", "/", .quick { _ in .text(200, "here") }),
            Route(
                "GET", "/stream", .quick { _ in Response(status: 200, body: .stream(PieceSource(pieces: 9))) }
            ),
            Route(
                "GET", "/ten",
                .quick { _ in
                    // It lives as long as the server.
                    withExtendedLifetime(folder) { Response(status: 200, body: .file(file)) }
                }),
            Route("POST", "/", .whole(limit: 100) { .text(200, "\($0.body.count)") }),
            Route(
                "GET", "/live",
                .quick { _ in Response(status: 200, body: .events(EventFeed().stream(after: nil))) }),
        ]) { $0.mostConnectionsPerAddress = 1100 }
    }

    @Test("a thousand connections that wait cost less than 40 kB each")
    func memory() async {
        await #expect(processExitsWith: .success) {
            Self.allowDescriptors(4096)
            let server = try Self.server()
            let before = try Self.residentBytes()
            let clients = try await aside {
                let clients = try (0..<1000).map { _ in try server.client() }
                for client in clients {
                    try client.send(Self.request)
                    _ = try client.answer()
                }
                return clients
            }
            let after = try Self.residentBytes()
            #expect(after - before < 1000 * 40_000)
            withExtendedLifetime(clients) {}
        }
    }

    @Test("a thousand clients that listen cost less than 8 kB each, with their own ends of the connections")
    func listeners() async {
        await #expect(processExitsWith: .success) {
            Self.allowDescriptors(4096)
            let feed = EventFeed()
            let server = try TestServer([
                Route(
                    "GET", "/live",
                    .quick { _ in Response(status: 200, body: .events(feed.stream(after: nil))) })
            ])
            let before = try Self.residentBytes()
            let clients = try await aside {
                try (0..<1000).map { _ in
                    let client = try server.client()
                    try client.send("GET /live HTTP/1.1\r\nHost: x\r\n\r\n")
                    _ = try client.read(until: "retry: ")
                    return client
                }
            }
            let after = try Self.residentBytes()
            #expect(after - before < 1000 * 8_000)
            withExtendedLifetime(clients) {}
        }
    }

    @Test("small files are kept in memory, and no more of them than there is room for")
    func smallFiles() async {
        await #expect(processExitsWith: .success) {
            let folder = try TemporaryFolder()
            let size = 64 << 10
            for number in 0..<1000 {
                try folder.write([UInt8](repeating: UInt8(number % 251), count: size), to: "\(number)")
            }
            let server = try TestServer([
                Route(
                    "GET", "/{name}",
                    .quick { request in
                        let name = request.parameters["name"] ?? ""
                        let file = ServedFile(
                            path: folder.file(name), size: UInt64(size), type: "text/plain",
                            etag: "\"\(name)\"")
                        return Response(status: 200, body: .file(file))
                    })
            ])
            let before = try Self.residentBytes()
            try await aside {
                let client = try server.client()
                for number in 0..<1000 {
                    try client.send("GET /\(number) HTTP/1.1\r\nHost: x\r\nRange: bytes=65530-\r\n\r\n")
                    #expect(try client.answer().body == [UInt8](repeating: UInt8(number % 251), count: 6))
                }
            }
            // 32 MiB of 62, and what the client and the allocator need.
            #expect(try Self.residentBytes() - before < 48 << 20)
            folder.remove()
            // The last ones are there still, and the first ones are not.
            #expect(
                try await server.get("/999", headers: ["Range: bytes=10-19"]).body
                    == [UInt8](repeating: 246, count: 10))
            #expect(try await server.get("/0").status == 404)
        }
    }

    @Test("servers that come and go leave no descriptor behind")
    func leaks() async {
        await #expect(processExitsWith: .success) {
            func round(isStopped: Bool) async throws {
                let server = try Self.server()
                #expect(try await server.get("/").status == 200)
                #expect(try await server.get("/stream").isWhole)
                #expect(try await server.get("/ten").status == 200)
                let listener = try await aside {
                    let client = try server.client()
                    try client.send("GET /live HTTP/1.1\r\nHost: x\r\n\r\n")
                    _ = try client.read(until: "retry: ")
                    return client
                }
                let kept = try await aside {
                    let client = try server.client()
                    try client.send("POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 3\r\n\r\nabc")
                    _ = try client.answer()
                    return client
                }
                if isStopped { await server.server.stop(within: .seconds(10)) }
                withExtendedLifetime((kept, listener)) {}
            }
            try await round(isStopped: true)
            let before = Self.descriptors()
            for number in 0..<10 { try await round(isStopped: number % 2 == 0) }
            // What a thread that is about to end still holds is let go of with it.
            for _ in 0..<100_000 where Self.descriptors() > before { await Task.yield() }
            #expect(Self.descriptors() <= before)
        }
    }
}
