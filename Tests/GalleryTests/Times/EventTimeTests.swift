import Basics
import HTTPServer
import TestSupport
import Testing

@testable import Gallery

/// An evening's photos, in the order in which they were taken, at the times that the hall's clock showed.
@Suite struct EventTimeTests {
    @Test(
        "until a phone or the host tells the zone, times are as cameras showed them; then moments, shown as before"
    )
    func guess() async throws {
        let ground = try await TimeGround()
        try await ground.shoot("dinner", "2026-11-21T20:15:00")
        #expect(try await ground.photo("dinner")["capturedAt"] == "2026-11-21T20:15:00.000Z")
        #expect(try await ground.photo("dinner")["capturedOffset"] == .null)
        #expect(try await ground.event()["timeZone"] == .null)
        // A guest's phone, which knows where it is, before and after dinner.
        try await ground.shoot("toast", "2026-11-21T20:05:00", offset: 60, camera: "iPhone 15")
        try await ground.shoot("cake", "2026-11-21T20:25:00", offset: 60, camera: "iPhone 15")
        let event = try await ground.event()
        #expect(event["timeZone"] == "+01:00" && event["timeZoneSource"] == "photos")
        #expect(try await ground.list() == ["cake 20:25", "dinner 20:15", "toast 20:05"])
        let dinner = try await ground.photo("dinner")
        #expect(
            dinner["capturedAt"] == "2026-11-21T19:15:00.000Z" && dinner["capturedOffset"] == .integer(60))
        #expect(dinner["localTime"] == "2026-11-21T20:15:00.000")
    }

    @Test("the most cameras are believed, and the host more than all of them")
    func voices() async throws {
        let ground = try await TimeGround()
        try await ground.shoot("a", "2026-11-22T04:00:00", offset: 540, camera: "From Tokyo")
        try await ground.shoot("b", "2026-11-22T04:01:00", offset: 540, camera: "From Tokyo")
        #expect(try await ground.event()["timeZone"] == "+09:00")
        try await ground.shoot("c", "2026-11-21T20:02:00", offset: 60, camera: "iPhone 15")
        #expect(try await ground.event()["timeZone"] == "+09:00", "one against one, and the first stays")
        try await ground.shoot("d", "2026-11-21T20:03:00", offset: 60, camera: "iPhone 14")
        #expect(try await ground.event()["timeZone"] == "+01:00")
        #expect(try await ground.list() == ["d 20:03", "c 20:02", "b 20:01", "a 20:00"])
        let set = try await ground.change(["timeZone": "Asia/Kathmandu"])
        #expect(set["timeZone"] == "Asia/Kathmandu" && set["timeZoneSource"] == "host")
        #expect(try await ground.list() == ["d 00:48", "c 00:47", "b 00:46", "a 00:45"])
        try await ground.change(["timeZone": .null])
        #expect(try await ground.list() == ["d 20:03", "c 20:02", "b 20:01", "a 20:00"])
    }

    @Test("what is shown is what is found, by the minute and by the day, past midnight too")
    func search() async throws {
        let ground = try await TimeGround(["name": "Wedding", "timeZone": "Europe/Vienna"])
        try await ground.shoot("dance", "2026-11-21T23:50:00")
        try await ground.shoot("kiss", "2026-11-21T18:10:00", offset: -300, camera: "iPhone from New York")
        try await ground.shoot("toast", "2026-11-21T21:30:00")
        #expect(try await ground.list() == ["kiss 00:10", "dance 23:50", "toast 21:30"])
        #expect(try await ground.list("21:30") == ["toast 21:30"])
        #expect(try await ground.list("00:10") == ["kiss 00:10"])
        #expect(try await ground.list("18:10") == [], "that time was never shown")
        #expect(try await ground.list("2026-11-22") == ["kiss 00:10"])
        #expect(try await ground.list("2026-11-21") == ["dance 23:50", "toast 21:30"])
        #expect(try await ground.list("2026-11-21 23:5") == ["dance 23:50"])
        let page = try await ground.gallery.call("GET", "/e/\(ground.host.slug)")
        #expect(page.text.contains("<time datetime=\"2026-11-22T00:10\">00:10</time>"))
        #expect(page.text.contains("<time datetime=\"2026-11-21T21:30\">21:30</time>"))
    }

    @Test("in the night when clocks are set back, photos keep their order, and clocks show an hour twice")
    func night() async throws {
        let ground = try await TimeGround(["name": "Wedding", "timeZone": "Europe/Vienna"])
        // Before the test's calendar. A phone tells each moment.
        try await ground.shoot("one", "2026-10-25T02:30:00", offset: 120, camera: "iPhone 15")
        try await ground.shoot("two", "2026-10-25T02:10:00", offset: 60, camera: "iPhone 15")
        try await ground.shoot("three", "2026-10-25T03:00:00", offset: 60, camera: "iPhone 15")
        #expect(try await ground.list() == ["three 03:00", "two 02:10", "one 02:30"])
        // A camera does not: before and after that hour there is no doubt, and in it the moment is unknown.
        try await ground.shoot("before", "2026-10-25T01:59:00")
        try await ground.shoot("after", "2026-10-25T03:01:00")
        let order = ["after 03:01", "three 03:00", "two 02:10", "one 02:30", "before 01:59"]
        #expect(try await ground.list() == order)
        #expect(try await ground.photo("before")["capturedOffset"] == .integer(120))
        #expect(try await ground.photo("after")["capturedOffset"] == .integer(60))
    }

    @Test(
        "a camera that was never set right is, by its host: in order, as shown and as found, at once and back"
    )
    func shift() async throws {
        let ground = try await TimeGround(["name": "Wedding", "timeZone": "Europe/Vienna"])
        try await ground.shoot("kiss", "2026-11-21T20:00:00")
        try await ground.shoot("ring", "2026-11-21T12:01:00", camera: "Left on home time", serial: "77")
        try await ground.shoot("tear", "2026-11-21T12:02:00", camera: "Left on home time", serial: "77")
        let before = ["kiss 20:00", "tear 12:02", "ring 12:01"]
        #expect(try await ground.list() == before)
        let seen = try await ground.cameras()
        #expect(seen.count == 2 && seen[0]["serial"] == "77" && seen[0]["photos"] == .integer(2))
        #expect(
            seen[0]["firstTime"] == "2026-11-21T12:01:00.000"
                && seen[0]["lastTime"] == "2026-11-21T12:02:00.000")
        let stamp = try await ground.gallery.store.lastStamp(ofEvent: ground.host.event)
        let live = try await ground.gallery.call("GET", "/e/\(ground.host.slug)/live?after=\(stamp)")
        let stream = try #require(live.stream)

        let moved = try await ground.shift("Left on home time", by: 8 * 3600)
        #expect(moved.status == 200 && moved["correctionSeconds"] == .integer(28_800), "\(moved)")
        #expect(try await ground.list() == ["tear 20:02", "ring 20:01", "kiss 20:00"])
        #expect(try await ground.list("20:01") == ["ring 20:01"])
        #expect(try await ground.list("12:01") == [])
        #expect(text(stream).contains("event: reset"), "who watches reads the list anew")
        try await ground.shoot("song", "2026-11-21T12:03:00", camera: "Left on home time", serial: "77")
        #expect(try await ground.list().first == "song 20:03", "what comes later is shifted as well")

        let back = try await ground.shift("Left on home time", by: nil)
        #expect(back["shiftSeconds"] == .null && back["correctionSeconds"] == .integer(0))
        #expect(try await ground.list() == ["kiss 20:00", "song 12:03"] + before.dropFirst())
    }

    private func text(_ stream: EventStream) -> String {
        var bytes = [UInt8](repeating: 0, count: 1 << 16)
        guard case .bytes(let count) = bytes.withUnsafeMutableBytes({ stream.take(into: $0) }) else {
            return ""
        }
        return String(decoding: bytes.prefix(count), as: UTF8.self)
    }

    @Test("clients that were away are told of photos that have other times now, each once, and of no others")
    func sync() async throws {
        let ground = try await TimeGround(["name": "Wedding", "timeZone": "Europe/Vienna"])
        for minute in 10..<15 {
            try await ground.shoot("\(minute)", "2026-11-21T20:\(minute):00", camera: minute < 13 ? "A" : "B")
        }
        let token = ground.gallery.token(ground.host)
        func pull(_ last: JSONValue) async throws -> GalleryGround.Answer {
            try await ground.gallery.call("POST", "/sync", ["lastSync": last, "changes": []], token: token)
        }
        let first = try await pull(.null)
        try await ground.shift("A", by: 60)
        let changes = try await pull(try #require(first["serverTimestamp"]))
        let told = (changes["changes"]?.array ?? []).compactMap { $0["data"]?["filename"]?.string }
        #expect(told.sorted() == ["10", "11", "12"])
        let ten = changes["changes"]?.array?.first { $0["data"]?["filename"] == "10" }
        #expect(ten?["data"]?["localTime"] == "2026-11-21T20:11:00.000")
        let again = try await pull(try #require(changes["serverTimestamp"]))
        #expect(again["changes"] == [])
    }

    @Test("the bridge's measure sets a clock right, where neither satellites nor the host know better")
    func measured() async throws {
        let ground = try await TimeGround(["name": "Wedding", "timeZone": "Europe/Vienna"])
        try await ground.shoot("right", "2026-11-21T12:00:00", camera: "A", ahead: 3602)
        try await ground.shoot("fast", "2026-11-21T12:50:00", camera: "B", ahead: 3600 + 3000)
        try await ground.shoot(
            "seen", "2026-11-21T12:20:00", satellites: "2026-11-21T11:20:03", camera: "C", ahead: -500)
        #expect(try await ground.list() == ["seen 12:20", "fast 12:00", "right 11:59"])
        let measured = try await ground.cameras().first { $0["model"] == "B" }
        #expect(measured?["clockAheadSeconds"] == .integer(6600))
        #expect(measured?["correctionSeconds"] == .integer(-3000) && measured?["shiftSeconds"] == .null)
        try await ground.shift("B", by: -600)
        #expect(try await ground.list().first == "fast 12:40")
        try await ground.shift("B", by: nil)
        #expect(try await ground.list() == ["seen 12:20", "fast 12:00", "right 11:59"])
    }

    @Test("a measured clock alone tells the zone, so that times are shown as clocks there showed them")
    func measuredZone() async throws {
        let ground = try await TimeGround()
        try await ground.shoot("right", "2026-11-21T12:00:00", camera: "A", ahead: 3602)
        #expect(try await ground.event()["timeZone"] == "+01:00")
        #expect(try await ground.list() == ["right 11:59"])
        #expect(try await ground.photo("right")["capturedAt"] == "2026-11-21T10:59:58.000Z")
    }

    @Test("a measure that is another the next time makes no other upload of it")
    func sameUpload() async throws {
        let ground = try await TimeGround()
        let first = try await ground.presign("a", ahead: 3600)
        let again = try await ground.presign("a", ahead: 3607)
        #expect(first.status == 201 && again.status == 200 && again["uploadId"] == first["uploadId"])
        #expect(try await ground.presign("b", ahead: 9_000_000_000).status == 422)
    }

    @Test(
        "a time zone that is none is refused, and one that this server does not know as well, with what helps"
    )
    func refusals() async throws {
        let ground = try await TimeGround()
        for zone: JSONValue in ["+25:00", "../../etc/passwd", "", .integer(1)] {
            #expect(try await ground.change(["timeZone": zone]).status == 422, "\(zone)")
        }
        let unknown = try await ground.change(["timeZone": "Europe/Atlantis"])
        #expect(unknown.status == 409 && unknown.text.contains("a difference such as +01:00"), "\(unknown)")
        #expect(try await ground.event()["timeZone"] == .null)
        try await ground.shoot("a", "2026-11-21T12:00:00")
        for shift: JSONValue in ["1", .integer(4_000_000_000), .double(0.5)] {
            let id = try #require(try await ground.cameras().first?["id"]?.string)
            let answer = try await ground.gallery.call(
                "PATCH", "/events/\(ground.host.event)/cameras/\(id)", ["shiftSeconds": shift],
                token: ground.gallery.token(ground.host))
            #expect(answer.status == 422, "\(shift)")
        }
    }

    @Test("a camera of one event cannot be shifted by way of another")
    func elsewhere() async throws {
        let ground = try await TimeGround()
        try await ground.shoot("a", "2026-11-21T12:00:00")
        let id = try #require(try await ground.cameras().first?["id"]?.string)
        let other = try await ground.gallery.host("other@example.org")
        let answer = try await ground.gallery.call(
            "PATCH", "/events/\(other.event)/cameras/\(id)", ["shiftSeconds": .integer(60)],
            token: ground.gallery.token(other))
        #expect(answer.status == 404)
        #expect(try await ground.list() == ["a 12:00"])
    }

    @Test("a camera is named by its serial number, and by its id where two have the same")
    func bySerial() async throws {
        let ground = try await TimeGround()
        try await ground.shoot("a", "2026-11-21T12:00:00", serial: "7/01 x")
        try await ground.shoot("b", "2026-11-21T13:00:00", camera: "Canon R5", serial: "9")
        func shift(_ name: String) async throws -> Int {
            try await ground.gallery.call(
                "PATCH", "/events/\(ground.host.event)/cameras/\(name)", ["shiftSeconds": .integer(3600)],
                token: ground.gallery.token(ground.host)
            ).status
        }
        #expect(try await shift("9") == 200)
        #expect(try await ground.list() == ["b 14:00", "a 12:00"])
        #expect(try await shift("8") == 404)
        try await ground.shoot("c", "2026-11-21T15:00:00", serial: "9")
        #expect(try await shift("9") == 409)
        let id = try #require(
            try await ground.cameras().first { $0["model"] == "Nikon Z 8" && $0["serial"] == "9" }?["id"]?
                .string)
        #expect(try await shift(id) == 200)
        #expect(try await ground.list() == ["c 16:00", "b 14:00", "a 12:00"])
    }
}
