import Basics
import Database
import Postgres
import TestSupport
import Testing

@testable import Gallery

/// What one node brings that another has overtaken, and what is found of changes that no node has heard of.
@Suite(.withPostgres, .timeLimit(.minutes(Cases.minutesOfHang))) struct NodesLateTests {
    private static let ours = UploadStateMachine.Failure(.storage, "try again")

    @Test("an upload that was refused and is tried again is any node's, not the one's that had it")
    func retried() async throws {
        let hall = try await NodesHall()
        let upload = try await hall.landed("kiss")
        let (event, account) = (hall.event, hall.account)
        let (first, other) = (hall.nodes[0].store, hall.nodes[1].store)
        let taken = try #require(try await first { try $0.nextToProcess(except: []) })
        try await first { try $0.refused(upload, key: taken.key, Self.ours) }
        _ = try await first { try $0.retry(upload, ofEvent: event, of: account) }
        try await first { try $0.renewLeases(of: []) }
        #expect(try await other { try $0.nextToProcess(except: []) }?.row.id == upload)
    }

    @Test("a lease is renewed for what a node works on, and for nothing that it only has the name at")
    func renewed() async throws {
        let hall = try await NodesHall()
        let upload = try await hall.landed("kiss")
        let (first, other) = (hall.nodes[0].store, hall.nodes[1].store)
        _ = try #require(try await first { try $0.nextToProcess(except: []) })
        for (isWorkedOn, isTaken) in [(true, false), (false, true)] {
            _ = try await first { try $0.database.run("UPDATE uploads SET leased_until = 0") }
            try await first { try $0.renewLeases(of: isWorkedOn ? [upload] : []) }
            #expect(try await (other { try $0.nextToProcess(except: []) } != nil) == isTaken)
        }
    }

    @Test("what a node cannot do is another's at once, and stays so whatever the first says of it later")
    func givenBack() async throws {
        let hall = try await NodesHall()
        let upload = try await hall.landed("kiss")
        let (first, other) = (hall.nodes[0].store, hall.nodes[1].store)
        let taken = try #require(try await first { try $0.nextToProcess(except: []) })
        #expect(taken.row.id == upload && taken.row.starts == 1)
        for _ in 0..<2 {
            #expect(try await first { try $0.giveBack(upload, key: taken.key, within: .seconds(60)) })
        }
        #expect(try await first { try $0.upload(upload) }?.starts == 0)
        let again = try #require(try await other { try $0.nextToProcess(except: []) })
        #expect(again.row.id == upload && again.row.starts == 1)
        #expect(try await first { try $0.giveBack(upload, key: taken.key, within: .seconds(60)) })
        #expect(try await first { try $0.nextToProcess(except: []) } == nil)
        // Its bytes came too long ago.
        hall.wall.go(.seconds(60))
        #expect(try await !other { try $0.giveBack(upload, key: taken.key, within: .seconds(60)) })
    }

    private func photo(_ text: String, _ hall: NodesHall) async throws -> (upload: String, key: String) {
        let upload = try await hall.landed(text)
        let store = hall.nodes[0].store
        var taken = try #require(try await store { try $0.nextToProcess(except: []) })
        while taken.row.id != upload {
            taken = try #require(try await store { try $0.nextToProcess(except: []) })
        }
        let photo = try await NodesHall.photo(text, store)
        _ = try await store { [taken] in try $0.complete(upload, key: taken.key, with: photo) }
        return (upload, taken.key)
    }

    @Test("an upload that is worked on once more keeps its photo's original")
    func twin() async throws {
        let hall = try await NodesHall()
        let store = hall.nodes[0].store
        let (upload, key) = try await photo("kiss", hall)
        _ = try await store {
            try $0.database.run(
                "UPDATE uploads SET status = 'processing', photo_id = NULL, completed_at = NULL, leased_until = 0"
            )
        }
        _ = try #require(try await store { try $0.nextToProcess(except: []) })
        let again = try await NodesHall.photo("kiss", store)
        guard case .sameAs = try await store({ try $0.complete(upload, key: key, with: again) }) else {
            Issue.record("its bytes are a photo already")
            return
        }
        #expect(try await store { try $0.database.count("FROM removals WHERE object_key = ?", key) } == 0)
    }

    @Test("an upload that is asked for again while another node finds its bytes stays found")
    func replayed() async throws {
        let hall = try await NodesHall()
        let (account, store) = (hall.account, hall.nodes[0].store)
        let wish = UploadWish(
            event: hall.event, contentType: "image/jpeg", contentLength: 10, idempotencyKey: "kiss")
        let place = try await store { try $0.presign(wish, for: account, consent: 1) }
        // Its place is over, so that it would be given another.
        hall.wall.go(.seconds(301))
        let database = hall.database
        let asking = try await aside {
            let finder = try database.server.session(database.name)
            return try finder.transaction {
                try finder.run("SELECT 1 AS locked FROM accounts WHERE id = ? FOR UPDATE", account)
                try finder.run(
                    "UPDATE uploads SET status = 'processing', object_key = ?, arrival = 1 WHERE id = ?",
                    place.key,
                    place.upload.id)
                let asking = Task { try await store { try $0.presign(wish, for: account, consent: 1) } }
                try database.server.wait(for: 1, at: finder, of: database.name)
                return asking
            }
        }
        #expect(try await asking.value.upload.intent.state == .processing(key: place.key))
        let row = try await store { try $0.upload(place.upload.id) }
        #expect(row?.intent.state == .processing(key: place.key))
    }

    @Test("a place that was listed before its bytes were found keeps them")
    func listed() async throws {
        let hall = try await NodesHall()
        let (account, event) = (hall.account, hall.event)
        let store = hall.nodes[0].store
        let wish = UploadWish(
            event: event, contentType: "image/jpeg", contentLength: 10, idempotencyKey: "kiss")
        let place = try await store { try $0.presign(wish, for: account, consent: 1) }
        hall.wall.go(.seconds(25 * 3600))
        let listed = try #require(try await store { try $0.endedPlaces(limit: 10) }.first)
        #expect(listed == EndedPlace(key: place.key, isWanted: true))
        #expect(try await store { try $0.landed(place.key) })
        try await store { try $0.forget(listed) }
        #expect(try await store { try $0.database.count("FROM removals") } == 0)
        #expect(
            try await store { try $0.upload(place.upload.id) }?.intent.state == .processing(key: place.key))
        // Nor is a photo's file removed, however its key came among those that are.
        let (_, key) = try await photo("cake", hall)
        try await store { try $0.removeSoon([key]) }
        #expect(try await store { try $0.dueRemovals(limit: 10) } == [])
    }

    @Test(
        "of several changes that have one sign the last is what counts", arguments: [[100, 50], [50, 100]])
    func signs(stamps: [Int64]) async throws {
        let hall = try await NodesHall()
        let store = hall.nodes[0].store
        for (kind, stamp) in zip([ChangeKind.photo, .photoGone], stamps) {
            _ = try await store {
                try $0.database.run(
                    """
                    INSERT INTO changes (event_id, stamp, kind, changed_at)
                    VALUES ('e', ?, ?, (extract(epoch FROM clock_timestamp()) * 1000)::bigint)
                    """, stamp, kind.rawValue)
            }
        }
        let signs = try await hall.nodes[1].reader { try $0.recentSigns(within: .seconds(60)) }
        #expect(signs[ChangeSign(event: "e", forgets: .images)] == 100)
    }

    @Test("news of which nothing can be told any more are behind those that are read next")
    func passed() async throws {
        let hall = try await NodesHall()
        let store = hall.nodes[0].store
        _ = try await store {
            try $0.database.run(
                """
                INSERT INTO changes (event_id, stamp, kind, subject, changed_at)
                SELECT 'gone', number, 'photo', 'none', 0 FROM generate_series(1, 700) AS number
                """)
        }
        let first = try await hall.nodes[1].reader { try $0.news(of: "gone", after: 0) }
        #expect(first.items.isEmpty && first.isMore && first.last == 500)
        let second = try await hall.nodes[1].reader { try $0.news(of: "gone", after: first.last) }
        #expect(second.items.isEmpty && !second.isMore && second.last == 700)
    }

    @Test(
        "many photos of an event are deleted, hidden and moved in time by few statements, and counted right")
    func many() async throws {
        let hall = try await NodesHall(credits: 450)
        let store = hall.nodes[0].store
        for number in 0..<450 { _ = try await photo("photo \(number)", hall) }
        let (account, event) = (hall.account, hall.event)
        _ = try await store {
            try $0.database.run("UPDATE photos SET hidden = 1 WHERE event_id = ? AND sequence <= 50", event)
        }
        let counts = try #require(try await store { try $0.event(event) }).counts
        #expect(counts.photos == 450 && counts.visible == 400 && counts.bytes == 4500)
        _ = try await store { try $0.database.run("DELETE FROM photos WHERE sequence = 1") }
        _ = try await store {
            try $0.database.run("UPDATE photos SET clock = 1760000000000 + sequence, clock_offset = NULL")
        }
        try await store { store in try store.write { try store.retime(event) } }
        let times = try await store {
            try $0.database.all("SELECT sequence, shown_at FROM photos ORDER BY sequence") {
                (try $0.get("sequence", as: Int64.self), try $0.get("shown_at", as: Int64.self))
            }
        }
        #expect(times.count == 449 && times.allSatisfy { $1 == 1_760_000_000_000 + $0 })
        #expect(try await store { try $0.deleteEvent(event, of: account) })
        let left = try await store {
            try $0.database.count("FROM event_counts WHERE photos + visible + bytes = 0")
        }
        #expect(left == 1)
    }
}
