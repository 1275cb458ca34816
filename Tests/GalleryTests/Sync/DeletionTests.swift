import Basics
import HTTPServer
import TestSupport
import Testing

@testable import Gallery

@Suite struct DeletionTests {
    private let event = TestIDs.id(1)

    private func ground() async throws -> SyncGround {
        let ground = try await SyncGround()
        try await ground.sync([ground.change("event", event, ["name": "Wedding"])])
        ground.ground.wall.go(.seconds(1))
        return ground
    }

    @Test("deleting a photo puts all its files among the removals, and says so to clients")
    func photo() async throws {
        let ground = try await ground()
        let photo = try await ground.store.putPhoto(event, owner: ground.owner.id, number: 1)
        let other = try await ground.store.putPhoto(event, owner: ground.owner.id, number: 2)
        let before = try await ground.sync()
        let keys = try await ground.store.photoKeys(photo)
        #expect(try await ground.store.deletePhoto(photo, of: ground.owner.id) == event)
        let due = try await ground.store.removals()
        #expect(Set(due.keys) == Set(keys) && keys.count == 3)
        #expect(due.values.allSatisfy { $0 == ground.now.milliseconds })
        let told = try await ground.sync(since: before.timestamp)
        #expect(told.changes.count == 1)
        #expect(told[photo]?["action"] == "delete" && told[photo]?["data"] == nil)
        #expect(told[photo]?["deletedAt"] == .string(ground.text(ground.now)))
        #expect(try await ground.store.number("SELECT photos FROM event_counts") == 1)
        #expect(try await ground.sync()[other]?["action"] == "upsert")
        #expect(try await ground.store.deletePhoto(photo, of: ground.owner.id) == nil)
        #expect(try await ground.store.deletePhoto(other, of: TestIDs.id(9)) == nil)
    }

    @Test("deleting a photo by sync removes its files as well, and it does not come back")
    func bySync() async throws {
        let ground = try await ground()
        let photo = try await ground.store.putPhoto(event, owner: ground.owner.id, number: 1)
        let keys = try await ground.store.photoKeys(photo)
        ground.ground.wall.go(.seconds(1))
        let reply = try await ground.sync([ground.change("photo", photo)])
        #expect(reply[photo]?["action"] == "delete")
        #expect(Set(try await ground.store.removals().keys) == Set(keys))
        ground.ground.wall.go(.seconds(1))
        let back = try await ground.sync([ground.change("photo", photo, ["caption": "Back"])])
        #expect(back.codes == ["GONE"])
        #expect(back[photo]?["action"] == "delete")
        guard case .photoDeleted(let gone, in: let place, _) = ground.changes.value.last else {
            Issue.record("\(ground.changes.value)")
            return
        }
        #expect(gone.id == photo && place.id == event && place.counts.photos == 0)
    }

    @Test("an older delete than the last change removes nothing")
    func olderDelete() async throws {
        let ground = try await ground()
        let photo = try await ground.store.putPhoto(event, owner: ground.owner.id, number: 1)
        let reply = try await ground.sync([
            ground.change("photo", photo, at: ground.now + .milliseconds(-1))
        ])
        #expect(reply[photo]?["action"] == "upsert")
        #expect(try await ground.store.removals().isEmpty)
    }

    @Test("deleting an event takes its photos, albums, files and open uploads with it")
    func wholeEvent() async throws {
        let ground = try await ground()
        let album = TestIDs.id(2)
        try await ground.sync([ground.change("album", album, ["name": "x", "eventId": .string(event)])])
        var keys: Set<String> = []
        for number in 0..<3 {
            let photo = try await ground.store.putPhoto(event, owner: ground.owner.id, number: number)
            keys.formUnion(try await ground.store.photoKeys(photo))
        }
        let later = ground.now + .seconds(300)
        _ = try await ground.store.putUpload(event, owner: ground.owner.id, key: "open", until: later)
        _ = try await ground.store.putUpload(event, owner: ground.owner.id, key: "over", until: ground.now)
        try await ground.store.fail("over", with: "STORAGE_ERROR")
        let before = try await ground.sync()
        #expect(try await ground.store.deleteEvent(event, of: TestIDs.id(9)) == false)
        #expect(try await ground.store.deleteEvent(event, of: ground.owner.id))
        let due = try await ground.store.removals()
        #expect(Set(due.keys) == keys.union(["open", "over"]))
        // A client with the upload URL may use it until then.
        #expect(due["open"] == later.milliseconds)
        #expect(due.filter { $0.key != "open" }.values.allSatisfy { $0 == ground.now.milliseconds })
        let told = try await ground.sync(since: before.timestamp)
        #expect(told.changes.count == 5 && told.changes.allSatisfy { $0["action"] == "delete" })
        #expect(
            try await ground.store.number("SELECT count(*) FROM uploads WHERE error_code = 'EVENT_GONE'")
                == 2)
        #expect(try await ground.store.number("SELECT photos + bytes + pending FROM event_counts") == 0)
        #expect(try await ground.store.deleteEvent(event, of: ground.owner.id) == false)
    }

    @Test("a newer change brings an event back, without the photos that went with it")
    func eventReturns() async throws {
        let ground = try await ground()
        let photo = try await ground.store.putPhoto(event, owner: ground.owner.id, number: 1)
        ground.ground.wall.go(.seconds(1))
        try await ground.sync([ground.change("event", event)])
        ground.ground.wall.go(.seconds(1))
        let reply = try await ground.sync([ground.change("event", event, ["name": "After all"])])
        #expect(reply[event]?["action"] == "upsert")
        #expect(reply[event]?["data"]?["name"] == "After all")
        #expect(try await ground.sync()[photo]?["action"] == "delete")
    }

    @Test("deleting here is newer than what a client with a fast clock did before")
    func newerThanFastClock() async throws {
        let ground = try await ground()
        let photo = try await ground.store.putPhoto(event, owner: ground.owner.id, number: 1)
        let fast = ground.now + .seconds(240)
        try await ground.sync([ground.change("photo", photo, ["rating": .integer(1)], at: fast)])
        #expect(try await ground.store.deletePhoto(photo, of: ground.owner.id) == event)
        let told = try await ground.sync()
        #expect(told[photo]?["updatedAt"] == .string(ground.text(fast + .milliseconds(1))))
    }
}
