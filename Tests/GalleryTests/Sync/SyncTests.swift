import Basics
import HTTPServer
import TestSupport
import Testing

@testable import Gallery

@Suite struct SyncTests {
    private let event = TestIDs.id(1)
    private let album = TestIDs.id(2)

    @Test("an event and its album that were made offline are made here, whatever their order in the call")
    func makes() async throws {
        let ground = try await SyncGround()
        let reply = try await ground.sync([
            ground.change(
                "album", album, ["eventId": .string(event), "name": "Church", "order": .integer(3)]),
            ground.change("event", event, ["name": "Anna & Ben", "startsAt": "2026-12-05T10:00:00Z"]),
        ])
        #expect(reply.rejected.isEmpty)
        #expect(reply[event]?["data"]?["name"] == "Anna & Ben")
        #expect(reply[event]?["data"]?["startsAt"] == "2026-12-05T10:00:00.000Z")
        let slug = try #require(reply[event]?["data"]?["slug"]?.string)
        #expect(slug.hasPrefix("anna-ben-"))
        #expect(
            reply[album]?["data"]
                == ["eventId": .string(event), "name": "Church", "order": .integer(3)])
        // The album is shown to the client that syncs, and to no other.
        #expect(ground.changes.value == [.accessChanged(to: event)])
    }

    @Test("the newer change stays, an older one is answered with what stays, though it was told before")
    func lastWriteWins() async throws {
        let ground = try await SyncGround()
        let first = try await ground.sync([ground.change("event", event, ["name": "First"])])
        ground.ground.wall.go(.seconds(10))
        let newer = try await ground.sync(
            [ground.change("event", event, ["name": "Newer"])], since: first.timestamp)
        #expect(newer[event]?["data"]?["name"] == "Newer")
        for age in [-5, 0] {
            let old = ground.change("event", event, ["name": "Older"], at: ground.now + .seconds(age))
            let reply = try await ground.sync([old], since: newer.timestamp)
            #expect(reply.rejected.isEmpty)
            #expect(reply[event]?["data"]?["name"] == "Newer")
            #expect(reply.timestamp == newer.timestamp)
        }
        let quiet = try await ground.sync(since: newer.timestamp)
        #expect(quiet.changes.isEmpty && quiet.timestamp == newer.timestamp)
    }

    @Test("one bad change is named and explained, and the others are taken")
    func rejections() async throws {
        let ground = try await SyncGround()
        let reply = try await ground.sync([
            ground.change("event", event, ["name": "Good"]),
            ground.change("event", TestIDs.id(3), ["name": ""]),
            ground.change("event", TestIDs.id(4), ["slug": "no-name"]),
            ground.change("guest", TestIDs.id(5), ["name": "x"]),
            ground.change("event", "not-a-uuid", ["name": "x"]),
            ground.change("photo", TestIDs.id(6), ["caption": "x"]),
            ground.change("album", TestIDs.id(7), ["name": "x", "eventId": .string(TestIDs.id(99))]),
            ground.change("event", TestIDs.id(8), ["name": "x"], at: ground.now + .milliseconds(300_001)),
            ground.change("event", TestIDs.id(9)),
            "nonsense", .object([]),
            ground.change("event", TestIDs.id(10), ["name": "Also good"]),
        ])
        let found = reply.rejected.map { [$0["id"], $0["code"]].map { $0?.string ?? "-" } }
        #expect(
            Set(found) == [
                [TestIDs.id(3), "UNPROCESSABLE"], [TestIDs.id(4), "UNPROCESSABLE"],
                [TestIDs.id(5), "UNPROCESSABLE"], ["not-a-uuid", "UNPROCESSABLE"],
                [TestIDs.id(6), "NOT_FOUND"], [TestIDs.id(7), "NOT_FOUND"],
                [TestIDs.id(8), "CLOCK_AHEAD"], [TestIDs.id(9), "NOT_FOUND"], ["-", "UNPROCESSABLE"],
            ])
        #expect(found.count == 10)
        #expect(reply.rejected.allSatisfy { $0["message"]?.string?.isEmpty == false })
        #expect(Set(reply.changes.compactMap { $0["id"]?.string }) == [event, TestIDs.id(10)])
    }

    @Test("more than a thousand changes, or none said at all, are refused as a whole")
    func limits() async throws {
        let ground = try await SyncGround()
        let thousand = (0..<1000).map {
            ground.change("event", TestIDs.id($0), ["name": .string("Event \($0)")])
        }
        let reply = try await ground.sync(thousand)
        #expect(reply.changes.count == 1000 && reply.rejected.isEmpty)
        for body: JSONValue in [
            ["changes": .array(thousand + thousand.prefix(1))], ["lastSync": .null],
            ["lastSync": .integer(5), "changes": []], ["changes": "none"],
        ] {
            let error = try await AccountGround.refusal {
                try await ground.endpoint.sync(AccountGround.post(body), of: ground.owner)
            }
            #expect(error?.code == .unprocessable)
        }
    }

    @Test("what is another account's looks as if it were not there")
    func foreign() async throws {
        let ground = try await SyncGround()
        try await ground.sync([ground.change("event", event, ["name": "Mine"])])
        let photo = try await ground.store.putPhoto(event, owner: ground.owner.id, number: 1)
        let other = try await ground.ground.accounts.addUser(
            email: "other@example.org", name: "Other", password: "correct horse")
        ground.ground.wall.go(.seconds(1))
        let reply = try await ground.sync(
            [
                ground.change("event", event, ["name": "Stolen"]), ground.change("event", event),
                ground.change("photo", photo, ["caption": "Stolen"]), ground.change("photo", photo),
                ground.change("album", album, ["name": "In it", "eventId": .string(event)]),
            ], by: other)
        #expect(reply.codes == Array(repeating: "NOT_FOUND", count: 5))
        #expect(reply.changes.isEmpty)
        #expect(try await ground.sync()[event]?["data"]?["name"] == "Mine")
    }

    @Test("a slug has one event: the second who asks for it is told, and a slug that is cleared stays")
    func slugs() async throws {
        let ground = try await SyncGround()
        let reply = try await ground.sync([
            ground.change("event", event, ["name": "A", "slug": "anna-ben"]),
            ground.change("event", TestIDs.id(3), ["name": "B", "slug": "anna-ben"]),
            ground.change("event", TestIDs.id(4), ["name": "C", "slug": "Not A Slug"]),
        ])
        #expect(reply.codes == ["UNPROCESSABLE", "CONFLICT"])
        ground.ground.wall.go(.seconds(1))
        let cleared = try await ground.sync([
            ground.change("event", event, ["slug": .null, "expiresAt": .null])
        ])
        #expect(cleared[event]?["data"]?["slug"] == "anna-ben")
    }

    @Test("an event that would end before it begins is refused, whichever of the two is changed")
    func moments() async throws {
        let ground = try await SyncGround()
        let never = TestIDs.id(3)
        let (early, late): (JSONValue, JSONValue) = ("2026-12-05T10:00:00Z", "2026-12-06T10:00:00Z")
        let reply = try await ground.sync([
            ground.change("event", event, ["name": "Ann", "startsAt": early, "expiresAt": late]),
            ground.change("event", never, ["name": "Ben", "startsAt": late, "expiresAt": early]),
        ])
        #expect(reply.codes == ["UNPROCESSABLE"] && reply.rejected.first?["id"]?.string == never)
        #expect(reply[event] != nil && reply[never] == nil)
        for wrong in [["startsAt": late], ["expiresAt": early], ["startsAt": late, "name": "x"]]
            as [JSONValue]
        {
            ground.ground.wall.go(.seconds(1))
            let reply = try await ground.sync([ground.change("event", event, wrong)])
            #expect(reply.codes == ["UNPROCESSABLE"], "\(wrong)")
            #expect(reply[event]?["data"]?["name"] == "Ann", "nothing of it is taken")
        }
        ground.ground.wall.go(.seconds(1))
        #expect(
            try await ground.sync([ground.change("event", event, ["startsAt": late, "expiresAt": .null])])
                .codes
                .isEmpty)
    }

    @Test("a photo's fields change, what is left out stays, and albums of another event are refused")
    func photoFields() async throws {
        let ground = try await SyncGround()
        let otherEvent = TestIDs.id(3)
        let otherAlbum = TestIDs.id(4)
        try await ground.sync([
            ground.change("event", event, ["name": "A"]), ground.change("event", otherEvent, ["name": "B"]),
            ground.change("album", album, ["name": "x", "eventId": .string(event)]),
            ground.change("album", otherAlbum, ["name": "y", "eventId": .string(otherEvent)]),
        ])
        let photo = try await ground.store.putPhoto(event, owner: ground.owner.id, number: 1)
        ground.ground.wall.go(.seconds(1))
        let data: JSONValue = [
            "caption": "The rings", "rating": .integer(5), "tags": ["rings", "church"], "hidden": .bool(true),
            "albumIds": [.string(album), .string(album)],
        ]
        let first = try await ground.sync([ground.change("photo", photo, data)])
        let told = first[photo]?["data"]
        for key in ["caption", "rating", "tags", "hidden"] { #expect(told?[key] == data[key], "\(key)") }
        #expect(told?["albumIds"] == [.string(album)])
        #expect(told?["thumbKey"]?.string?.utf8.count == 32)
        ground.ground.wall.go(.seconds(1))
        let second = try await ground.sync([
            ground.change("photo", photo, ["rating": .integer(2)]),
            ground.change(
                "photo", photo, ["albumIds": [.string(otherAlbum)], "rating": .integer(1)],
                at: ground.now + .seconds(1)),
        ])
        #expect(second.codes == ["NOT_FOUND"])
        #expect(second[photo]?["data"]?["rating"] == .integer(2))
        #expect(second[photo]?["data"]?["caption"] == "The rings")
        #expect(second[photo]?["data"]?["albumIds"] == [.string(album)])
    }

    @Test("pulls come in pages that miss nothing and say whether there is more")
    func pages() async throws {
        let ground = try await SyncGround(pulls: 7)
        try await ground.sync(
            (0..<20).map { ground.change("event", TestIDs.id($0), ["name": .string("Event \($0)")]) })
        var last: JSONValue = .null
        var seen: [String] = []
        var counts: [Int] = []
        var isMore = true
        while isMore {
            let reply = try await ground.sync(since: last)
            seen += reply.changes.compactMap { $0["id"]?.string }
            counts.append(reply.changes.count)
            last = reply.timestamp
            isMore = reply.isMore
        }
        #expect(counts == [7, 7, 6])
        #expect(seen == (0..<20).map(TestIDs.id))
    }

    @Test("a timestamp that this server never gave is of before its backup was put back: all is told")
    func afterRestore() async throws {
        let ground = try await SyncGround()
        try await ground.sync([ground.change("event", event, ["name": "A"])])
        let ahead = JSONValue.string(ground.text(ground.now + .seconds(3600)))
        #expect(try await ground.sync(since: ahead).changes.count == 1)
    }

    @Test("stamps follow the order of the calls though the server's clock is set back")
    func clockSetBack() async throws {
        let ground = try await SyncGround()
        let first = try await ground.sync([ground.change("event", event, ["name": "A"])])
        ground.ground.wall.set(by: .seconds(-3600))
        let second = try await ground.sync(
            [ground.change("event", TestIDs.id(3), ["name": "B"])], since: first.timestamp)
        #expect(second.changes.compactMap { $0["id"]?.string } == [TestIDs.id(3)])
    }

    @Test(
        "made slugs are what guests can type, and none is like another",
        arguments: [
            ("Anna & Ben", "anna-ben-"), ("  ", ""), ("Ångström’s 50 år", "angstroms-50-ar-"), ("結婚式", ""),
            (String(repeating: "long ", count: 40), "long-long-long-long-long-long-long-long-"),
        ])
    func slugNames(name: String, start: String) throws {
        let random = SeededSource(5)
        let slugs = (0..<20).map { _ in EventSlug.made(from: name, random: random) }
        #expect(Set(slugs).count == 20)
        for slug in slugs {
            #expect(slug.hasPrefix(start) && slug.utf8.count == start.utf8.count + 10, "\(slug)")
            _ = try EventSlug.rule.read(.string(slug))
        }
    }
}
