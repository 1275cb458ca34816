import Basics
import Glibc
import HTTPClient
import Posix
import TestSupport
import Testing

extension OnTheWire {
    /// Against OpenSSL's own server, with certificates that OpenSSL's own program made.
    @Suite(.enabled(if: Tool.isThere("openssl"), "the openssl program is not installed"))
    struct CertificateTests {
        let shop: CertificateShop

        init() throws {
            shop = try CertificateShop()
        }

        private func sentence(_ server: TLSServer, privateCA: String?, host: String = "localhost")
            async throws
            -> String
        {
            try await withClient(CurlClient.Configuration(privateCA: privateCA)) { client in
                let request = HTTPRequest("GET", "https://\(host):\(server.port)/?signature=secret")
                guard case .certificate(let text)? = await failure(of: client, request) else {
                    Issue.record("that certificate was believed")
                    return ""
                }
                #expect(!text.contains("secret"))
                #expect(text.contains("\(host):\(server.port)"))
                return text
            }
        }

        @Test("a private authority is believed when it is named, and only then")
        func privateAuthority() async throws {
            let server = try TLSServer(try shop.signed("good"), shop)
            try await withClient(CurlClient.Configuration(privateCA: shop.authority)) { client in
                let response = try await client.send(HTTPRequest("GET", "https://localhost:\(server.port)/"))
                #expect(response.status == 200)
            }
            let text = try await sentence(server, privateCA: nil)
            #expect(text.contains("authority that this machine does not know"), "\(text)")
            #expect(text.contains("private CA"))
        }

        @Test("a certificate for another name is refused, by name and by address")
        func otherName() async throws {
            let server = try TLSServer(try shop.signed("other", name: "photos.example"), shop)
            for host in ["localhost", "127.0.0.1"] {
                let text = try await sentence(server, privateCA: shop.authority, host: host)
                #expect(text.contains("another name"), "\(text)")
            }
        }

        @Test("one that has expired, or is not valid yet, is refused with a word about the date")
        func dates() async throws {
            let old = try TLSServer(
                try shop.signed("old", from: "20200101000000Z", until: "20200201000000Z"), shop)
            #expect(try await sentence(old, privateCA: shop.authority).contains("has expired"))
            let young = try TLSServer(
                try shop.signed("young", from: "20900101000000Z", until: "20910101000000Z"), shop)
            #expect(try await sentence(young, privateCA: shop.authority).contains("not valid yet"))
        }

        @Test("one that signed itself is refused, until it is named itself")
        func selfSigned() async throws {
            let pair = try shop.selfSigned("self")
            let server = try TLSServer(pair, shop)
            #expect(try await sentence(server, privateCA: nil).contains("signed itself"))
            try await withClient(CurlClient.Configuration(privateCA: pair.certificate)) { client in
                let response = try await client.send(HTTPRequest("GET", "https://localhost:\(server.port)/"))
                #expect(response.status == 200)
            }
        }

        @Test("a private authority that cannot be read is a mistake in the settings, named")
        func noAuthority() async throws {
            try shop.folder.write("no certificate at all", to: "nonsense")
            for path in [shop.folder.file("none"), shop.folder.file("nonsense")] {
                try await withClient(CurlClient.Configuration(privateCA: path)) { client in
                    let ending = await failure(of: client, HTTPRequest("GET", "https://localhost:1/"))
                    switch ending {
                    // A file of nonsense is noticed only when the client connects.
                    case .invalid(let text): #expect(text.contains("cannot be read"), "\(text)")
                    case .unreachable: #expect(path.hasSuffix("nonsense"))
                    default: Issue.record("\(String(describing: ending))")
                    }
                }
            }
        }

        @Test(
            "the environment's bundle is obeyed, alone and beside a private authority",
            arguments: ["CURL_CA_BUNDLE", "SSL_CERT_FILE"])
        func environment(variable: String) async throws {
            let server = try TLSServer(try shop.signed("good"), shop)
            let other = try TLSServer(try shop.selfSigned("second"), shop)
            Self.pass([
                variable, shop.authority, shop.folder.file("second.crt"), "\(server.port)", "\(other.port)",
            ])
            await #expect(processExitsWith: .success) {
                let words = Self.passed()
                setenv(words[0], words[1], 1)
                try await Self.expectBelieved([words[3]], privateCA: nil)
                try await Self.expectBelieved([words[3], words[4]], privateCA: words[2])
            }
        }

        @Test("without a word of the environment a private authority is believed beside the system's")
        func plainEnvironment() async throws {
            let server = try TLSServer(try shop.signed("good"), shop)
            Self.pass([shop.authority, "\(server.port)"])
            await #expect(processExitsWith: .success) {
                let words = Self.passed()
                try await Self.expectBelieved([words[1]], privateCA: words[0])
            }
        }

        /// To the process that a test starts, which gets nothing but the environment.
        private static func pass(_ words: [String]) {
            setenv("TETHERLINE_TEST_WORDS", words.joined(separator: " "), 1)
        }

        private static func passed() -> [String] {
            for name in ["CURL_CA_BUNDLE", "SSL_CERT_FILE", "SSL_CERT_DIR"] { unsetenv(name) }
            return String(cString: getenv("TETHERLINE_TEST_WORDS")).split(separator: " ").map(String.init)
        }

        private static func expectBelieved(_ ports: [String], privateCA: String?) async throws {
            try await withClient(CurlClient.Configuration(privateCA: privateCA)) {
                (client: CurlClient) async throws in
                for port in ports {
                    let response = try await client.send(HTTPRequest("GET", "https://localhost:\(port)/"))
                    try #require(response.status == 200)
                }
            }
        }

        @Test("a connection that is cut during the greeting is unreachable, which passes")
        func cutGreeting() async throws {
            let reactor = try Reactor(name: "cutter")
            defer { reactor.shutDown() }
            let endpoint = IPEndpoint.loopback(port: 0)
            let listener = try Socket.make(for: endpoint)
            try listener.listen(on: endpoint, backlog: 1)
            let port = try #require(listener.localEndpoint?.port)
            async let cut: Void = {
                _ = await reactor.waitReadable(listener.descriptor, until: nil)
                guard case .accepted(let socket) = listener.accept() else { return }
                _ = await reactor.waitReadable(socket.descriptor, until: nil)
                socket.close(reset: true, reactor)
            }()
            try await withClient { (client: CurlClient) async throws in
                let ending = await failure(of: client, HTTPRequest("GET", "https://127.0.0.1:\(port)/"))
                guard case .unreachable(let text)? = ending else {
                    Issue.record("\(String(describing: ending))")
                    return
                }
                // What a server of plain HTTP does where its refusal is overtaken by the end.
                #expect(
                    text.contains("in the TLS handshake") && text.contains("does not speak TLS there"),
                    "\(text)")
            }
            await cut
        }
    }
}
