import Basics
import HTTPServer
import Posix
import TestSupport
import Testing
import Web

@testable import Gallery

/// The first account of a gallery: who can take it.
@Suite struct FirstAccountTests {
    private func ground(_ registration: Registration = .closed) throws -> AccountGround {
        var settings = AccountSettings()
        settings.registration = registration
        settings.publicURL = "http://gallery.example:8080"
        return try AccountGround(settings: settings)
    }

    private func register(
        _ ground: AccountGround, _ email: String = "a@example.org", code: String? = nil,
        from peer: String = "127.0.0.1", headers: [(String, String)] = []
    ) async throws -> Int {
        let wish: JSONValue = [
            "email": .string(email), "password": "correct horse", "displayName": "Host",
            "invite": .optional(code) { .string($0) },
        ]
        let request = Request(
            method: "POST", path: "/", headers: headers.map { HTTPHeader($0.0, $0.1) }, peer: peer,
            body: Array(wish.compact.utf8))
        do {
            return try await ground.accounts.register(request).status
        } catch let error as APIError {
            return error.response.status
        }
    }

    @Test(
        "a page of another site that is open in a browser on the server cannot take the first account",
        arguments: [
            ([], 201), ([("Host", "127.0.0.1:8080")], 201), ([("Host", "localhost")], 201),
            ([("host", "[::1]:8080")], 201), ([("Host", "gallery.example:8080")], 201),
            ([("Host", "LOCALHOST:8080"), ("Origin", "http://localhost:8080")], 201),
            (
                [
                    ("Host", "127.0.0.1:8080"), ("Origin", "http://127.0.0.1:8080"),
                    ("Sec-Fetch-Site", "same-origin"),
                ], 201
            ),
            // A proxy that passes on no Host of the client's.
            ([("Host", "127.0.0.1:8080"), ("Origin", "http://gallery.example:8080")], 201),
            ([("Host", "127.0.0.1:8080"), ("Sec-Fetch-Site", "none")], 201),
            // A form or a script of another site, which may send but not read.
            ([("Host", "127.0.0.1:8080"), ("Origin", "https://evil.example")], 403),
            ([("Host", "127.0.0.1:8080"), ("Origin", "null")], 403),
            ([("Host", "127.0.0.1:8080"), ("Origin", "")], 403),
            ([("Host", "127.0.0.1:8080"), ("Origin", "http://127.0.0.1:3000")], 403),
            ([("Host", "127.0.0.1:8080"), ("Origin", "http://127.0.0.1:8080.evil.example")], 403),
            ([("Host", "127.0.0.1:8080"), ("Sec-Fetch-Site", "cross-site")], 403),
            ([("Host", "127.0.0.1:8080"), ("Sec-Fetch-Site", "same-site")], 403),
            // A name of another site's that leads here ("DNS rebinding").
            (
                [
                    ("Host", "evil.example:8080"), ("Origin", "http://evil.example:8080"),
                    ("Sec-Fetch-Site", "same-origin"),
                ], 403
            ),
            ([("Host", "127.0.0.1.evil.example")], 403), ([("Host", "")], 403),
            ([("Host", "localhost"), ("Host", "evil.example")], 403),
        ] as [([(String, String)], Int)])
    func browser(headers: [(String, String)], status: Int) async throws {
        #expect(try await register(try ground(), headers: headers) == status)
        // With the code, a registration may come from anywhere.
        let ground = try ground()
        let code = try #require(try await ground.accounts.makeFirstCode())
        #expect(try await register(ground, code: code.text, headers: headers) == 201)
    }

    @Test(
        "a public address leads here where it is this machine's own, with the listener's port",
        arguments: [
            ("http://192.168.1.10:8080", "0.0.0.0", true),
            ("http://192.168.1.10:8080/", "192.168.1.10", true),
            ("http://[2001:db8::10]:8080", "::", true), ("http://192.168.1.10:8080", "::", true),
            ("http://localhost:9000", "127.0.0.1", true), ("http://127.0.0.1:8080", "0.0.0.0", true),
            ("http://0.0.0.0:8080", "0.0.0.0", true),
            // Another port, https that something else ends, another machine, or a name, which may be any machine's.
            ("http://192.168.1.10", "0.0.0.0", false), ("https://192.168.1.10:8080", "0.0.0.0", false),
            ("http://192.168.1.99:8080", "0.0.0.0", false),
            ("http://192.168.1.99:8080", "192.168.1.10", false),
            ("http://192.168.1.10:8080", "127.0.0.1", false),
            ("https://photos.example.org", "0.0.0.0", false),
            ("http://photos.example.org:8080", "0.0.0.0", false),
            ("http://localhost.example.org:8080", "0.0.0.0", false),
        ] as [(String, String, Bool)])
    func publicAddress(url: String, listen: String, leadsHere: Bool) throws {
        let ours = ["192.168.1.10", "2001:db8::10"].compactMap { IPEndpoint(numeric: $0, port: 0)?.address }
        let listener = try #require(IPEndpoint(numeric: listen, port: 8080))
        let address = try #require(PublicAddress(url))
        #expect(address.leads(to: listener, isTLS: false) { ours.contains($0) } == leadsHere)
    }

    @Test("the code that was printed is used up by the first account, also when that is deleted")
    func onlyOnce() async throws {
        for isByOperator in [false, true] {
            let ground = try ground()
            let code = try #require(try await ground.accounts.makeFirstCode()).text
            if isByOperator {
                _ = try await ground.accounts.addUser(
                    email: "a@example.org", name: "A", password: "correct horse")
            } else {
                #expect(try await register(ground, code: code, from: "192.0.2.1") == 201)
            }
            _ = try await ground.accounts.deleteUser("a@example.org")
            #expect(try await register(ground, "b@example.org", code: code, from: "192.0.2.1") == 403)
        }
    }

    @Test("tries of a client that may make no account keep no other from making one")
    func blocked() async throws {
        let ground = try ground(.invite)
        _ = try await ground.accounts.addUser(
            email: "first@example.org", name: "First", password: "correct horse")
        for number in 0..<50 {
            let status = try await register(ground, "b@example.org", from: "198.51.100.\(number)")
            #expect(status == 403)
        }
        let code = try await ground.accounts.invite(uses: 1, days: 1).code.text
        #expect(try await register(ground, "b@example.org", code: code, from: "192.0.2.1") == 201)
        // The address they come from has a limit, whether they may or not.
        for number in 0..<20 {
            #expect(try await register(ground, "c\(number)@example.org", from: "198.51.100.99") == 403)
        }
        #expect(try await register(ground, "d@example.org", from: "198.51.100.99") == 429)
    }
}
