import Basics
import HTTPServer
import TestSupport
import Testing

@testable import Gallery

/// The list that the wall is laid out by is the list that its photos come from.
@Suite struct TimelineTests {
    @Test(
        "hours only go back: what has no time, or a later one than those above it, is in the hour that it stands in",
        arguments: [
            ([], []), ([21], ["21:1"]), ([nil, nil], ["-:2"]),
            ([nil, 21, nil, 21, 20], ["-:1", "21:3", "20:1"]),
            ([21, 20, 21, 20, 19], ["21:1", "20:3", "19:1"]),
        ] as [([Int64?], [String])])
    func hours(of photos: [Int64?], are expected: [String]) {
        var hours = HourRuns()
        for hour in photos { hours.add(hour: hour) }
        #expect(hours.runs.map { "\($0.hour.map(String.init) ?? "-"):\($0.photos.count)" } == expected)
        #expect(hours.runs.flatMap(\.photos).elementsEqual(photos.indices), "every photo is in one")
    }

    @Test("an hour is called by its beginning, also before 1970")
    func names() {
        let shown = Timestamp(rfc3339: "2026-11-21T21:59:59.999Z")
        #expect(HourRun(hour: shown?.hours, photos: 0..<1).text == "2026-11-21T21:00")
        #expect(HourRun(hour: Timestamp(milliseconds: -1).hours, photos: 0..<1).text == "1969-12-31T23:00")
    }

    @Test("what changes is applied to it as if all were read anew", arguments: 0..<UInt64(20))
    func changes(seed: UInt64) {
        var random = Seeded(seed)
        var known: [Int64: Timeline.Entry] = [:]
        var timeline = Timeline()
        for _ in 0..<40 {
            let changes = (0..<Int.random(in: 0...5, using: &random)).map { _ in
                let sequence = Int64.random(in: 1...60, using: &random)
                let moment = Int64.random(in: 0...20, using: &random)
                let entry = Timeline.Entry(moment: moment, sequence: sequence, hour: moment, shape: 18)
                return Timeline.Change(sequence: sequence, entry: Bool.random(using: &random) ? entry : nil)
            }
            // One photo changes once in what is read.
            let single = Dictionary(changes.map { ($0.sequence, $0) }) { first, _ in first }
            for (sequence, change) in single { known[sequence] = change.entry }
            timeline.apply(Array(single.values))
            #expect(timeline.entries == known.values.sorted { $0.isBefore($1) })
        }
    }

    /// What the page would show: photos in the order of the pieces, with the hours above them.
    private func wall(_ ground: TimeGround) async throws -> [String] {
        let timeline = try await ground.gallery.call("GET", "/e/\(ground.host.slug)/timeline")
        let ends = try #require(timeline["ends"]?.array, "\(timeline)").compactMap(\.string)
        var ids: [String] = []
        for (place, end) in ends.enumerated() {
            let cursor = place == 0 ? "" : "cursor=\(ends[place - 1])&"
            let piece = try await ground.gallery.call(
                "GET", "/e/\(ground.host.slug)/photos?\(cursor)until=\(end)&limit=120")
            let photos = try #require(piece["photos"]?.array, "\(piece)")
            #expect(photos.count == Timeline.piece || place == ends.count - 1)
            ids += photos.compactMap { $0["id"]?.string }
        }
        let count = try #require(timeline["count"]?.integer)
        #expect(Int(count) == ids.count)
        // All are as wide as three of two.
        #expect(timeline["shapes"]?.string == String(repeating: "c", count: ids.count))
        let hours = try #require(timeline["hours"]?.array)
        #expect(hours.compactMap { $0["count"]?.integer }.reduce(0, +) == count)
        return hours.map { "\($0["hour"]?.string ?? "-") \($0["count"]?.integer ?? 0)" } + ids
    }

    private func list(_ ground: TimeGround) async throws -> [String] {
        var (ids, cursor) = ([String](), "")
        while true {
            let page = try await ground.gallery.call(
                "GET", "/e/\(ground.host.slug)/photos?limit=200\(cursor)")
            ids += try #require(page["photos"]?.array).compactMap { $0["id"]?.string }
            guard let next = page["next"]?.string else { return ids }
            cursor = "&cursor=\(next)"
        }
    }

    @Test("the pieces that a timeline names have all photos in their order, after whatever changes")
    func pieces() async throws {
        let ground = try await TimeGround()
        for number in 0..<103 {
            let minute = number % 60 < 10 ? "0\(number % 60)" : "\(number % 60)"
            try await ground.shoot("photo-\(number)", "2026-11-21T\(19 + number / 60):\(minute):00")
        }
        let first = try await wall(ground)
        #expect(Array(first.prefix(2)) == ["2026-11-21T20:00 43", "2026-11-21T19:00 60"])
        #expect(try await list(ground) == Array(first.dropFirst(2)))

        let token = ground.gallery.token(ground.host)
        let photo = try #require(first.last)
        _ = try await ground.gallery.call("PATCH", "/photos/\(photo)", ["hidden": .bool(true)], token: token)
        #expect(try await wall(ground) == ["2026-11-21T20:00 43", "2026-11-21T19:00 59"] + list(ground))
        _ = try await ground.gallery.call("DELETE", "/photos/\(first[2])", token: token)
        _ = try await ground.gallery.call("PATCH", "/photos/\(photo)", ["hidden": .bool(false)], token: token)
        #expect(try await wall(ground) == ["2026-11-21T20:00 42", "2026-11-21T19:00 60"] + list(ground))
        try await ground.shoot("a-late-one", "2026-11-21T18:30:00")
        #expect(try await wall(ground).contains("2026-11-21T18:00 1"))
        try await ground.shift("Nikon Z 8", by: 3600)
        let moved = try await wall(ground)
        #expect(
            Array(moved.prefix(3)) == ["2026-11-21T21:00 42", "2026-11-21T20:00 60", "2026-11-21T19:00 1"])
        #expect(try await list(ground) == Array(moved.dropFirst(3)))
    }

    @Test("who has the timeline already is told so until something changes")
    func tags() async throws {
        let ground = try await TimeGround()
        try await ground.shoot("one", "2026-11-21T19:00:00")
        func ask(_ tag: String? = nil) async throws -> GalleryGround.Answer {
            try await ground.gallery.call(
                "GET", "/e/\(ground.host.slug)/timeline",
                headers: tag.map { [HTTPHeader("If-None-Match", $0)] } ?? [])
        }
        let tag = try #require(try await ask().header("ETag"))
        #expect(try await ask(tag).status == 304)
        try await ground.shoot("two", "2026-11-21T19:30:00")
        let changed = try await ask(tag)
        #expect(changed.status == 200 && changed["count"]?.integer == 2 && changed["last"]?.integer == 2)
        #expect(changed["hours"]?.array?.first?["cursor"] == .null)
    }

    @Test("hearts and comments change nothing of it, so that it is neither made nor sent anew; a photo does")
    func reactions() async throws {
        let ground = try await ReactionGround()
        func ask(_ tag: String? = nil) async throws -> GalleryGround.Answer {
            try await ground.gallery.call(
                "GET", "/e/\(ground.host.slug)/timeline",
                headers: tag.map { [HTTPHeader("If-None-Match", $0)] } ?? [])
        }
        let tag = try #require(try await ask().header("ETag"))
        #expect(try await ground.guest().give(ground.photos[0]).status == 200)
        #expect(try await ground.guest().write("Lovely", of: ground.photos[1]).status == 201)
        #expect(try await ask(tag).status == 304)
        #expect(try await ask().header("ETag") == tag)
        _ = try #require(try await ground.gallery.upload("dance", for: ground.host))
        let changed = try await ask(tag)
        #expect(changed.status == 200 && changed["count"]?.integer == 3)
        let later = try #require(changed.header("ETag"))
        #expect(later != tag)
        try await ground.change("/photos/\(ground.photos[0])", ["hidden": .bool(true)])
        #expect(try await ask(later)["count"]?.integer == 2)
    }

    @Test("a list begins at any photo that guests may see, and at no other")
    func window() async throws {
        let ground = try await TimeGround()
        for minute in 10..<15 { try await ground.shoot("photo-\(minute)", "2026-11-21T19:\(minute):00") }
        let ids = try await list(ground)
        func ask(_ query: String) async throws -> GalleryGround.Answer {
            try await ground.gallery.call("GET", "/e/\(ground.host.slug)/photos?\(query)")
        }
        let window = try await ask("at=\(ids[2])&limit=2")
        #expect(try #require(window["photos"]?.array).compactMap { $0["id"]?.string } == Array(ids[2...3]))
        for query in ["until=nothing", "at=\(ids[2])&until=0"] {
            #expect(try await ask(query).status == 422, "\(query)")
        }
        _ = try await ground.gallery.call(
            "PATCH", "/photos/\(ids[2])", ["hidden": .bool(true)], token: ground.gallery.token(ground.host))
        for id in [ids[2], "no-id", "11111111-1111-4111-8111-111111111111"] {
            #expect(try await ask("at=\(id)").status == 404, "\(id)")
        }
        let search = try await ask(
            "q=photo&until=\(try #require(window["photos"]?.array?.first?["position"]?.string))")
        #expect(search["photos"]?.array?.count == 2, "\(search)")
    }

    @Test("hundreds who ask at once have it read a few times, also where there is no room to keep it for all")
    func together() async throws {
        let ground = try await TimeGround()
        for minute in 10..<15 { try await ground.shoot("photo-\(minute)", "2026-11-21T19:\(minute):00") }
        let other = try await ground.gallery.call(
            "POST", "/events", ["name": "Another"], token: ground.gallery.token(ground.host))
        let events = [ground.host.event, try #require(other["id"]?.string)]
        let cache = TimelineCache(reader: ground.gallery.server.reader, mostPhotos: 4)
        let reader = ground.gallery.server.reader
        let before = reader.figures.buckets.reduce(0, +)
        let answers = try await withThrowingTaskGroup(of: Int?.self) { group in
            for number in 0..<300 {
                group.addTask {
                    let answer = try #require(try await cache.answer(for: events[number % 2], at: 1))
                    guard case .bytes(let bytes) = answer.response.body else { return nil }
                    let whole = try JSON5.parse(String(decoding: bytes, as: UTF8.self))
                    return whole["data"]?["count"]?.integer.map { Int($0) }
                }
            }
            return try await group.reduce(into: [:]) { $0[$1, default: 0] += 1 }
        }
        #expect(answers == [5: 150, 0: 150])
        #expect(reader.figures.buckets.reduce(0, +) - before < 100)
        #expect(try await cache.answer(for: "no event", at: 1) == nil)
    }
}
