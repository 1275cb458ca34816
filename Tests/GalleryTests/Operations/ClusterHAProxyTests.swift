import Basics
import Glibc
import TestSupport
import Testing

/// The example for HAProxy, before two nodes that are told to end.
@Suite(.timeLimit(.minutes(Cases.minutesOfHang))) struct ClusterHAProxyTests {
    private static var haproxy: Tool? { Tool("haproxy") ?? Tool("/usr/sbin/haproxy") }
    /// Longer than a node takes to be left out, beside whatever else runs; the nodes go on answering for twice as long.
    private static let patience = Duration.seconds(120)

    /// The example with other addresses and no certificate.
    private final class Front {
        let port: UInt16
        private let folder: TemporaryFolder
        private let daemon: Daemon

        init(before nodes: [UInt16]) throws {
            let (folder, port) = (try TemporaryFolder(), try FreePort.next())
            (self.folder, self.port) = (folder, port)
            var text = try ClusterHAProxyTests.example
            for (index, node) in nodes.enumerated() {
                text = text.replacing("10.0.0.1\(index + 1):8080", with: "127.0.0.1:\(node)")
            }
            text = text.replacing(
                "bind :::443 v4v6 ssl crt /etc/haproxy/gallery.pem", with: "bind 127.0.0.1:\(port)")
            // It takes no more than its user may have open.
            text = text.replacing("maxconn 30000", with: "maxconn 1000")
            text = text.replacing("log /dev/log local0", with: "log stderr format raw local0")
            let others = ["user ", "group ", "server c"]
            let lines = text.split(separator: "\n", omittingEmptySubsequences: false).filter { line in
                let words = line.drop { $0 == " " }
                return !others.contains { words.hasPrefix($0) }
            }
            try folder.write(lines.joined(separator: "\n"), to: "haproxy.cfg")
            daemon = try Daemon(
                try #require(ClusterHAProxyTests.haproxy).path, ["-db", "-f", folder.file("haproxy.cfg")],
                isLeashed: true)
            let end = ContinuousClock.now + ClusterHAProxyTests.patience
            while true {
                do {
                    _ = try Wire(port)
                    return
                } catch {
                    guard ContinuousClock.now < end else { throw Surprise("\(daemon.output)") }
                    sched_yield()
                }
            }
        }

        func status(_ path: String) throws -> Int { try Wire(port).ask("GET", path).status }

        /// What it logs of a request to that path.
        func logged(_ path: String) throws -> JSONValue {
            try JSON5.parse(try daemon.wait(for: "\"path\":\"\(path)\""))
        }
    }

    private static var example: String {
        get throws {
            let root = #filePath.split(separator: "/", omittingEmptySubsequences: false).dropLast(4)
                .joined(separator: "/")
            let path = "\(root)/Sources/gallery/gallery.docc/Resources/cluster/haproxy.cfg"
            return String(decoding: try readFile(path), as: UTF8.self)
        }
    }

    @Test(
        "HAProxy takes the example, and finds nothing to warn of",
        .enabled(if: haproxy != nil && Tool.isThere("openssl"), "haproxy or openssl is not installed"))
    func example() throws {
        let (folder, shop) = (try TemporaryFolder(), try CertificateShop())
        let pair = try shop.selfSigned("front", name: "photos.example.org")
        try folder.write(try readFile(pair.certificate) + readFile(pair.key), to: "gallery.pem")
        let text = try Self.example.replacing("/etc/haproxy/gallery.pem", with: folder.file("gallery.pem"))
        try folder.write(text, to: "haproxy.cfg")
        let judged = try #require(Self.haproxy).run(["-c", "-f", folder.file("haproxy.cfg")])
        #expect(judged.code == 0 && !judged.errors.contains("WARNING"), "\(judged.errors)")
    }

    @Test(
        "a node that says it ends gets nothing more, and where no node is ready they are asked all the same",
        .enabled(if: haproxy != nil, "haproxy is not installed"))
    func draining() async throws { try await aside { try drain() } }

    private func drain() throws {
        let nodes = try (0..<2).map { _ in
            try GalleryProgram(["--drain", "240", "--trusted-proxy", "127.0.0.1"])
        }
        let front = try Front(before: nodes.map(\.port))
        // Only the first knows it, so that each answer tells which of them gave it.
        let made = try nodes[0].ask("POST", "/events", #"{"name":"Only here"}"#)
        let page = "/e/\(try #require(made["slug"]?.string))"
        #expect(try until { Set(try (0..<10).map { _ in try front.status(page) }) == [200, 404] })

        try tellToEnd(nodes[0])
        let isLeftOut = try until {
            let answers = Set(try (0..<20).map { _ in try front.status(page) })
            #expect(answers.isSubset(of: [200, 404]))
            return answers == [404]
        }
        #expect(isLeftOut)
        #expect(try Wire(nodes[0].port).ask("GET", page).status == 200, "it answers as long as it is asked")

        try tellToEnd(nodes[1])
        let isKnown = try until {
            #expect(try front.status("/health") == 200)
            return Set(try (0..<10).map { _ in try front.status(page) }) == [200, 404]
        }
        #expect(isKnown, "the first gives out the page again")

        for node in nodes { node.end() }
        let refused = try Wire(front.port).ask("GET", page)
        #expect(refused.status == 503 && refused.line("Retry-After") == "1", "\(refused.all)")
        #expect(refused.text.contains(#""code":"SERVICE_UNAVAILABLE""#))
    }

    @Test(
        "what nodes say of themselves is not for guests, and where a client says it comes from is not believed",
        .enabled(if: haproxy != nil, "haproxy is not installed"))
    func outside() async throws {
        try await aside {
            let node = try GalleryProgram(["--trusted-proxy", "127.0.0.1"])
            let front = try Front(before: [node.port, node.port])
            for path in ["/metrics", "/ready", "/%72eady"] {
                let answer = try Wire(front.port).ask("GET", path)
                #expect(answer.status == 404 && answer.text.isEmpty, "a node has answered: \(answer.all)")
            }
            let named = [("X-Forwarded-For", "192.0.2.7"), ("X-Request-Id", "from-the-client")]
            let answer = try Wire(front.port).ask("GET", "/e/\(node.slug)/photos", headers: named)
            #expect(answer.line("X-Request-Id") == "from-the-client", "\(answer.head)")
            let login = try Wire(front.port).ask(
                "POST", "/auth/login", headers: named,
                body: #"{"email":"host@example.org","password":"another"}"#)
            #expect(login.status == 401, "\(login.text)")
            let line = try node.hear("login-failed", and: "from=")
            #expect(line.contains("from=127.0.0.1"), "\(line)")
            #expect(line.hasSuffix(" request=from-the-client"), "\(line)")
            let forged = #"x","client":"192.0.2.7"#
            let missing = try Wire(front.port).ask("GET", "/forged", headers: [("X-Request-Id", forged)])
            let logged = try front.logged("/forged")
            let id = try #require(logged["id"]?.string)
            #expect(id != forged && id == missing.line("X-Request-Id"), "\(id) \(missing.head)")
            #expect(logged["client"]?.string == "127.0.0.1")
            let two = [("X-Request-Id", "the-first"), ("X-Request-Id", "the second")]
            let twice = try Wire(front.port).ask("GET", "/twice", headers: two)
            #expect(twice.line("X-Request-Id") == "the-first", "\(twice.head)")
            #expect(try front.logged("/twice")["id"]?.string == "the-first")
        }
    }

    private func tellToEnd(_ node: GalleryProgram) throws {
        let lock = String(decoding: try readFile("\(node.data)/lock"), as: UTF8.self)
        #expect(kill(try #require(Int32(lock.filter(\.isNumber))), SIGTERM) == 0)
    }

    private func until(_ isTrue: () throws -> Bool) throws -> Bool {
        let end = ContinuousClock.now + Self.patience
        while ContinuousClock.now < end {
            if try isTrue() { return true }
            // Others need the processor more.
            poll(nil, 0, 20)
        }
        return false
    }
}
