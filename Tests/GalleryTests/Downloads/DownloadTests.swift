import Basics
import Database
import HTTPServer
import TestSupport
import Testing

@testable import Gallery

/// What guests take home is counted, and hosts learn how much it was.
@Suite(.timeLimit(.minutes(Cases.minutesOfHang))) struct DownloadTests {
    private let ground: ReactionGround

    init() async throws {
        ground = try await ReactionGround(photos: ["kiss", "cake", "dance"])
    }

    private func report() async throws -> GalleryGround.Answer {
        await ground.gallery.server.downloads.write()
        return try await ground.ask("GET", "/events/\(ground.host.event)/downloads")
    }

    private func total(_ report: GalleryGround.Answer) -> [Int64?] {
        ["times", "photos", "bytes"].map { report["total"]?[$0]?.integer }
    }

    /// "Guest 1 of Cleo: 2 times".
    private func guests(_ report: GalleryGround.Answer) -> [String] {
        (report["guests"]?.array ?? []).map { guest in
            let number = guest["guest"]?.integer.map { "Guest \($0)" } ?? "others"
            let name = guest["name"]?.string.map { " of \($0)" } ?? ""
            return "\(number)\(name): \(guest["times"]?.integer ?? -1) times"
        }
    }

    /// The event's ZIP as a guest gets it who has it sent up to there, from there on.
    private func take(_ wish: JSONValue = [:], upTo most: Int = .max) async throws -> Int {
        let link = try await ground.guest().ask("POST", "zip-link", wish)
        let url = try #require(link["url"]?.string, "\(link)")
        let response = try await ground.gallery.response(
            to: String(url.dropFirst("http://gallery.example".count)))
        guard case .stream(let source) = response.body else {
            throw Surprise("it is answered with \(response.status)")
        }
        let memory = UnsafeMutableRawBufferPointer.allocate(byteCount: 64, alignment: 16)
        defer { memory.deallocate() }
        var sent = 0
        while sent < most {
            let count = try await source.read(into: memory)
            if count == 0 { break }
            sent += count
        }
        source.close()
        source.close()
        return sent
    }

    @Test("a photo that is looked at is none that was taken; one that is taken counts once, with its bytes")
    func single() async throws {
        let guest = ground.guest()
        let list = try await guest.ask("GET", "photos")
        let screen = try #require(list["photos"]?.array?.first?["screenUrl"]?.string)
        #expect(try await ground.gallery.call("GET", screen).status == 200)
        #expect(total(try await report()) == [0, 0, 0])

        let taken = try await guest.ask("GET", "photos/\(ground.photos[0])/download")
        #expect(taken.status == 303 && taken.header("Cache-Control") == "no-store")
        let place = try #require(taken.header("Location"))
        #expect(place.hasSuffix("?download"))
        let bytes = try await ground.gallery.call("GET", place)
        #expect(bytes.status == 200)
        #expect(bytes.header("Content-Disposition")?.hasPrefix("attachment") == true)
        try await guest.ask("GET", "photos/\(ground.photos[0])/download")
        try await guest.ask("GET", "photos/\(ground.photos[1])/download?size=screen")
        let report = try await report()
        // The renderer of the tests says that renditions have 77 bytes.
        #expect(total(report) == [3, 3, 3 * 77])
        #expect(report["kinds"]?.array?.compactMap { $0["kind"]?.string } == ["photo-screen"])
        #expect(report["days"]?.array?.compactMap { $0["day"]?.string } == ["2026-11-18"])
        #expect(
            report["photos"]?.array?.map {
                "\($0["photo"]?["id"]?.string ?? "") \($0["times"]?.integer ?? 0)"
            }
                == ["\(ground.photos[0]) 2", "\(ground.photos[1]) 1"])
        #expect(guests(report) == ["Guest 1: 3 times"])
    }

    @Test("originals are counted as such where the event gives them, and what guests do not see is not taken")
    func originals() async throws {
        try await ground.change("/events/\(ground.host.event)", ["allowsOriginals": .bool(true)])
        let guest = ground.guest()
        try await guest.ask("GET", "photos/\(ground.photos[0])/download")
        let first = try await report()
        #expect(first["kinds"]?.array?.compactMap { $0["kind"]?.string } == ["photo-original"])
        #expect(total(first) == [1, 1, 4], "the bytes of 'kiss'")
        try await ground.change("/photos/\(ground.photos[1])", ["hidden": .bool(true)])
        for id in [ground.photos[1], "x", TestIDs.id(5)] {
            #expect(try await guest.ask("GET", "photos/\(id)/download").status == 404, "\(id)")
        }
        #expect(try await guest.ask("GET", "photos/\(ground.photos[0])/download?size=huge").status == 422)
        #expect(total(try await report()) == [1, 1, 4])
    }

    @Test(
        "guests are told apart by number, also those who come from one address, and have the name of their last comment"
    )
    func devices() async throws {
        let (cleo, dan) = (ground.guest(), ground.guest())
        for guest in [cleo, dan, cleo] { try await guest.ask("GET", "photos/\(ground.photos[0])/download") }
        let text = try await report()
        let found = text["guests"]?.array ?? []
        #expect(found.map { $0["times"]?.integer } == [2, 1], "\(text)")
        #expect(Set(found.map { $0["guest"]?.integer }) == [1, 2])
        #expect(text["guestCount"]?.integer == 2)
        #expect(!text.text.contains("192.0.2.1"), "no address is kept")
        #expect(try await cleo.write("Lovely", of: ground.photos[0], as: "Cleo").status == 201)
        try await cleo.ask("GET", "photos/\(ground.photos[1])/download")
        let named = guests(try await report())
        #expect(named.contains { $0.hasSuffix(" of Cleo: 3 times") } && named.count == 2, "\(named)")
    }

    @Test("an archive counts once with what was sent of it, whole or cut")
    func archives() async throws {
        let whole = try await take()
        let first = try await report()
        #expect(total(first) == [1, 3, Int64(whole)])
        #expect(first["kinds"]?.array?.compactMap { $0["kind"]?.string } == ["zip-screen"])
        #expect(first["photos"]?.array == [], "everything says nothing of any photo")
        #expect(guests(first) == ["others: 1 times"], "a link is good without a cookie")
        let cut = try await take(
            ["photos": [.string(ground.photos[0]), .string(ground.photos[2])]], upTo: 64)
        #expect(cut < whole)
        let second = try await report()
        #expect(total(second) == [2, 4, Int64(whole + cut)])
        #expect(second["photos"]?.array?.count == 1, "of the second photo nothing was sent")
    }

    @Test("several nodes add to the same counts, and of an event that is not there nothing is kept")
    func nodes() async throws {
        let server = ground.gallery.server
        let other = DownloadCounter(
            store: server.store, time: ground.gallery.wall.clock, wall: ground.gallery.wall,
            log: GalleryLog { _, _ in })
        let one = DownloadTally.Count(times: 1, photos: 1, bytes: 10)
        for counter in [server.downloads, other, other] {
            counter.note(
                .photoScreen, one, photos: [1], in: ground.host.event,
                by: GuestDevices.Taker(device: "device"))
        }
        other.note(.photoScreen, one, in: TestIDs.id(9), by: GuestDevices.Taker(device: ""))
        await other.write()
        #expect(total(try await report()) == [3, 3, 30])
    }

    @Test("what the database refuses is written a moment later, once, with what came meanwhile")
    func refused() async throws {
        let (store, event, time) = (ground.gallery.store, ground.host.event, ManualClock())
        let warnings = Shared<[String]>([])
        let counter = DownloadCounter(
            store: ground.gallery.server.store, time: time, wall: ground.gallery.wall,
            log: GalleryLog { _, line in warnings.change { $0.append(line) } })
        var others: [String] = []
        for _ in 0..<4 {
            let made = try await ground.ask("POST", "/events", ["name": "Party"])
            others.append(try #require(made["id"]?.string, "\(made)"))
        }
        func note(in event: String) {
            counter.note(
                .photoScreen, DownloadTally.Count(times: 1, photos: 1, bytes: 10), photos: [1], in: event,
                by: GuestDevices.Taker(device: "device"))
        }
        func kept(of event: String) async throws -> [Int64?] {
            total(try await ground.ask("GET", "/events/\(event)/downloads"))
        }
        let bad = [event] + others[..<2]
        try await store.refuseDownloads(of: bad)
        for event in [event, event] + others { note(in: event) }
        let running = Task { await counter.run() }
        for turn in 1...3 {
            await time.waitForSleepers(1)
            time.advance(by: DownloadCounter.pause)
            // It has failed when it sleeps again.
            await time.waitForSleepers(1)
            for event in bad { #expect(try await kept(of: event) == [0, 0, 0]) }
            #expect(warnings.value.filter { line in bad.contains { line.contains($0) } }.count == 2 * turn)
            // Those that are refused keep the others from being written once at the most.
            for id in others[2...] where turn > 1 { #expect(try await kept(of: id) == [1, 1, 10]) }
        }
        note(in: event)
        try await store.takeDownloads()
        time.advance(by: DownloadCounter.pause)
        // It sleeps again for this one, of an event that is not there, and has written all else by then.
        note(in: TestIDs.id(9))
        await time.waitForSleepers(1)
        let report = try await report()
        #expect(total(report) == [3, 3, 30])
        #expect(report["photos"]?.array?.map { $0["times"]?.integer } == [3])
        #expect(guests(report) == ["Guest 1: 3 times"])
        #expect(warnings.value.count == 6, "none of an event that is good")
        running.cancel()
        await running.value
        #expect(try await kept(of: event) == [3, 3, 30])
    }

    @Test("counts have bounds: old days are one sum, and guests beyond the most are counted together")
    func bounds() async throws {
        let store = ground.gallery.store
        func tally(_ day: Int64, _ device: String) -> DownloadTally {
            var tally = DownloadTally()
            tally.add(
                DownloadTally.Entry(
                    kind: .zipScreen, count: DownloadTally.Count(times: 1, photos: 2, bytes: 3), photos: [],
                    device: device, author: nil, day: day))
            return tally
        }
        let today = ground.gallery.wall.wallNow.day
        try await store.addDownloads(tally(today - DownloadTally.mostDays - 1, "a"), to: ground.host.event)
        try await store.addDownloads(tally(today - DownloadTally.mostDays, "a"), to: ground.host.event)
        try await store.addDownloads(tally(today - DownloadTally.mostDays - 2, "a"), to: ground.host.event)
        let old = try await report()
        #expect(old["days"]?.array?.count == 2 && old["days"]?.array?.last?["day"] == .null, "\(old)")
        #expect(old["days"]?.array?.last?["times"]?.integer == 2)
        #expect(total(old) == [3, 6, 9])
        var many = DownloadTally()
        for number in 0..<DownloadTally.mostGuests + 20 {
            many.add(tally(today, "device \(number)"))
        }
        try await store.addDownloads(many, to: ground.host.event)
        let crowded = try await report()
        #expect(crowded["guestCount"]?.integer == Int64(DownloadTally.mostGuests))
        #expect(crowded["guests"]?.array?.count == DownloadReport.mostGuests)
        // One of them had a number before.
        #expect(guests(crowded).contains("others: 21 times"), "\(guests(crowded).prefix(3))")
    }

    @Test("counts go with their photo, with their event and with their account")
    func deletion() async throws {
        let guest = ground.guest()
        for photo in ground.photos { try await guest.ask("GET", "photos/\(photo)/download") }
        _ = try await report()
        #expect(try await ground.ask("DELETE", "/photos/\(ground.photos[0])").status == 204)
        #expect(try await report()["photos"]?.array?.count == 2)
        #expect(try await ground.gallery.store.downloadRows() == [1, 2, 1])
        // What was noted before it is written to nothing.
        try await guest.ask("GET", "photos/\(ground.photos[1])/download")
        #expect(try await ground.ask("DELETE", "/events/\(ground.host.event)").status == 204)
        await ground.gallery.server.downloads.write()
        #expect(try await ground.gallery.store.downloadRows() == [0, 0, 0])
        let other = try await ReactionGround(photos: ["kiss"])
        try await other.guest().ask("GET", "photos/\(other.photos[0])/download")
        await other.gallery.server.downloads.write()
        #expect(try await other.gallery.store.downloadRows() == [1, 1, 1])
        try await other.guest().ask("GET", "photos/\(other.photos[0])/download")
        try await other.gallery.store.deleteAccount(other.host.account)
        await other.gallery.server.downloads.write()
        #expect(try await other.gallery.store.downloadRows() == [0, 0, 0])
        #expect(ground.gallery.warnings.value + other.gallery.warnings.value == [])
    }

    @Test("nodes that write at the same moment lose nothing", .withPostgres)
    func together() async throws {
        let hall = try await NodesHall()
        let event = hall.event
        try await withThrowingTaskGroup(of: Void.self) { group in
            for number in 0..<20 {
                let store = hall.nodes[number % 2].store
                group.addTask {
                    var tally = DownloadTally()
                    for device in ["a", "b", "c"] {
                        tally.add(
                            DownloadTally.Entry(
                                kind: .photoScreen, count: DownloadTally.Count(times: 1, photos: 1, bytes: 5),
                                photos: [], device: device, author: nil, day: 20_000))
                    }
                    let made = tally
                    try await store { try $0.addDownloads(made, to: event) }
                }
            }
            try await group.waitForAll()
        }
        let report = try await hall.nodes[0].reader { try $0.downloads(of: event) }
        #expect(report.lines.map(\.count) == [DownloadTally.Count(times: 60, photos: 60, bytes: 300)])
        #expect(Set(report.guests.map(\.number)) == [1, 2, 3])
        #expect(report.guests.map(\.count.times) == [20, 20, 20])
    }
}

extension GalleryStore {
    /// The last rows of what guests of an event took home are refused, when those before them are there already.
    fileprivate func refuseDownloads(of events: [String]) throws {
        let events = events.map { "'\($0)'" }.joined(separator: ", ")
        switch database.dialect {
        case .sqlite:
            try database.run(
                """
                CREATE TRIGGER refused BEFORE INSERT ON download_guests WHEN new.event_id IN (\(events))
                    BEGIN SELECT RAISE(ABORT, 'refused'); END
                """)
        case .postgres:
            try database.run(
                """
                CREATE FUNCTION refused() RETURNS trigger LANGUAGE plpgsql
                    AS $$ BEGIN RAISE EXCEPTION 'refused'; END $$
                """)
            try database.run(
                """
                CREATE TRIGGER refused BEFORE INSERT ON download_guests
                    FOR EACH ROW WHEN (new.event_id IN (\(events))) EXECUTE FUNCTION refused()
                """)
        }
    }

    fileprivate func takeDownloads() throws {
        let table = database.dialect == .postgres ? " ON download_guests" : ""
        try database.run("DROP TRIGGER refused\(table)")
    }

    fileprivate func downloadRows() throws -> [Int] {
        try ["days", "photos", "guests"].map { try database.count("FROM download_\($0)") }
    }
}
