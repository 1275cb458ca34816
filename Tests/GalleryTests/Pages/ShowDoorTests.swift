import Basics
import HTTPServer
import TestSupport
import Testing

@testable import Gallery

/// The screen in the hall of an event with a PIN: how it gets in, and where its code leads.
@Suite struct ShowDoorTests {
    private let gallery: GalleryGround
    private let host: GalleryGround.Host
    private let key: String

    init() async throws {
        gallery = try GalleryGround()
        host = try await gallery.host(event: ["name": "Wedding", "pin": "13579"])
        let event = try await gallery.call("GET", "/events/\(host.event)", token: gallery.token(host))
        key = try #require(event["entryUrl"]?.string?.split(separator: "k=").last.map(String.init))
    }

    private func type(_ form: String) async throws -> GalleryGround.Answer {
        try await gallery.call(
            "POST", "/e/\(host.slug)/access", bytes: Array(form.utf8),
            headers: [HTTPHeader("Content-Type", "application/x-www-form-urlencoded")])
    }

    @Test("the PIN leads on to the screen, as long for a photo as was asked for")
    func byPIN() async throws {
        let show = "/e/\(host.slug)/show"
        let door = try await gallery.call("GET", "\(show)?seconds=12")
        #expect(door.status == 200)
        let seen = try HeadReader(door.text)
        #expect(seen.fields["show"] == "12")
        #expect(seen.links.contains("\(show)?seconds=12&lang=de"), "a language is chosen on the way")
        let wrong = try await type("show=12&pin=24680")
        #expect(wrong.status == 401)
        #expect(try HeadReader(wrong.text).fields["show"] == "12")
        for (typed, seconds) in [("12", 12), ("", 8), ("soon", 8), ("100000", 120), ("..%2F", 8)] {
            let right = try await type("show=\(typed)&pin=13579")
            #expect(try await gallery.arrival(of: right) == "\(show)?seconds=\(seconds)", "\(typed)")
        }
    }

    @Test("the key of the QR code lets the screen in, and leads on without the key")
    func byKey() async throws {
        let show = "/e/\(host.slug)/show"
        let entered = try await gallery.call("GET", "\(show)?seconds=12&k=\(key)")
        #expect(entered.header("Location")?.contains(key) == false)
        #expect(try await gallery.arrival(of: entered) == "\(show)?seconds=12")
        let pass = try #require(entered.header("Set-Cookie")?.split(separator: ";").first.map(String.init))
        let page = try await gallery.call("GET", show, headers: [HTTPHeader("Cookie", pass)])
        #expect(page.status == 200 && page.text.contains("id=\"screen\"") && !page.text.contains(key))
        let refused = try await gallery.call("GET", "\(show)?k=AAAAAAAAAAAAAAAAAAAAAA")
        #expect(refused.status == 401 && refused.header("Set-Cookie")?.contains("pass") != true)
    }

    @Test("the code with the key is for who has it: others get the address alone, whatever key they name")
    func code() async throws {
        let path = "/e/\(host.slug)/qr.svg"
        let mine = try await gallery.call("GET", "/events/\(host.event)/qr.svg", token: gallery.token(host))
        let opening = try await gallery.call("GET", "\(path)?k=\(key)")
        #expect(opening.status == 200 && opening.text == mine.text)
        #expect(opening.header("Cache-Control") == "no-store")
        let plain = try await gallery.call("GET", path)
        #expect(plain.status == 200 && plain.text != mine.text)
        for other in ["AAAAAAAAAAAAAAAAAAAAAA", "", "x", "%00"] {
            let answer = try await gallery.call("GET", "\(path)?k=\(other)")
            #expect(answer.status == 200 && answer.text == plain.text, "\(other)")
        }
    }
}
