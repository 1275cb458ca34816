import Basics
import Database
import TestSupport
import Testing

@testable import Gallery

/// A list that is read in pieces while photos arrive with any time at all.
@Suite struct OrderTests {
    @Test("photos without any time stand where they came")
    func untimed() async throws {
        let ground = try await TimeGround(["name": "Wedding", "timeZone": "UTC"])
        try await ground.shoot("before", "2026-11-22T11:00:00")
        try await ground.shoot("untimed")
        try await ground.shoot("after", "2026-11-22T12:00:00")
        #expect(try await ground.list() == ["after 12:00", "untimed", "before 11:00"])
    }

    @Test(
        "every photo that was there is on one page, once, whatever arrives while one turns them",
        arguments: 1...5)
    func paging(seed: UInt64) async throws {
        let ground = try await TimeGround(["name": "Wedding", "timeZone": "Europe/Vienna"])
        var random = Seeded(seed)
        func arrive(_ name: String) async throws {
            // Many of one second, as of a burst; some without a time.
            let second = Int.random(in: 10..<40, using: &random)
            let clock = Bool.random(using: &random) ? "2026-11-21T20:15:\(second)" : nil
            try await ground.shoot(name, clock)
        }
        for number in 0..<30 { try await arrive("\(number)") }
        var known: [String] = []
        var cursor: String?
        repeat {
            let query = cursor.map { "&cursor=\($0)" } ?? ""
            let page = try await ground.gallery.call("GET", "/e/\(ground.host.slug)/photos?limit=7\(query)")
            let photos = try #require(page["photos"]?.array, "\(page)")
            known += photos.compactMap { $0["id"]?.string }
            #expect(cursor == nil || photos.count <= 7)
            cursor = page["next"]?.string
            if cursor != nil { try await arrive("late\(known.count)") }
        } while cursor != nil && known.count < 100
        #expect(Set(known).count == known.count, "none twice")
        let all = try await ground.gallery.call("GET", "/e/\(ground.host.slug)/photos?limit=200")
        let photos = try #require(all["photos"]?.array)
        let first = photos.filter { ($0["sequence"]?.integer ?? 0) <= 30 }.compactMap { $0["id"]?.string }
        #expect(known.filter(first.contains) == first, "in one order, and all of them")
        let positions = photos.compactMap { $0["position"]?.string.flatMap(PhotoCursor.init) }
        #expect(positions.count == photos.count && positions == positions.sorted(by: >))
    }

    @Test(
        "a list is read by its index, however many photos there are, also of the best",
        arguments: [false, true])
    func index(showsHidden: Bool) async throws {
        let ground = try await TimeGround()
        var filter = PhotoFilter()
        (filter.rating, filter.showsHidden) = (3, showsHidden)
        let plan = try await ground.gallery.store.plan(filter)
        // Neither database sorts.
        #expect(plan.contains(/(USING INDEX|Index Scan using) photos_by_time/), "\(plan)")
        #expect(!plan.contains("TEMP B-TREE") && !plan.contains("Sort"), "\(plan)")
    }

    @Test(
        "a place that was given out is read again, and what was not is none",
        arguments: [
            "", "_", "1", "1_", "_1", "1_0", "+1_1", "01_1", "1_01", "1_-1", "1_1_1", "9999999999999999_1",
            "a_b", "1.1",
        ])
    func places(text: String) {
        #expect(PhotoCursor(text) == nil)
        for place in [
            PhotoCursor(Timestamp(milliseconds: -5), 3), PhotoCursor(Timestamp(milliseconds: 0), 1),
        ] {
            #expect(PhotoCursor(place.text) == place)
        }
    }
}

extension GalleryStore {
    fileprivate func plan(_ filter: PhotoFilter) throws -> String {
        let values: [any Storable] = [
            "e", Int64.max, Int64.max, filter.rating, filter.showsHidden, filter.limit,
        ]
        // Of a few photos PostgreSQL would rather read them all.
        if database.dialect == .postgres { try database.run("SET enable_seqscan = off") }
        let explain =
            database.dialect == .postgres ? ("EXPLAIN", "QUERY PLAN") : ("EXPLAIN QUERY PLAN", "detail")
        var lines: [String] = []
        try database.execute("\(explain.0) \(filter.statement)", values) { row in
            lines.append(try row.get(explain.1, as: String.self))
            return true
        }
        return lines.joined(separator: "; ")
    }
}
