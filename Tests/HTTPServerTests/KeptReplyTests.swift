import Basics
import HTTPServer
import TestSupport
import Testing

/// A small file's whole answer is kept in the library's own form, and given to all whom the same is said.
@Suite struct KeptReplyTests {
    private final class Served: Sendable {
        let folder: TemporaryFolder
        let server: TestServer

        /// What the query wants said is said, as "Cache-Control".
        init(change: (inout ServerSettings) -> Void = { _ in }) throws {
            let folder = try TemporaryFolder()
            try folder.write("a thumb", to: "thumb")
            self.folder = folder
            let route = Route(
                "GET", "/thumb",
                .quick { request in
                    let file = ServedFile(
                        path: folder.file("thumb"), size: 7, type: request.query["type"] ?? "image/x-test",
                        etag: "\"thumb\"")
                    return Response(
                        status: request.query["status"].flatMap { Int($0) } ?? 200,
                        headers: [HTTPHeader("Cache-Control", request.query["say"] ?? "public")],
                        body: .file(file))
                })
            server = try TestServer([route], change: change)
        }
    }

    @Test("what one client is told is not told to others")
    func others() async throws {
        let served = try Served()
        for _ in 0..<3 {
            for (query, cacheControl, type, status) in [
                ("", "public", "image/x-test", 200), ("?say=private", "private", "image/x-test", 200),
                ("?type=image/y-test", "public", "image/y-test", 200),
                ("?status=404", "public", "image/x-test", 404),
            ] {
                let answer = try await served.server.get("/thumb\(query)")
                #expect(answer.status == status)
                #expect(answer.all("Cache-Control") == [cacheControl])
                #expect(answer.all("Content-Type") == [type])
                #expect(answer.all("ETag") == ["\"thumb\""])
                #expect(answer.all("Content-Length") == ["7"])
                #expect(answer.text == "a thumb")
            }
        }
    }

    @Test("a request that its client has named is answered with that name, and by no other's")
    func names() async throws {
        let served = try Served()
        for name in ["one", nil, "two", nil, "one"] {
            let answer = try await served.server.get(
                "/thumb", headers: name.map { ["X-Request-Id: \($0)"] } ?? [])
            #expect(answer.all("X-Request-Id") == (name.map { [$0] } ?? []))
        }
        // One that cannot be used is given another.
        let renamed = try await served.server.get("/thumb", headers: ["X-Request-Id: a b"])
        #expect(renamed.all("X-Request-Id").count == 1)
        #expect(renamed.all("X-Request-Id") != ["a b"])
    }

    @Test("what a trusted proxy names is answered as for all, and has that name in the log")
    func namesOfProxies() async throws {
        let served = try Served { $0.trustedProxies = ["127.0.0.1"] }
        for name in ["one", "two", "three"] {
            let answer = try await served.server.get("/thumb", headers: ["X-Request-Id: \(name)"])
            // The first makes what is kept.
            #expect(answer.all("X-Request-Id").isEmpty, "\(answer)")
            #expect(answer.text == "a thumb")
        }
        var entries: [AccessEntry] = []
        while entries.count < 3 { entries += await served.server.entries() }
        #expect(entries.map(\.id).sorted() == ["one", "three", "two"])
    }

    @Test("in the log each has a name of its own, and what was sent")
    func logged() async throws {
        let served = try Served()
        for _ in 0..<3 { _ = try await served.server.get("/thumb") }
        var entries: [AccessEntry] = []
        while entries.count < 3 { entries += await served.server.entries() }
        #expect(Set(entries.map(\.id)).count == 3)
        #expect(entries.allSatisfy { $0.status == 200 && $0.sent == 7 && $0.route == "/thumb" })
    }

    @Test("many clients at once, who are told two things by turns, each get their own")
    func atOnce() async throws {
        let served = try Served()
        let counts = try await withThrowingTaskGroup(of: Int.self) { group in
            for client in 0..<16 {
                group.addTask {
                    var right = 0
                    for number in 0..<60 {
                        let said = (client + number).isMultiple(of: 2) ? "public" : "private"
                        let answer = try await served.server.get("/thumb?say=\(said)")
                        if answer.all("Cache-Control") == [said], answer.text == "a thumb" { right += 1 }
                    }
                    return right
                }
            }
            return try await group.reduce(into: []) { $0.append($1) }
        }
        #expect(counts == [Int](repeating: 60, count: 16))
    }

    @Test(
        "where there are more files than memory for them, those that were served last go on being served from it"
    )
    func many() async throws {
        let folder = try TemporaryFolder()
        let size = 64 << 10
        let server = try TestServer([
            Route(
                "GET", "/{number}",
                .quick { request in
                    let number = request.parameters["number"] ?? ""
                    let file = ServedFile(
                        path: folder.file(number), size: UInt64(size), type: "image/x-test",
                        etag: "\"\(number)\"")
                    return Response(status: 200, body: .file(file))
                })
        ])
        // Twice as much as is kept, and three quarters of it served last.
        let count = (64 << 20) / size
        try await aside {
            let client = try server.client()
            func status(_ number: Int) throws -> Int {
                try client.send("GET /\(number) HTTP/1.1\r\nHost: x\r\n\r\n")
                return try client.answer().status
            }
            for number in 0..<count {
                try folder.write([UInt8](repeating: UInt8(number % 251), count: size), to: "\(number)")
                #expect(try status(number) == 200)
            }
            folder.remove()
            #expect(try status(0) == 404)
            for number in count - count * 3 / 8..<count { #expect(try status(number) == 200, "\(number)") }
        }
    }

    @Test("one that is answered without its body, in part or not at all stands beside it")
    func parts() async throws {
        let served = try Served()
        for _ in 0..<2 {
            #expect(try await served.server.get("/thumb").text == "a thumb")
            let head = try await served.server.get("/thumb", method: "HEAD")
            #expect(head.status == 200 && head["Content-Length"] == "7" && head.body.isEmpty)
            let part = try await served.server.get("/thumb", headers: ["Range: bytes=2-3"])
            #expect(part.status == 206 && part.text == "th")
            let known = try await served.server.get("/thumb", headers: ["If-None-Match: \"thumb\""])
            #expect(known.status == 304 && known.body.isEmpty)
        }
    }
}

extension RawClient.Answer {
    fileprivate func all(_ name: String) -> [String] { headers.filter { $0.isNamed(name) }.map(\.value) }
}
