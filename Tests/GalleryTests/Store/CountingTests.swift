import Basics
import Database
import TestSupport
import Testing

@testable import Gallery

/// Numbers that only grow belong to an account or to an event, so that no write waits for another's.
@Suite struct CountingTests {
    private func sequence(_ gallery: GalleryGround, _ name: String, _ host: GalleryGround.Host) async throws
        -> Int64?
    {
        try #require(try await gallery.upload(name, for: host))["sequence"]?.integer
    }

    @Test("one account's changes leave another's stamps as they are")
    func stamps() async throws {
        let gallery = try GalleryGround()
        let ann = try await gallery.host("ann@example.org")
        let bob = try await gallery.host("bob@example.org")
        let (annBefore, bobBefore) = (
            try await gallery.store.lastStamp(ofEvent: ann.event),
            try await gallery.store.lastStamp(ofEvent: bob.event)
        )
        gallery.wall.go(.seconds(5))
        _ = try await gallery.call(
            "PATCH", "/events/\(ann.event)", ["name": "Party"], token: gallery.token(ann))
        #expect(try await gallery.store.lastStamp(ofEvent: ann.event) >= annBefore + 5000)
        #expect(try await gallery.store.lastStamp(ofEvent: bob.event) == bobBefore)
    }

    @Test("each event counts its own photos, and nothing is counted for the whole gallery")
    func sequences() async throws {
        let gallery = try GalleryGround()
        let ann = try await gallery.host("ann@example.org")
        let bob = try await gallery.host("bob@example.org")
        #expect(try await sequence(gallery, "kiss", ann) == 1)
        #expect(try await sequence(gallery, "cake", ann) == 2)
        #expect(try await sequence(gallery, "kiss", bob) == 1)
        #expect(try await sequence(gallery, "garden", ann) == 3)
        // Only a file has the table in which older versions did that.
        guard !PostgresServer.isWanted else { return }
        #expect(try await gallery.store.number("SELECT sum(value) FROM counters") == 0)
    }

    @Test("what has come is worked on in the order of its coming, over all events")
    func arrivals() async throws {
        let gallery = try GalleryGround()
        let ann = try await gallery.host("ann@example.org")
        let bob = try await gallery.host("bob@example.org")
        var wanted: [String] = []
        for (name, host) in [("a1", ann), ("a2", ann), ("b1", bob), ("a3", ann), ("b2", bob)] {
            let place = try await gallery.place(name, Array(name.utf8), for: host)
            try await gallery.fill(place, with: Array(name.utf8))
            wanted.append(try #require(place["uploadId"]?.string))
            // Two of one event may come within one tick of the calendar.
            if name != "a1" { gallery.wall.go(.milliseconds(1)) }
        }
        var found: Set<String> = []
        for id in wanted {
            let next = try await gallery.store.nextToProcess(except: found)
            #expect(next?.row.id == id)
            found.insert(id)
        }
    }

    @Test(
        "an older gallery goes on counting where it was", .onSQLite,
        arguments: OldGallery.versions.filter { $0 < 4 })
    func older(version: Int) async throws {
        let old = try OldGallery(version)
        let look = try Connection(path: old.path, .readOnly)
        let numbers = try look.all("SELECT value FROM counters ORDER BY name") {
            try $0.get(0, as: Int64.self)
        }
        let (arrival, sequence, stamp) = (numbers[0], numbers[1], numbers[2])
        let wall = GalleryWall()
        let gallery = try GalleryGround(seed: 70, in: old.folder, wall: wall)
        let event = try #require(try await gallery.store.events(named: "Wedding").first)
        #expect(try await gallery.store.lastStamp(ofEvent: event.id) == stamp)
        #expect(try await gallery.store.take(event.id) == sequence + 1)
        #expect(try await gallery.store.takeArrival(event.id) > arrival)
        #expect(try await gallery.store.takeStamp(event.owner) > stamp)
        #expect(
            try await gallery.store.number("SELECT count(*) FROM photo_albums")
                == (old.before["photo_albums"]?.rows.count))
    }
}

/// An event ends after it begins, whichever operation writes it, and however many do at once.
@Suite struct EventOrderTests {
    @Test("of two changes that are good alone and not together, the second is refused")
    func both() async throws {
        let gallery = try GalleryGround()
        let host = try await gallery.host(
            event: [
                "name": "Wedding", "startsAt": "2026-12-05T10:00:00.000Z",
                "expiresAt": "2026-12-06T10:00:00.000Z",
            ])
        // Both were looked at when neither was written.
        var (later, sooner) = (EventWish(), EventWish())
        later.startsAt = .some(Timestamp(rfc3339: "2026-12-06T08:00:00Z"))
        sooner.expiresAt = .some(Timestamp(rfc3339: "2026-12-05T12:00:00Z"))
        _ = try await gallery.store.changeEvent(host.event, of: host.account, later)
        await #expect(throws: GalleryRefusal.endsBeforeItBegins) {
            _ = try await gallery.store.changeEvent(host.event, of: host.account, sooner)
        }
        let answer = try await gallery.call(
            "PATCH", "/events/\(host.event)", ["expiresAt": "2026-12-05T12:00:00.000Z"],
            token: gallery.token(host))
        #expect(answer.status == 422)
        #expect(answer.json["error"]?["fields"]?["expiresAt"] == ["must be after startsAt"])
        let event = try await gallery.store.event(host.event)
        #expect(
            event?.startsAt == later.startsAt
                && event?.expiresAt == Timestamp(rfc3339: "2026-12-06T10:00:00Z"))
    }

    @Test("the schema refuses it as well")
    func schema() async throws {
        let gallery = try GalleryGround()
        let host = try await gallery.host()
        #expect(try await gallery.store.moments(of: host.event, 1000, 1000) == .checkViolated)
        #expect(try await gallery.store.moments(of: host.event, 1000, 999) == .checkViolated)
        for (begin, end) in [(1000, 1001), (1000, nil), (nil, 1000)] as [(Int64?, Int64?)] {
            #expect(try await gallery.store.moments(of: host.event, begin, end) == nil)
        }
    }

    @Test(
        "an event of an older gallery that ends before it begins keeps its end", .onSQLite,
        arguments: OldGallery.versions.filter { $0 < 4 })
    func older(version: Int) async throws {
        let old = try OldGallery(version)
        try Connection(path: old.path, .readWrite).script(
            "UPDATE events SET starts_at = 9000, expires_at = 8000 WHERE name = 'Wedding'")
        let gallery = try GalleryGround(seed: 70, in: old.folder)
        let event = try #require(try await gallery.store.events(named: "Wedding").first)
        #expect(event.startsAt == nil && event.expiresAt == Timestamp(milliseconds: 8000))
    }
}

extension GalleryStore {
    fileprivate func take(_ event: String) throws -> Int64 { try nextSequence(of: event) }
    fileprivate func takeArrival(_ event: String) throws -> Int64 { try nextArrival(in: event) }
    fileprivate func takeStamp(_ account: String) throws -> Int64 { try nextStamp(of: account) }

    /// Writes past every rule of the store; what the database makes of it.
    fileprivate func moments(of event: String, _ begin: Int64?, _ end: Int64?) throws -> SQLFailure? {
        do {
            try database.run(
                "UPDATE events SET starts_at = ?, expires_at = ? WHERE id = ?", begin, end, event)
            return nil
        } catch let error as any SQLError {
            return error.failure
        }
    }
}
