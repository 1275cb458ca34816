import Basics
import Database
import HTTPServer
import Postgres
import TestSupport
import Testing

@testable import Gallery

/// Two nodes with one database.
@Suite(.withPostgres, .timeLimit(.minutes(Cases.minutesOfHang))) struct GuestUploadNodesTests {
    @Test("a device is the same at both nodes, another one is none at either, and limits hold over both")
    func devices() async throws {
        let nodes = try await ReactionNodes(ReactionGround.open, photos: [])
        let ann = nodes.ground.guest()
        let upload = try await ann.begun(6)
        let moved = nodes.moved(ann)
        let version = [HTTPHeader("Tus-Resumable", "1.0.0")]
        #expect(try await moved.send("GET", "uploads/tus/\(upload)", headers: version).status == 200)
        let bob = nodes.ground.guest(at: nodes.other)
        #expect(try await bob.append("abc", at: 0, to: upload).status == 404)
        #expect(try await moved.ask("DELETE", "uploads/\(upload)").status == 204)
        for number in 1..<50 {
            let guest = number.isMultiple(of: 2) ? ann : moved
            let next = try await guest.begun(3)
            #expect(try await guest.ask("DELETE", "uploads/\(next)").status == 204)
        }
        #expect(try await ann.begin(3).status == 429)
        #expect(try await moved.begin(3).status == 429)
    }

    @Test(
        "many guests' photos worked on by both nodes at once: no more than the event gives, and each paid for"
    )
    func storm() async throws {
        let hall = try await NodesHall(names: ["a", "b", "c"])
        let (account, event) = (hall.account, hall.event)
        var change = EventWish()
        change.guestUploads.isAllowed = true
        change.guestUploads.credits = .some(7)
        _ = try await hall.nodes[0].store { [change] in try $0.changeEvent(event, of: account, change) }
        for number in 0..<20 {
            let wish = UploadWish(event: event, contentType: "image/jpeg", contentLength: 10)
            let guest = GuestDevice(id: "device \(number)", event: event)
            try await hall.nodes[number % 3].store { store in
                let upload = try store.beginTus(wish, metadata: "", by: guest, name: "", consent: 1)
                let key = try #require(try store.openPlaces(of: upload.id).first)
                _ = try store.landed(key)
            }
        }
        try await withThrowingTaskGroup { group in
            for node in hall.nodes {
                for _ in 0..<2 {
                    group.addTask {
                        while let next = try await node.store({ try $0.nextToProcess(except: []) }) {
                            let photo = try await NodesHall.photo(next.row.id, node.store)
                            _ = try await node.store {
                                try $0.complete(next.row.id, key: next.key, with: photo)
                            }
                        }
                    }
                }
            }
            try await group.waitForAll()
        }
        let terms = try #require(try await hall.nodes[0].store { try $0.event(event) }).guestUploads
        #expect(terms.spent == 7 && terms.waiting == 7 && terms.limit == 7)
        let credits = try await hall.nodes[0].store { try $0.account(account) }?.credits
        #expect(credits == 93)
    }

    @Test("a program of the version before makes no photo of what a guest has brought")
    func olderProgram() async throws {
        let nodes = try await ReactionNodes(ReactionGround.open, photos: [])
        try await nodes.ground.guest().bring("dance")
        let database = try #require(nodes.ground.gallery.ground.postgres)
        let (account, event) = (nodes.ground.host.account, nodes.ground.host.event)
        let refused = try await aside { () throws -> PostgresError? in
            let session = try database.server.session(database.name)
            let key = try session.first("SELECT object_key FROM uploads") {
                try $0.get("object_key", as: String.self)
            }
            func insert(_ original: String?) throws {
                try session.run(
                    """
                    INSERT INTO photos (id, event_id, owner_id, sequence, sha256, content_type, size, width, height,
                        created_at, thumb_key, screen_key, original_key, thumb_size, screen_size, thumb_width,
                        thumb_height, updated_at, stamp)
                        VALUES (?, ?, ?, 1, repeat('a', 64), 'image/jpeg', 1, 1, 1, 1, 'k1', 'k2', ?, 1, 1, 1, 1, 1, 1)
                    """, TestIDs.id(3), event, account, original)
            }
            let refused = #expect(throws: PostgresError.self) { try insert(key) }
            // What a host has brought it makes into photos as before.
            try insert("k3")
            return refused
        }
        // PostgreSQL's code for what a function of the schema's raises.
        #expect(refused?.state == "P0001")
        #expect(refused?.message == "what guests bring is for a newer version of the program")
        let store = nodes.ground.gallery.store
        #expect(try await store.number("SELECT count(*) FROM photos") == 1)
        #expect(try await store.number("SELECT count(*) FROM photos WHERE original_key = 'k3'") == 1)
    }
}
