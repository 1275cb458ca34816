import Basics
import Bridge
import HTTPServer
import TestSupport
import Testing

@testable import Gallery

/// What a transaction has changed is handed on when it is durable, whichever operation it was.
@Suite struct ChangeTests {
    private struct Ground {
        let gallery: GalleryGround
        let host: GalleryGround.Host
        let changes = Shared<[GalleryChange]>([])

        init() async throws {
            gallery = try GalleryGround()
            host = try await gallery.host()
            gallery.store.onCommit { [changes] new in changes.change { $0 += new } }
        }

        /// Those that came of a call.
        func changes(_ body: () async throws -> Void) async throws -> [GalleryChange] {
            changes.change { $0 = [] }
            try await body()
            return changes.value
        }
    }

    @Test(
        "an account that is deleted takes every event with it that it has at that moment, also one just made")
    func account() async throws {
        let ground = try await Ground()
        let store = ground.gallery.store
        let account = ground.host.account
        var wish = EventWish()
        wish.name = "Just made"
        let gone = try await store.makeEvent(wish, for: account)
        _ = try await store.deleteEvent(gone.id, of: account)
        let late = try await store.makeEvent(wish, for: account)
        let guest = try await ground.gallery.call("GET", "/e/\(late.slug)/live")
        let changes = try await ground.changes { try await store.deleteAccount(account) }
        await ground.gallery.settle()
        #expect(changes.count == 2)
        #expect(
            changes.contains(.eventDeleted(ground.host.event)) && changes.contains(.eventDeleted(late.id)))
        #expect(try #require(guest.stream).isOver)
    }

    @Test("what is done in the name of an account that was deleted meanwhile is refused, and nothing ends")
    func accountGone() async throws {
        let ground = try await Ground()
        let store = ground.gallery.store
        let account = ground.host.account
        try await store.deleteAccount(account)
        await #expect(throws: GalleryRefusal.accountGone) {
            _ = try await store.makeEvent(EventWish(), for: account)
        }
        let change = try SyncChange(
            [
                "type": "event", "id": .string(TestIDs.id(8)), "action": "upsert",
                "updatedAt": ground.gallery.wall.wallNow.json, "data": ["name": "x"],
            ])
        await #expect(throws: GalleryRefusal.accountGone) { _ = try await store.push([change], of: account) }
    }

    @Test("uploads that never came are told with the event's counts")
    func nothingCame() async throws {
        let ground = try await Ground()
        let event = ground.host.event
        let place = try await ground.gallery.place("kiss", Array("kiss".utf8), for: ground.host)
        let upload = try #require(place["uploadId"]?.string)
        ground.gallery.wall.go(.seconds(7 * 86_400))
        let changes = try await ground.changes { try await ground.gallery.store.nothingCame(to: upload) }
        guard case .countsChanged(let counted, _)? = changes.last else {
            Issue.record("\(changes)")
            return
        }
        #expect(counted.id == event && counted.counts.pending == 0)
    }

    @Test("a photo that comes, changes and goes is told with its event as it is then")
    func photo() async throws {
        let ground = try await Ground()
        let store = ground.gallery.store
        var id = ""
        let came = try await ground.changes {
            id = try #require(try await ground.gallery.upload("kiss", for: ground.host)?["id"]?.string)
        }
        guard case .photoAdded(let new, in: let event)? = came.last else {
            Issue.record("\(came)")
            return
        }
        #expect(new.id == id && event.counts.photos == 1)
        var wish = PhotoWish()
        wish.isHidden = true
        let hidden = try await ground.changes {
            _ = try await store.changePhoto(id, of: ground.host.account, wish)
        }
        guard case .photoChanged(let photo, in: let after)? = hidden.last else {
            Issue.record("\(hidden)")
            return
        }
        #expect(hidden.count == 1 && photo.isHidden && after.counts.visible == 0 && after.counts.photos == 1)
        let deleted = try await ground.changes {
            _ = try await store.deletePhoto(id, of: ground.host.account)
        }
        guard case .photoDeleted(let gone, in: let end, let stamp)? = deleted.last else {
            Issue.record("\(deleted)")
            return
        }
        #expect(deleted.count == 1 && gone.thumbKey == photo.thumbKey && end.counts.photos == 0)
        #expect(stamp > photo.stamp)
    }

    @Test("a transaction that fails has changed nothing")
    func failure() async throws {
        let ground = try await Ground()
        let changes = try await ground.changes {
            await #expect(throws: GalleryRefusal.notFound(.photo)) {
                _ = try await ground.gallery.store.changePhoto(
                    TestIDs.id(1), of: ground.host.account, PhotoWish())
            }
            await #expect(throws: Surprise.self) {
                try await ground.gallery.store.failAfterNoting(ground.host.event)
            }
        }
        #expect(changes == [])
    }

    @Test("an event's change is told by what it means for those who look")
    func event() async throws {
        let ground = try await Ground()
        let event = ground.host.event
        func change(_ set: (inout EventWish) -> Void) async throws -> [GalleryChange] {
            var wish = EventWish()
            set(&wish)
            return try await ground.changes {
                _ = try await ground.gallery.store.changeEvent(event, of: ground.host.account, wish)
            }
        }
        #expect(try await change { $0.name = "Another" } == [])
        #expect(try await change { $0.pinHash = .some("x") } == [.accessChanged(to: event)])
        #expect(try await change { $0.allowsOriginals = true } == [.originalsGiven(in: event)])
        #expect(try await change { $0.allowsOriginals = false } == [.originalsWithdrawn(in: event)])
        let renewed = try await ground.changes { _ = try await ground.gallery.store.renewKey(of: event) }
        #expect(renewed == [.accessChanged(to: event)])
        let other = try await ground.gallery.host("bob@example.org").account
        let refused = try await ground.changes {
            let foreign = try await ground.gallery.store.renewKey(of: event, by: other)
            #expect(foreign == nil)
        }
        #expect(refused == [])
    }
}

extension GalleryStore {
    fileprivate func failAfterNoting(_ event: String) throws {
        try write {
            note(.accessChanged(to: event))
            throw Surprise("the transaction fails")
        }
    }
}
