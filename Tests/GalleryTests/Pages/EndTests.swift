import Basics
import HTTPServer
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
                answer.code == "GONE"
                    || answer.text.contains("<h1 dir=\"auto\">Ann &amp; Ben: this gallery is closed</h1>"))
        }
        let late = try await gallery.call(
            "POST", "/e/\(host.slug)/access", ["pin": .optional(pin) { .string($0) }])
        #expect(late.status == 410 && late.header("Set-Cookie") == nil)
        let form = try await gallery.call(
            "POST", "/e/\(host.slug)/access", bytes: Array("pin=13579".utf8),
            headers: [HTTPHeader("Content-Type", "application/x-www-form-urlencoded")])
        #expect(form.status == 410 && form.text.contains("this gallery is closed"))
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

    /// A guest and the host, listening.
    private func listeners(
        _ gallery: GalleryGround, _ host: GalleryGround.Host
    ) async throws -> (guest: EventStream, host: EventStream) {
        let guest = try await gallery.call("GET", "/e/\(host.slug)/live")
        let own = try await gallery.call("GET", "/events/\(host.event)/live", token: gallery.token(host))
        return (try #require(guest.stream), try #require(own.stream))
    }

    @Test("who listens when the end comes hears nothing of what comes after it, and the host hears it")
    func listening() async throws {
        let gallery = try GalleryGround()
        let end = CivilTime.rfc3339(milliseconds: gallery.wall.wallNow.milliseconds + 60_000)
        let host = try await gallery.host(event: ["name": "Wedding", "expiresAt": .string(end)])
        let event = try #require(try await gallery.store.event(host.event))
        let (guest, own) = try await listeners(gallery, host)
        gallery.wall.go(.milliseconds(59_999))
        gallery.server.feeds.tellCounts(of: event, at: 100)
        #expect(!guest.isOver && !own.isOver)
        gallery.wall.go(.milliseconds(1))
        gallery.server.feeds.tellCounts(of: event, at: 101)
        #expect(guest.isOver && !own.isOver)
    }

    @Test("another PIN or another end sends guests to the door again; a new name does not")
    func anotherDoor() async throws {
        let gallery = try GalleryGround()
        let host = try await gallery.host()
        let changes: [(JSONValue, Bool)] = [
            (["name": "Ann & Ben"], false), (["allowsOriginals": .bool(false)], false),
            (["expiresAt": "2099-01-01T00:00:00Z"], true), (["expiresAt": "2099-01-01T00:00:00Z"], false),
            (["pin": "2468"], true),
        ]
        for (change, sendsAway) in changes {
            let (guest, own) = try await listeners(gallery, host)
            let changed = try await gallery.call(
                "PATCH", "/events/\(host.event)", change, token: gallery.token(host))
            #expect(changed.status == 200)
            #expect(guest.isOver == sendsAway && !own.isOver, "\(change)")
        }
        #expect(try await gallery.call("GET", "/e/\(host.slug)/live").status == 403)
    }

    @Test(
        "an event that is deleted is over for host and guests", .timeLimit(.minutes(Cases.minutesOfHang)),
        arguments: [false, true])
    func deleted(bySync: Bool) async throws {
        let gallery = try GalleryGround()
        let host = try await gallery.host()
        let (guest, own) = try await listeners(gallery, host)
        if bySync {
            // Of two changes of one moment neither is the later.
            gallery.wall.go(.seconds(1))
            let now = CivilTime.rfc3339(milliseconds: gallery.wall.wallNow.milliseconds)
            let change: JSONValue = [
                "type": "event", "id": .string(host.event), "action": "delete", "updatedAt": .string(now),
            ]
            let synced = try await gallery.call(
                "POST", "/sync", ["lastSync": .null, "changes": [change]], token: gallery.token(host))
            #expect(synced.status == 200, "\(synced)")
            // It is told a moment later.
            while !guest.isOver || !own.isOver {
                try Task.checkCancellation()
                await Task.yield()
            }
        } else {
            let path = "/events/\(host.event)"
            #expect(try await gallery.call("DELETE", path, token: gallery.token(host)).status == 204)
        }
        #expect(guest.isOver && own.isOver)
        #expect(try await gallery.call("GET", "/e/\(host.slug)/live").status == 404)
    }
}
