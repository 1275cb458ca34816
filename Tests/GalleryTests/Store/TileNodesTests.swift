import Basics
import Database
import TestSupport
import Testing

@testable import Gallery

/// Nodes of the eighth version of the tables, which know no tiles, beside nodes that do: what such a program writes, deletes
/// and takes back, by the statements that it has.
@Suite(.withPostgres, .timeLimit(.minutes(Cases.minutesOfHang)))
struct TileNodesTests {
    private struct Cluster {
        let hall: NodesHall
        let photo: String
        let tile: String

        init() async throws {
            hall = try await NodesHall()
            let store = hall.nodes[0].store
            let upload = try await hall.landed("kiss")
            let made = try await NodesHall.photo("kiss", store, hasTile: true)
            let next = try await store { try $0.nextToProcess(except: []) }
            guard let next, next.row.id == upload else { throw Surprise("there is nothing to be worked on") }
            guard
                case .photo(let id) = try await store({ try $0.complete(upload, key: next.key, with: made) })
            else {
                throw Surprise("it became no photo")
            }
            photo = id
            tile = try #require(made.renditions.tile?.key)
        }

        /// What the program of the version before does.
        func older(_ deed: @escaping @Sendable (any SQLSession) throws -> Void) async throws {
            try await aside { [database = hall.database] in
                try deed(try database.server.session(database.name))
            }
        }

        func due() async throws -> [String] {
            // A minute behind, whatever clock the deletion was noted by.
            hall.wall.go(.seconds(60))
            return try await hall.nodes[1].store { try $0.dueRemovals(limit: 10) }
        }
    }

    /// The version before lists these of a photo, and no others.
    private static let known = ["thumb_key", "screen_key", "original_key", "stream_key"]

    @Test("what it makes has no tile")
    func written() async throws {
        let cluster = try await Cluster()
        let (event, account) = (cluster.hall.event, cluster.hall.account)
        try await cluster.older { old in
            try old.run(
                """
                INSERT INTO photos (id, event_id, owner_id, sequence, sha256, content_type, size, width, height,
                    created_at, thumb_key, screen_key, original_key, thumb_size, screen_size, thumb_width,
                    thumb_height, updated_at, stamp)
                    VALUES (?, ?, ?, 900, repeat('b', 64), 'image/jpeg', 1, 1, 1, 1, 'k1', 'k2', 'k3', 1, 1, 1, 1, 1, 900)
                """, TestIDs.id(3), event, account)
        }
        let photo = try await cluster.hall.nodes[1].store { try $0.database.photo(TestIDs.id(3)) }
        #expect(photo != nil && photo?.tile == nil)
        let other = try await cluster.hall.nodes[1].store { [id = cluster.photo] in try $0.database.photo(id)
        }
        #expect(other?.tile == Photo.Tile(key: cluster.tile, size: 7, width: 800))
    }

    @Test("what it deletes leaves no tile behind: the sweeper of any node is told")
    func deleted() async throws {
        let cluster = try await Cluster()
        #expect(try await cluster.due() == [])
        let (now, photo) = (cluster.hall.wall.wallNow.milliseconds, cluster.photo)
        try await cluster.older { old in
            _ = try old.transaction {
                for column in Self.known {
                    try old.run(
                        """
                        INSERT INTO removals (object_key, due_at)
                            SELECT \(column), ? FROM photos WHERE id = ? AND \(column) IS NOT NULL
                        """, now, photo)
                }
                try old.run("UPDATE photos SET deleted_at = ?, updated_at = ? WHERE id = ?", now, now, photo)
            }
        }
        let due = try await cluster.due()
        #expect(due.contains(cluster.tile) && due.count == 4, "\(due)")
        // A change of what is deleted already does not bring it back.
        try await cluster.hall.nodes[0].store { [tile = cluster.tile] in try $0.removed(tile) }
        try await cluster.older {
            try $0.run("UPDATE photos SET deleted_at = ? WHERE id = ?", now + 1, photo)
        }
        #expect(try await cluster.due().count == 3)
    }

    @Test("an account that it deletes leaves no tile behind")
    func account() async throws {
        let cluster = try await Cluster()
        let account = cluster.hall.account
        try await cluster.older { try $0.run("DELETE FROM accounts WHERE id = ?", account) }
        #expect(try await cluster.due().contains(cluster.tile))
    }

    @Test("caches are told of the tile of what it takes back, and once more where it does so again")
    func takenBack() async throws {
        let cluster = try await Cluster()
        let (now, photo) = (cluster.hall.wall.wallNow.milliseconds, cluster.photo)
        func hide(at moment: Int64) async throws {
            try await cluster.older { old in
                try old.run(
                    """
                    INSERT INTO purges (object_key, noted_at, due_at)
                        SELECT thumb_key, CAST(?1 AS BIGINT), CAST(?1 AS BIGINT) FROM photos WHERE id = ?2
                        UNION ALL SELECT screen_key, ?1, ?1 FROM photos WHERE id = ?2
                        ON CONFLICT (object_key) DO UPDATE SET noted_at = greatest(excluded.noted_at, purges.noted_at + 1),
                            due_at = excluded.due_at, told = 0
                    """, moment, photo)
            }
        }
        try await hide(at: now)
        let store = cluster.hall.nodes[1].store
        let first = try await store { try $0.takePurges(limit: 10) }
        #expect(first.count == 3 && first.contains { $0.key == cluster.tile })
        // Told twice, it is not told again because another is tried again.
        let isOther: @Sendable (DuePurge) -> Bool = { [tile = cluster.tile] in $0.key != tile }
        for _ in 0..<2 { try await store { try $0.told(first.filter { !isOther($0) }) } }
        try await store { try $0.giveBack(first.filter(isOther)) }
        #expect(try await store { try $0.takePurges(limit: 10) }.count == 2)
        try await hide(at: now + 1)
        cluster.hall.wall.go(.seconds(300))
        let again = try await store { try $0.takePurges(limit: 10) }
        #expect(again.count == 3 && again.contains { $0.key == cluster.tile })
    }

    @Test(
        "an event of many photos is taken back twice and deleted, whatever the same session has done before")
    func many() async throws {
        let cluster = try await Cluster()
        let (event, account) = (cluster.hall.event, cluster.hall.account)
        try await cluster.older { old in
            try old.run(Self.manyPhotos, event, account)
            // PostgreSQL plans what triggers ask for what they are called for first.
            try old.run("UPDATE photos SET rating = 1 WHERE sequence = 1001")
            try old.run("INSERT INTO purges (object_key, noted_at, due_at) VALUES (repeat('0', 32), 1, 1)")
            try old.run("UPDATE purges SET due_at = 2")
            for moment in [10, 20] as [Int64] {
                let takeBack = """
                    INSERT INTO purges (object_key, noted_at, due_at)
                        SELECT thumb_key, CAST(?1 AS BIGINT), CAST(?1 AS BIGINT) FROM photos
                        UNION ALL SELECT screen_key, ?1, ?1 FROM photos
                        ON CONFLICT (object_key) DO UPDATE SET noted_at = excluded.noted_at, due_at = excluded.due_at,
                            told = 0
                    """
                try Self.readsFew(old) { _ = try old.run(takeBack, moment) }
            }
            try Self.readsFew(old) { _ = try old.run("UPDATE photos SET deleted_at = 30, updated_at = 30") }
        }
        let found = try await cluster.hall.nodes[1].store { store in
            try ["removals", "purges WHERE noted_at = 20 AND object_key IN (SELECT tile_key FROM photos)"].map
            {
                try store.number("SELECT count(*) FROM \($0)")
            }
        }
        #expect(found == [Self.photos + 1, Self.photos + 1])
        // What a trigger is given of its statement is counted nowhere, and has no index: two such tables were joined by
        // loops once, which took minutes for twenty thousand photos.
        let joining = try await cluster.hall.nodes[1].store { store in
            try store.number(
                "SELECT count(*) FROM pg_trigger WHERE tgname LIKE 'tile%' AND num_nulls(tgoldtable, tgnewtable) = 0"
            )
        }
        #expect(joining == 0)
    }

    private static let photos = 3_000

    /// What is done with all photos reads each of them a few times, and not all of them for each.
    private static func readsFew(_ session: any SQLSession, _ deed: () throws -> Void) throws {
        try session.transaction {
            try deed()
            let read = try session.first(
                """
                SELECT sum(seq_tup_read + coalesce(idx_tup_fetch, 0))::bigint AS read
                    FROM pg_stat_xact_user_tables WHERE relname IN ('photos', 'purges', 'removals')
                """
            ) { try $0["read"] as Int }
            #expect((photos..<photos * 20).contains(try #require(read)))
        }
    }

    private static let manyPhotos = """
        INSERT INTO photos (id, event_id, owner_id, sequence, sha256, content_type, size, width, height, created_at,
                thumb_key, screen_key, original_key, tile_key, tile_size, tile_width,
                thumb_size, screen_size, thumb_width, thumb_height, updated_at, stamp)
            SELECT lpad(n::text, 8, '0') || '-0000-4000-8000-000000000000', ?, ?, 1000 + n, lpad(n::text, 64, '0'),
                'image/jpeg', 1, 1, 1, 1, 'a' || k, 'b' || k, 'c' || k, 'd' || k, 7, 800, 1, 1, 1, 1, 1, 1000 + n
                FROM (SELECT n, lpad(n::text, 31, '0') AS k FROM generate_series(1, \(photos)) AS n) AS made
        """
}
