import Bridge
import TestSupport
import Testing

@testable import Gallery

/// "Guests can look until": what the host's page promises.
@Suite struct EndTests {
    @Test(
        "from the moment that a host has chosen, guests are told that it is over, and the host looks on",
        arguments: [nil, "13579"])
    func end(pin: String?) async throws {
        let gallery = try GalleryGround()
        let end = CivilTime.rfc3339(milliseconds: gallery.wall.wallNow.milliseconds + 60_000)
        let host = try await gallery.host(
            event: ["name": "Ann & Ben", "expiresAt": .string(end), "pin": .optional(pin) { .string($0) }])
        let entered = try await gallery.call(
            "POST", "/e/\(host.slug)/access", ["pin": .optional(pin) { .string($0) }])
        #expect(entered.status == 200)
        let pass = entered.header("Set-Cookie")?.split(separator: ";").first.map(String.init)
        let cookie = pass.map { [HTTPHeader("Cookie", $0)] } ?? []
        let asked = [
            "/e/\(host.slug)", "/e/\(host.slug)/photos", "/e/\(host.slug)/live", "/events/\(host.event)/live",
        ]
        gallery.wall.go(.milliseconds(59_999))
        for target in asked {
            #expect(try await gallery.call("GET", target, headers: cookie).status == 200, "\(target)")
        }
        gallery.wall.go(.milliseconds(1))
        for target in asked {
            let answer = try await gallery.call("GET", target, headers: cookie)
            #expect(answer.status == 410, "\(target): \(answer)")
            #expect(
                answer.code == "GONE" || answer.text.contains("<h1 dir=\"auto\">Ann &amp; Ben is over</h1>"))
        }
        let late = try await gallery.call(
            "POST", "/e/\(host.slug)/access", ["pin": .optional(pin) { .string($0) }])
        #expect(late.status == 410 && late.header("Set-Cookie") == nil)
        let form = try await gallery.call(
            "POST", "/e/\(host.slug)/access", bytes: Array("pin=13579".utf8),
            headers: [HTTPHeader("Content-Type", "application/x-www-form-urlencoded")])
        #expect(form.status == 410 && form.text.contains("is over"))
        let list = try await gallery.call(
            "GET", "/events/\(host.event)/photos", token: gallery.token(host))
        #expect(list.status == 200, "\(list)")
        let longer = try await gallery.call(
            "PATCH", "/events/\(host.event)", ["expiresAt": .null], token: gallery.token(host))
        #expect(longer.status == 200, "\(longer)")
        for target in asked {
            #expect(try await gallery.call("GET", target, headers: cookie).status == 200, "\(target)")
        }
    }
}
