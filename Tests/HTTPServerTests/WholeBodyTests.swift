import HTTPServer
import TestSupport
import Testing

@Suite struct WholeBodyTests {
    static func server() throws -> TestServer {
        try TestServer([
            Route("POST", "/small", .whole(limit: 100) { .text(200, "got \($0.body.count)") }),
            Route(
                "POST", "/large",
                .whole(limit: 1 << 20) { .text(200, "got \($0.body.count) \($0.body.last ?? 0)") }),
            Route("GET", "/quick", .quick { .text(200, "got \($0.body.count)") }),
            Route("DELETE", "/quick", .quick { .text(200, "gone \($0.body.count)") }),
            Route(
                "GET", "/known/{key}",
                .quickOr(
                    { $0.parameters["key"] == "a" ? .text(200, "at once") : nil },
                    otherwise: { request in
                        await Task.yield()
                        return .text(200, "looked up \(request.parameters["key"] ?? "")")
                    })),
        ])
    }

    private static func head(_ method: String, _ path: String, _ more: String) -> String {
        "\(method) \(path) HTTP/1.1\r\nHost: x\r\n\(more)\r\n"
    }

    @Test("what is known is answered at once, and for the rest another is waited for, on one connection")
    func either() async throws {
        let server = try Self.server()
        let texts = try await aside {
            let client = try server.client()
            return try ["a", "b", "a", "c"].map { key in
                try client.send(Array(Self.head("GET", "/known/\(key)", "").utf8))
                return try client.answer().text
            }
        }
        #expect(texts == ["at once", "looked up b", "at once", "looked up c"])
    }

    @Test("a body within the limit is there whole, counted or in chunks, however it is cut")
    func whole() async throws {
        let server = try Self.server()
        let counted = Self.head("POST", "/small", "Content-Length: 5\r\n") + "abcde"
        let chunked =
            Self.head("POST", "/small", "Transfer-Encoding: chunked\r\n")
            + "3\r\nabc\r\n2;x=y\r\nde\r\n0\r\nTrailer: x\r\n\r\n"
        let none = Self.head("POST", "/small", "")
        for text in [counted, chunked, none] {
            for step in [1, 7, text.utf8.count] {
                let answer = try await aside {
                    let client = try server.client()
                    var rest = Array(text.utf8)[...]
                    while !rest.isEmpty {
                        try client.send(Array(rest.prefix(step)))
                        rest = rest.dropFirst(step)
                    }
                    return try client.answer()
                }
                #expect(answer.status == 200)
                #expect(answer.text == (text == none ? "got 0" : "got 5"))
                #expect(answer["Connection"] == nil)
            }
        }
    }

    @Test("a megabyte arrives as it was sent, by curl")
    func large() async throws {
        let server = try Self.server()
        let folder = try TemporaryFolder()
        var bytes = [UInt8](repeating: 1, count: 1 << 20)
        bytes[bytes.count - 1] = 9
        try folder.write(bytes, to: "body")
        let output = try await server.curl([
            "--data-binary", "@\(folder.file("body"))", "\(server.url)/large",
        ])
        #expect(output.text == "got 1048576 9")
    }

    @Test("a length beyond the limit is refused before the body comes")
    func tooLong() async throws {
        let server = try Self.server()
        let answers = try await server.exchange(
            Self.head("POST", "/small", "Content-Length: 101\r\nExpect: 100-continue\r\n"))
        #expect(answers.map(\.status) == [413])
        #expect(answers.first?["Connection"] == "close")
        #expect(await server.entries().map(\.status) == [413])
    }

    @Test("chunks beyond the limit are refused, and a flood of them is cut")
    func tooManyChunks() async throws {
        let server = try Self.server()
        let chunk = "60\r\n" + String(repeating: "a", count: 96) + "\r\n"
        let head = Self.head("POST", "/small", "Transfer-Encoding: chunked\r\n")
        let refused = try await aside {
            let client = try server.client()
            try client.send(head + chunk + chunk + "0\r\n\r\n")
            return try client.answer()
        }
        #expect(refused.status == 413)
        #expect(await server.entries().map(\.received) == [192])

        let large = "10000\r\n" + String(repeating: "a", count: 65536) + "\r\n"
        try await aside {
            let client = try server.client()
            do {
                try client.send(head + String(repeating: large, count: 200))
            } catch is RawClient.Failed {
                // It was cut while it was sending.
            }
            try client.waitForEnd()
        }
        let entry = try #require(await server.entries().first)
        #expect(entry.received < 3 << 20)
    }

    @Test("who asks before sending is told to go on, and only then")
    func expects() async throws {
        let server = try Self.server()
        let answers = try await aside {
            let client = try server.client()
            try client.send(Self.head("POST", "/small", "Content-Length: 5\r\nExpect: 100-continue\r\n"))
            let first = try client.answer()
            try client.send("abcde")
            return [first, try client.answer()]
        }
        #expect(answers.map(\.status) == [100, 200])
    }

    @Test("a body that no handler asked for is discarded, and the connection goes on")
    func unasked() async throws {
        let server = try Self.server()
        let answers = try await server.exchange(
            Self.head("GET", "/quick", "Content-Length: 3\r\n") + "abc"
                + Self.head("DELETE", "/quick", "Transfer-Encoding: chunked\r\n") + "3\r\nabc\r\n0\r\n\r\n"
                + Self.head("DELETE", "/quick", "Connection: close\r\n"))
        #expect(answers.map(\.text) == ["got 0", "gone 0", "gone 0"])
        let refused = try await server.exchange(Self.head("GET", "/quick", "Content-Length: 9999999\r\n"))
        #expect(refused.map(\.status) == [413])
    }

    @Test("a body that is cut reaches no handler")
    func cut() async throws {
        let server = try Self.server()
        try await aside {
            let client = try server.client()
            try client.send(Self.head("POST", "/small", "Content-Length: 5\r\nExpect: 100-continue\r\n"))
            _ = try client.answer()
            try client.send("abc")
            client.reset()
        }
        let entry = try #require(await server.entries().first)
        #expect(entry.status == 499)
        #expect(entry.received < 5)
        #expect(entry.route == "/small")
    }

    @Test("a path that is not there does not read the body")
    func nowhere() async throws {
        let server = try Self.server()
        let answers = try await server.exchange(
            Self.head("PUT", "/nowhere", "Content-Length: 1000000\r\nExpect: 100-continue\r\n"))
        #expect(answers.map(\.status) == [404])
    }
}
