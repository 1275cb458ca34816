import Basics
import Digest
import Glibc
import TestSupport
import Testing

@testable import Gallery

/// Guests and hosts at the example for the balancer: nginx itself, before one node.
@Suite(.timeLimit(.minutes(Cases.minutesOfHang))) struct ClusterBalancerTests {
    private static let example =
        #filePath.split(separator: "/", omittingEmptySubsequences: false).dropLast(4)
        .joined(separator: "/") + "/Sources/gallery/gallery.docc/Resources/cluster/nginx.conf"
    private static var nginx: Tool? { Tool("nginx") ?? Tool("/usr/sbin/nginx") }

    /// The example with other addresses and no certificate.
    private final class Balancer {
        let port: UInt16
        private let folder: TemporaryFolder
        private let daemon: Daemon

        init(before node: UInt16) throws {
            let (folder, port) = (try TemporaryFolder(), try FreePort.next())
            (self.folder, self.port) = (folder, port)
            var text = String(decoding: try readFile(ClusterBalancerTests.example), as: UTF8.self)
            text = text.replacing("10.0.0.11:8080", with: "127.0.0.1:\(node)")
            text = text.replacing("listen 443 ssl;", with: "listen 127.0.0.1:\(port);")
            let others = ["server 10.0.0.", "listen [::]", "ssl_certificate", "user ", "server_name "]
            let lines = text.split(separator: "\n", omittingEmptySubsequences: false).filter { line in
                let words = line.drop { $0 == " " }
                return !others.contains { words.hasPrefix($0) }
            }
            text = lines.joined(separator: "\n").replacing("/var/log/nginx", with: folder.path)
                .replacing("/run/nginx.pid", with: folder.file("pid"))
            let places = ["client_body", "proxy", "fastcgi", "uwsgi", "scgi"].map {
                "    \($0)_temp_path \(folder.file($0));\n"
            }
            text = text.replacing("http {\n", with: "http {\n\(places.joined())", maxReplacements: 1)
            // Run by root its workers are root, too: they write into a folder of the test's own.
            let user = geteuid() == 0 ? "user root;\n" : ""
            try folder.write("\(user)daemon off;\nerror_log stderr notice;\n\(text)", to: "nginx.conf")
            daemon = try Daemon(
                try #require(ClusterBalancerTests.nginx).path,
                ["-c", folder.file("nginx.conf"), "-p", folder.path, "-e", "stderr"], isLeashed: true)
            let end = ContinuousClock.now + .seconds(60)
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

        /// What it has written down of the request for that path.
        func logged(_ path: String) throws -> JSONValue {
            let end = ContinuousClock.now + .seconds(60)
            while true {
                let lines = String(decoding: try readFile(folder.file("gallery.log")), as: UTF8.self)
                    .split(separator: "\n", omittingEmptySubsequences: false).dropLast()
                if let line = lines.first(where: { $0.contains("\"\(path)\"") }) {
                    return try JSON5.parse(String(line))
                }
                guard ContinuousClock.now < end else { throw Surprise("nothing is written of \(path)") }
                sched_yield()
            }
        }
    }

    @Test(
        "a request has one id in every log: the client's, or nginx's own where nodes would not take that",
        .enabled(if: nginx != nil, "nginx is not installed"))
    func named() async throws {
        try await aside {
            let program = try GalleryProgram(["--trusted-proxy", "127.0.0.1"])
            let front = try Balancer(before: program.port)
            for (path, given) in [("/a", "from-the-client"), ("/b", "two words"), ("/c", "\"}"), ("/d", nil)]
            {
                let headers = given.map { [("X-Request-Id", $0)] } ?? []
                let answer = try Wire(front.port).ask("GET", path, headers: headers)
                let id = try #require(try front.logged(path)["id"]?.string)
                #expect(id == answer.line("X-Request-Id"), "\(id) \(answer.head)")
                #expect((id == given) == (path == "/a"), "\(id)")
            }
        }
    }

    @Test(
        "what nodes say of themselves is not for guests, and counts for nothing there",
        .enabled(if: nginx != nil, "nginx is not installed"))
    func outside() async throws {
        try await aside {
            let program = try GalleryProgram(["--trusted-proxy", "127.0.0.1"])
            let front = try Balancer(before: program.port)
            for path in ["/metrics", "/ready"] {
                #expect(try Wire(front.port).ask("GET", path).status == 404, "\(path)")
                #expect(try Wire(program.port).ask("GET", path).status != 404, "\(path)")
            }
        }
    }

    /// As large as the pieces that pages send.
    private static let piece = 8 << 20

    @Test(
        "photos of hosts and of guests come through in pieces as large as pages send them",
        .enabled(if: nginx != nil, "nginx is not installed"))
    func pieces() async throws { try await aside { try bring() } }

    private func bring() throws {
        let program = try GalleryProgram(["--trusted-proxy", "127.0.0.1"])
        let front = try Balancer(before: program.port)
        let wish = #"{"name":"Open","allowsGuestUploads":true}"#
        let event = try program.ask("POST", "/events", wish)
        let (id, slug) = (try #require(event["id"]?.string), try #require(event["slug"]?.string))
        let token = [("Authorization", "Bearer \(program.token)")]
        for (place, headers) in [("/uploads/tus", token), ("/e/\(slug)/uploads/tus", [])] {
            let about = [("event", id), ("filetype", "image/jpeg"), ("filename", "a.jpg")].map {
                "\($0.0) \(Base64.text(Array($0.1.utf8)))"
            }
            let version = [("Tus-Resumable", "1.0.0")]
            let begun = try Wire(front.port).ask(
                "POST", place,
                headers: headers + version + [
                    ("Upload-Length", "\(Self.piece + 1)"), ("Upload-Metadata", about.joined(separator: ",")),
                    ("Content-Length", "0"),
                ])
            #expect(begun.status == 201, "\(begun.all)")
            let cookie = begun.line("Set-Cookie")?.split(separator: ";").first.map {
                [("Cookie", String($0))]
            }
            let address = try #require(begun.line("Location"), "\(begun.head)")
            let head = Wire.head(
                "PATCH", address,
                headers + version + (cookie ?? []) + [
                    ("Upload-Offset", "0"), ("Content-Length", "\(Self.piece)"),
                    ("Content-Type", "application/offset+octet-stream"),
                ])
            let sent = try Wire(front.port).exchange(
                Array(head.utf8) + [UInt8](repeating: 7, count: Self.piece))
            #expect(
                sent.status == 204 && sent.line("Upload-Offset") == "\(Self.piece)", "\(place): \(sent.all)")
        }
    }
}
