import TestSupport
import Testing

@testable import Gallery

/// Connections by which no sensible client speaks.
@Suite(.timeLimit(.minutes(Cases.minutesOfHang))) struct BadConnectionTests {
    let program: GalleryProgram

    init() throws {
        program = try GalleryProgram.shared.get()
    }

    @Test("what follows a request whose end can be seen in two ways is not heard")
    func smuggled() throws {
        let hidden =
            "DELETE /events/\(program.event) HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer \(program.token)\r\n\r\n"
        for framing in [
            "Content-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
            "Content-Length: 0\r\nContent-Length: \(hidden.utf8.count)\r\n\r\n",
            "Transfer-Encoding: chunked, identity\r\n\r\n0\r\n\r\n", "Content-Length : 3\r\n\r\nabc",
            "Transfer-Encoding: chunked\r\n\r\n-1\r\n",
        ] {
            let answer = try Wire(program.port).exchange(
                "POST /events HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer \(program.token)\r\n\(framing)\(hidden)"
            )
            #expect([0, 400].contains(answer.status), "\(framing): \(answer.head)")
        }
        // The event is there.
        try program.expectWell()
    }

    @Test("a hundred requests at once over one connection are a hundred answers in their order")
    func pipelined() throws {
        let requests = (0..<100).map { number in
            let end = number == 99 ? "Connection: close\r\n" : ""
            return
                "GET /\(number % 2 == 0 ? "health" : "me") HTTP/1.1\r\nHost: x\r\nX-Request-Id: n\(number)\r\n\(end)\r\n"
        }
        let answer = try Wire(program.port).exchange(requests.joined())
        let lines = answer.all.split(separator: "\r\n").map(String.init)
        let statuses = lines.filter { $0.hasPrefix("HTTP/1.1 ") || $0.contains("}HTTP/1.1 ") }
        #expect(statuses.count == 100)
        let ids = lines.filter { $0.lowercased().hasPrefix("x-request-id: ") }.map { $0.dropFirst(14) }
        #expect(ids == (0..<100).map { "n\($0)" })
        try program.expectWell()
    }

    @Test(
        "heads that are too much, or none",
        arguments: [
            (
                "GET /me HTTP/1.1\r\nHost: x\r\nX-Long: \(String(repeating: "a", count: 40_000))\r\n\r\n",
                [431, 0]
            ),
            ("GET /me HTTP/1.1\r\nHost: x\r\n\(String(repeating: "X-A: b\r\n", count: 3000))\r\n", [431, 0]),
            ("GET /me HTTP/1.1\r\n\(String(repeating: "Cookie: guest_a=b\r\n", count: 2))\r\n", [400]),
            ("GET /me HTTP/1.1\r\nHost: x\r\nHost: y\r\n\r\n", [400]),
            ("GET /me HTTP/2.0\r\nHost: x\r\n\r\n", [400, 505, 0]),
            ("GET /me HTTP/1.1\r\nHost: x\r\nno colon\r\n\r\n", [400, 0]),
            ("\u{16}\u{3}\u{1}\u{2}\u{0}\u{1}\u{0}\r\n\r\n", [400, 0]),
            ("TRACE /me HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n", [405, 501]),
            ("CONNECT elsewhere:443 HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n", [400, 405, 501]),
            ("BREW /me HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n", [405, 501]),
            (
                "POST /events HTTP/1.1\r\nHost: x\r\nContent-Length: 99999999999\r\nConnection: close\r\n\r\n",
                [413]
            ),
        ])
    func heads(text: String, statuses: [Int]) throws {
        let wire = try Wire(program.port)
        wire.send(Array(text.utf8))
        // The library may wait for more of what looks like a beginning.
        if statuses.contains(0) { wire.endSending() }
        let answer = try wire.answer()
        #expect(statuses.contains(answer.status), "\(answer.head)")
        try program.expectWell()
    }

    @Test("a hundred connections that send half a request are waited for, and no other client waits")
    func halves() throws {
        let wires = try (0..<100).map { _ in try Wire(program.port) }
        for wire in wires { wire.send(Array("GET /me HTTP/1.1\r\nHo".utf8)) }
        #expect(try program.ask("GET", "/me").status == 200)
        for wire in wires { wire.endSending() }
        #expect(try program.ask("GET", "/me").status == 200)
        try program.expectWell()
    }
}
