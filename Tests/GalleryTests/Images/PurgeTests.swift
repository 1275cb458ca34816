import Basics
import HTTPServer
import TestSupport
import Testing

@testable import Gallery

/// What is taken back is told to caches outside, until they have heard it.
@Suite struct PurgeTests {
    /// Caches that note what they are told, and may be out of order for a while.
    private final class Caches: OutsideCaches {
        let told = Shared<[[String]]>([])
        let failures = Shared(0)

        func forget(_ urls: [String]) async throws(PurgeProblem) {
            told.change { $0.append(urls) }
            let fails = failures.change { left in
                left -= 1
                return left >= 0
            }
            if fails { throw PurgeProblem(description: "out of order") }
        }
    }

    private struct Party {
        let caches = Caches()
        let gallery: GalleryGround
        let host: GalleryGround.Host
        let kiss: JSONValue
        let cake: JSONValue
        let purger: Purger

        init(
            isWanted: Bool = true,
            _ more: [(key: String, value: JSONValue)] = [("allowsOriginals", .bool(true))]
        ) async throws {
            gallery = try GalleryGround {
                $0.images = ImageDelivery(.cdn("https://cdn.example"), purges: true)
            }
            host = try await gallery.host(event: .object([("name", "Wedding")] + more))
            kiss = try #require(try await gallery.upload("kiss", for: host))
            cake = try #require(try await gallery.upload("cake", for: host))
            purger = Purger(
                store: gallery.server.store, caches: caches, base: "https://cdn.example",
                time: gallery.wall.clock, log: GalleryLog { _, _ in })
            if isWanted { #expect(await purger.turn() == .nothing) }
        }

        var token: String { gallery.token(host) }
        func id(_ photo: JSONValue) throws -> String { try #require(photo["id"]?.string) }

        func keys(_ photos: [JSONValue], originals: Bool = true) -> Set<String> {
            let names = ["thumbKey", "screenKey"] + (originals ? ["originalKey"] : [])
            return Set(photos.flatMap { photo in names.compactMap { photo[$0]?.string } })
        }

        /// What is due now, told.
        func purge() async throws -> Set<String> {
            var found: Set<String> = []
            while case .told = await purger.turn() {
                let urls = caches.told.value.last ?? []
                #expect(urls.allSatisfy { $0.hasPrefix("https://cdn.example/images/") })
                found.formUnion(urls.map { String($0.dropFirst("https://cdn.example/images/".count)) })
            }
            return found
        }

        func change(_ path: String, _ wish: JSONValue) async throws {
            let changed = try await gallery.call("PATCH", path, wish, token: token)
            #expect(changed.status == 200, "\(changed)")
        }

        func sync(_ type: String, _ id: String, _ action: String, _ data: JSONValue) async throws {
            gallery.wall.go(.seconds(1))
            let synced = try await gallery.call(
                "POST", "/sync",
                [
                    "lastSync": .null,
                    "changes": [
                        [
                            "type": .string(type), "id": .string(id), "action": .string(action),
                            "updatedAt": gallery.wall.wallNow.json, "data": data,
                        ]
                    ],
                ], token: token)
            #expect(synced["rejected"]?.array == [], "\(synced)")
        }
    }

    private static let later = GalleryWall.start + .seconds(24 * 3600)

    enum Deed: CaseIterable, Sendable {
        case hide, delete, hideBySync, deleteBySync, pin, end, endBySync, originals, deleteEvent
        case deleteEventBySync, deleteAccount
    }

    @Test(
        "whatever takes images back from guests, by whatever way, caches are told of these",
        arguments: Deed.allCases)
    func deeds(deed: Deed) async throws {
        let party = try await Party()
        let event = party.host.event
        let kiss = try party.id(party.kiss)
        var wanted = party.keys([party.kiss, party.cake])
        switch deed {
        case .hide:
            try await party.change("/photos/\(kiss)", ["hidden": .bool(true)])
            wanted = party.keys([party.kiss])
        case .hideBySync:
            try await party.sync("photo", kiss, "upsert", ["hidden": .bool(true)])
            wanted = party.keys([party.kiss])
        case .delete:
            let gone = try await party.gallery.call("DELETE", "/photos/\(kiss)", token: party.token)
            #expect(gone.status == 204)
            wanted = party.keys([party.kiss])
        case .deleteBySync:
            try await party.sync("photo", kiss, "delete", ["hidden": .bool(false)])
            wanted = party.keys([party.kiss])
        case .pin: try await party.change("/events/\(event)", ["pin": "13579"])
        case .end: try await party.change("/events/\(event)", ["expiresAt": Self.later.json])
        case .endBySync: try await party.sync("event", event, "upsert", ["expiresAt": Self.later.json])
        case .originals:
            try await party.change("/events/\(event)", ["allowsOriginals": .bool(false)])
            wanted.subtract(party.keys([party.kiss, party.cake], originals: false))
        case .deleteEvent:
            let gone = try await party.gallery.call("DELETE", "/events/\(event)", token: party.token)
            #expect(gone.status == 204)
        case .deleteEventBySync: try await party.sync("event", event, "delete", ["name": "Wedding"])
        case .deleteAccount: try await party.gallery.store.deleteAccount(party.host.account)
        }
        #expect(try await party.purge() == wanted)
    }

    @Test("what no cache can have is told to none")
    func nothingToTell() async throws {
        let closed = try await Party([("pin", "13579")])
        try await closed.change("/photos/\(closed.id(closed.kiss))", ["hidden": .bool(true)])
        try await closed.change("/events/\(closed.host.event)", ["pin": "24680"])
        #expect(try await closed.purge() == [])
        let open = try await Party([])
        try await open.change(
            "/events/\(open.host.event)", ["name": "Other", "allowsOriginals": .bool(false)])
        try await open.change(
            "/photos/\(open.id(open.kiss))", ["rating": .integer(3), "hidden": .bool(false)])
        #expect(try await open.purge() == [])
        // Guests could not have originals.
        try await open.change("/photos/\(open.id(open.kiss))", ["hidden": .bool(true)])
        #expect(try await open.purge() == open.keys([open.kiss], originals: false))
    }

    @Test(
        "where nobody tells caches nothing is written down, and what was is dropped a day after the last who did"
    )
    func nobody() async throws {
        let party = try await Party(isWanted: false)
        try await party.change("/photos/\(party.id(party.kiss))", ["hidden": .bool(true)])
        #expect(try await party.gallery.totals().purges == 0)
        #expect(await party.purger.turn() == .nothing)
        try await party.change("/photos/\(party.id(party.cake))", ["hidden": .bool(true)])
        #expect(try await party.gallery.totals().purges == 3)
        party.gallery.wall.go(.seconds(23 * 3600))
        try await party.gallery.server.sweeper.sweep()
        #expect(try await party.gallery.totals().purges == 3)
        party.gallery.wall.go(.seconds(3600))
        try await party.gallery.server.sweeper.sweep()
        #expect(try await party.gallery.totals().purges == 0)
    }

    @Test("caches are told once more a minute after they have heard it, and then no more")
    func again() async throws {
        let party = try await Party()
        try await party.change("/photos/\(party.id(party.kiss))", ["hidden": .bool(true)])
        let keys = party.keys([party.kiss])
        #expect(try await party.purge() == keys)
        #expect(try await party.gallery.totals().purges == 0)
        party.gallery.wall.go(.seconds(59))
        #expect(try await party.purge() == [])
        party.gallery.wall.go(.seconds(1))
        #expect(try await party.purge() == keys)
        party.gallery.wall.go(.seconds(3600))
        #expect(try await party.purge() == [])
    }

    @Test("what is shown and hidden again is told anew, also while the first is still on its way")
    func hiddenAgain() async throws {
        let party = try await Party()
        let path = "/photos/\(try party.id(party.kiss))"
        try await party.change(path, ["hidden": .bool(true)])
        let under = try await party.gallery.store.takePurges(limit: 10)
        #expect(under.count == 3)
        try await party.change(path, ["hidden": .bool(false)])
        try await party.change(path, ["hidden": .bool(true)])
        // The first try has succeeded, before the photo was shown.
        try await party.gallery.store.told(under)
        #expect(try await party.gallery.totals().purges == 3)
        #expect(try await party.purge() == party.keys([party.kiss]))
    }

    @Test("caches that are out of order are told when they are well, and until then it is to be seen")
    func failing() async throws {
        let party = try await Party()
        party.caches.failures.change { $0 = 2 }
        try await party.change("/photos/\(party.id(party.kiss))", ["hidden": .bool(true)])
        for second in 1...2 {
            #expect(await party.purger.turn() == .failed("out of order"))
            party.gallery.wall.go(.seconds(1))
            let text = try await party.gallery.call("GET", "/metrics", peer: "127.0.0.1").text
            #expect(text.contains("\ngallery_purges_waiting 3\n"))
            #expect(text.contains("\ngallery_purge_oldest_seconds \(second)\n"))
        }
        #expect(try await party.purge() == party.keys([party.kiss]))
        let text = try await party.gallery.call("GET", "/metrics", peer: "127.0.0.1").text
        #expect(
            text.contains("\ngallery_purges_waiting 0\n")
                && text.contains("\ngallery_purge_oldest_seconds 0\n"))
    }

    @Test("what one node has taken no other tells, until its time is over")
    func nodes() async throws {
        let party = try await Party()
        try await party.change("/events/\(party.host.event)", ["pin": "13579"])
        let store = party.gallery.store
        let first = try await store.takePurges(limit: 4)
        let second = try await store.takePurges(limit: 4)
        #expect(first.count == 4 && second.count == 2)
        #expect(Set((first + second).map(\.key)) == party.keys([party.kiss, party.cake]))
        #expect(try await store.takePurges(limit: 4) == [])
        // Both have died with them.
        party.gallery.wall.go(GalleryStore.purgeLease)
        #expect(try await party.purge() == party.keys([party.kiss, party.cake]))
    }

    @Test("many are told at most a hundred at a time")
    func batches() async throws {
        let party = try await Party()
        for number in 0..<40 { try await party.gallery.upload("photo-\(number)", for: party.host) }
        try await party.change("/events/\(party.host.event)", ["pin": "13579"])
        #expect(try await party.purge().count == 3 * 42)
        #expect(party.caches.told.value.map(\.count) == [100, 26])
    }
}
