import Basics
import HTTPServer
import Testing

@testable import Gallery

/// The cookie by which a host's page shows what guests do not see: of one log-in, for images, and of no other's making.
@Suite struct HostPassTests {
    private struct Ground {
        let gallery: GalleryGround
        let host: GalleryGround.Host
        /// Of a hidden photo in an event with a PIN.
        let image: String
        let hostPass: String
        let guestPass: String

        init() async throws {
            gallery = try GalleryGround()
            host = try await gallery.host(event: ["name": "Wedding", "pin": "13579"])
            let photo = try #require(try await gallery.upload("kiss", for: host))
            image = "/images/\(try #require(photo["screenKey"]?.string))"
            _ = try await gallery.call(
                "PATCH", "/photos/\(try #require(photo["id"]?.string))", ["hidden": .bool(true)],
                token: gallery.token(host))
            (hostPass, guestPass) = try await Ground.passes(gallery, host)
        }

        static func passes(
            _ gallery: GalleryGround, _ host: GalleryGround.Host, pin: String = "13579"
        ) async throws -> (host: String, guest: String) {
            let shown = try await gallery.call(
                "GET", "/events/\(host.event)", token: gallery.token(host))
            let cookies = shown.headers.filter { $0.name == "Set-Cookie" }.map(\.value)
            // A guest's pass would outlive the log-in.
            #expect(cookies.count == 1)
            let entered = try await gallery.call(
                "POST", "/e/\(host.slug)/access", ["pin": .string(pin)])
            func value(_ cookie: String?) throws -> String {
                try #require(cookie?.split(separator: ";").first.map(String.init))
            }
            return (try value(cookies.first), try value(entered.header("Set-Cookie")))
        }

        func status(_ cookies: String...) async throws -> Int {
            try await gallery.call(
                "GET", image, bytes: [], headers: [HTTPHeader("Cookie", cookies.joined(separator: "; "))]
            ).status
        }
    }

    @Test("the host's page sees a hidden photo by its own cookie, which goes to images alone")
    func shown() async throws {
        let ground = try await Ground()
        #expect(try await ground.status(ground.hostPass) == 200)
        #expect(try await ground.status(ground.guestPass) == 404)
        #expect(try await ground.status() == 404)
        for target in ["/events/\(ground.host.event)", "/events/\(ground.host.event)/photos"] {
            let answer = try await ground.gallery.call(
                "GET", target, token: ground.gallery.token(ground.host))
            let cookie = try #require(
                answer.headers.first { $0.value.hasPrefix("host=") }?.value)
            for part in ["; Path=/images;", "; HttpOnly", "; SameSite=Lax", "; Max-Age=2592000"] {
                #expect(cookie.contains(part), "\(cookie)")
            }
            #expect(!cookie.contains("Secure"))
        }
        // It says who one is nowhere else.
        let me = try await ground.gallery.call(
            "GET", "/me", bytes: [], headers: [HTTPHeader("Cookie", ground.hostPass)])
        #expect(me.status == 401)
    }

    @Test("a host's cookie ends with its log-in, and after thirty days")
    func ends() async throws {
        let ground = try await Ground()
        let later = try await Ground()
        let token = RefreshToken(
            family: ground.host.family, number: 1, key: ground.gallery.ground.accounts.refreshKeys.current
        ).text
        let out = try await ground.gallery.call("POST", "/auth/logout", ["refreshToken": .string(token)])
        #expect(out.status == 204)
        #expect(try await ground.status(ground.hostPass) == 404)
        later.gallery.wall.go(.seconds(30 * 86_400 - 1))
        #expect(try await later.status(later.hostPass) == 200)
        later.gallery.wall.go(.seconds(1))
        #expect(try await later.status(later.hostPass) == 404)
    }

    @Test("another host's cookie opens nothing here")
    func others() async throws {
        let ground = try await Ground()
        let other = try await ground.gallery.host(
            "other@example.org", event: ["name": "Elsewhere", "pin": "24680"])
        let passes = try await Ground.passes(ground.gallery, other, pin: "24680")
        #expect(try await ground.status(passes.host) == 404)
        #expect(try await ground.status(passes.host, passes.guest) == 404)
        #expect(try await ground.status(passes.host, ground.hostPass) == 200)
    }

    @Test("a host's cookie with one letter changed, or made of a guest's, is none")
    func forgedHost() async throws {
        let ground = try await Ground()
        let value = ground.hostPass.dropFirst("host=".count)
        for place in value.indices {
            // The last character of a code has bits that say nothing; those have to be as they were made.
            var changed = value
            changed.replaceSubrange(place...place, with: value[place] == "A" ? "B" : "A")
            #expect(try await ground.status("host=\(changed)") == 404, "\(changed)")
        }
        let parts = value.split(separator: ".")
        let guest = ground.guestPass.split(separator: "=", maxSplits: 1)[1]
        let forged = [
            "", ".", "...", String(guest), "\(parts[0]).\(parts[1]).\(guest)",
            "\(parts[0]).\(parts[1]).99999999999.\(parts[3])", "\(parts[0]).\(parts[1]).\(parts[2]).",
            "\(value).\(value)", String(repeating: "a.", count: 4000),
        ]
        for text in forged { #expect(try await ground.status("host=\(text)") == 404, "\(text)") }
    }

    @Test("a guest's cookie with one letter changed, or made of a host's, is none")
    func forgedGuest() async throws {
        let ground = try await Ground()
        let (name, value) = { ($0[0], $0[1]) }(ground.guestPass.split(separator: "=", maxSplits: 1))
        for place in value.indices {
            var changed = value
            changed.replaceSubrange(place...place, with: value[place] == "A" ? "B" : "A")
            #expect(try await ground.status("\(name)=\(changed)") == 404, "\(changed)")
        }
        let host = ground.hostPass.dropFirst("host=".count)
        let parts = host.split(separator: ".")
        for text in [String(host), "\(parts[2]).\(parts[3])", "", "."] {
            #expect(try await ground.status("\(name)=\(text)") == 404, "\(text)")
        }
        #expect(try await ground.status("\(name)=\(host)", ground.hostPass) == 200)
    }
}
