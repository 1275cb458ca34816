import Basics
import Database
import HTTPServer
import TestSupport
import Testing

@testable import Gallery

/// Who may listen when many want to, and what that costs.
@Suite struct ListeningTests {
    private static let accepts = [HTTPHeader("Accept", "text/event-stream")]

    @Test("as many listen as may; a browser beyond is told to ask, a program when to come back")
    func full() async throws {
        let gallery = try GalleryGround { $0.mostStreams = 2 }
        let host = try await gallery.host()
        let targets = ["/e/\(host.slug)/live", "/events/\(host.event)/live"]
        // From an address of its own each: one has no more than its share.
        var listening = [
            try await gallery.call("GET", targets[0], peer: "192.0.2.1").stream,
            try await gallery.call("GET", targets[1], peer: "192.0.2.2").stream,
        ]
        #expect(listening.allSatisfy { $0 != nil } && gallery.server.feeds.listeners == 2)
        for target in targets {
            let told = try await gallery.call("GET", target, headers: Self.accepts)
            #expect(told.status == 200 && told.stream == nil)
            #expect(told.header("Content-Type") == "text/event-stream")
            #expect(told.text == "retry: 15000\nevent: poll\ndata: {}\n\n")
            let refused = try await gallery.call("GET", target)
            #expect(refused.status == 503 && refused.header("Retry-After") == "15")
        }
        listening.removeLast()
        #expect(gallery.server.feeds.listeners == 1)
        #expect(try await gallery.call("GET", targets[0], peer: "192.0.2.3").stream != nil)
    }

    @Test(
        "one address has three quarters of the places, and a page there beyond them asks, while others listen"
    )
    func shares() async throws {
        let gallery = try GalleryGround { $0.mostStreams = 4 }
        let host = try await gallery.host()
        let target = "/e/\(host.slug)/live"
        let addresses = ["2001:db8::1", "2001:db8::2", "2001:db8:0:0:9::3"]
        var listening = try await addresses.asyncMap {
            try await gallery.call("GET", target, peer: $0).stream
        }
        #expect(listening.allSatisfy { $0 != nil })
        let told = try await gallery.call("GET", target, headers: Self.accepts, peer: "2001:db8::4")
        #expect(told.status == 200 && told.stream == nil && told.text.contains("event: poll"))
        let other = try await gallery.call("GET", target, headers: Self.accepts, peer: "2001:db8:0:1::1")
        #expect(other.stream != nil)
        listening.removeLast()
        #expect(try await gallery.call("GET", target, peer: "2001:db8::4").stream != nil)
    }

    @Test("guests who look on as an event ends are sent away, hosts stay")
    func ends() async throws {
        let gallery = try GalleryGround()
        let end = gallery.wall.wallNow + .seconds(60)
        let host = try await gallery.host(event: ["name": "Wedding", "expiresAt": end.json])
        let (target, feeds) = ("/e/\(host.slug)/live", gallery.server.feeds)
        let guests = try #require(try await gallery.call("GET", target).stream)
        let own = try await gallery.call("GET", "/events/\(host.event)/live", token: gallery.token(host))
            .stream
        let hosts = try #require(own)
        gallery.wall.go(.seconds(59))
        feeds.sendAwayWhereOver()
        #expect(!guests.isOver)
        gallery.wall.go(.seconds(1))
        feeds.sendAwayWhereOver()
        #expect(guests.isOver && !hosts.isOver)
        #expect(try await gallery.call("GET", target).status == 410)
    }

    @Test("a list that has not changed is not answered again, and one that has is")
    func list() async throws {
        let gallery = try GalleryGround()
        let host = try await gallery.host()
        func ask(_ tag: String? = nil) async throws -> GalleryGround.Answer {
            let headers = tag.map { [HTTPHeader("If-None-Match", $0)] } ?? []
            return try await gallery.call("GET", "/e/\(host.slug)/photos", headers: headers)
        }
        let first = try await ask()
        let tag = try #require(first.header("ETag"))
        #expect(first.status == 200)
        let same = try await ask(tag)
        #expect(same.status == 304 && same.text.isEmpty && same.header("ETag") == tag)
        _ = try await gallery.call(
            "PATCH", "/events/\(host.event)", ["allowsOriginals": .bool(true)], token: gallery.token(host))
        let changed = try await ask(tag)
        #expect(changed.status == 200 && changed.header("ETag") != tag)
    }

    @Test(
        "clients that come back cost no look into the database, and a door that is closed is closed for them at once"
    )
    func comesBack() async throws {
        let gallery = try GalleryGround()
        let host = try await gallery.host()
        let target = "/e/\(host.slug)/live"
        #expect(try await gallery.call("GET", target).stream != nil)
        let directory = gallery.server.directory
        // What the database says now it is not asked.
        _ = try await gallery.ground.database.store {
            try $0.database.run("UPDATE events SET pin_hash = 'x' WHERE id = ?", host.event)
        }
        #expect(try await gallery.call("GET", target).stream != nil)
        #expect(try await directory.event(slug: host.slug)?.pinHash == nil)
        // Five seconds later it is.
        gallery.wall.clock.advance(by: .seconds(6))
        #expect(try await gallery.call("GET", target).status == 403)
        _ = try await gallery.call(
            "PATCH", "/events/\(host.event)", ["pin": .null], token: gallery.token(host))
        let open = try await gallery.call("GET", target).stream
        #expect(open != nil)
        _ = try await gallery.call(
            "PATCH", "/events/\(host.event)", ["pin": "471100"], token: gallery.token(host))
        #expect(open?.isOver == true)
        #expect(try await gallery.call("GET", target).status == 403)
        #expect(try await gallery.call("GET", "/events/\(host.event)/live").status == 401)
    }

    @Test(
        "a client that knows less than the feed is told to read the list anew, one that knows as much is not")
    func begins() {
        let feeds = Feeds(wall: StandingCalendar())
        guard case .hasJustBegun = feeds.stream(of: "one", for: .guests, after: 5) else {
            Issue.record("a feed that nobody has begun knows nothing")
            return
        }
        func heard(_ last: UInt64) -> String {
            guard case .stream(let stream) = feeds.stream(of: "one", for: .guests, behind: 5, after: last)
            else {
                return "nothing"
            }
            var memory = [UInt8](repeating: 0, count: 1000)
            guard case .bytes(let count) = memory.withUnsafeMutableBytes({ stream.take(into: $0) }) else {
                return ""
            }
            return String(decoding: memory[..<count], as: UTF8.self)
        }
        #expect(heard(5) == "")
        #expect(heard(4) == "id: 5\nevent: reset\ndata: \n\n")
        guard case .stream = feeds.stream(of: "one", for: .host, after: 5) else {
            Issue.record("the feed is known now")
            return
        }
    }
}

extension [String] {
    fileprivate func asyncMap<Result>(_ body: (String) async throws -> Result) async throws -> [Result] {
        var results: [Result] = []
        for element in self { results.append(try await body(element)) }
        return results
    }
}
