import Basics
import TestSupport
import Testing

@testable import Gallery

/// Zones of the world, as Python reads them from the same files, and what a clock shows in the nights when it is set.
@Suite struct TimeZoneTests {
    private static let judge = """
        import sys, zoneinfo, datetime
        for line in sys.stdin:
            name, kind, number, fold = line.split()
            zone = zoneinfo.ZoneInfo(name)
            epoch = datetime.datetime(1970, 1, 1)
            moment = epoch + datetime.timedelta(seconds=int(number))
            if kind == "at":
                print(int(moment.replace(tzinfo=datetime.timezone.utc).astimezone(zone).utcoffset().total_seconds()))
            else:
                print(int(moment.replace(tzinfo=zone, fold=int(fold)).timestamp()))
        """

    static let names = [
        "Europe/Vienna", "Europe/London", "Europe/Dublin", "America/New_York", "America/St_Johns",
        "America/Sao_Paulo", "America/Scoresbysund", "America/Argentina/Ushuaia", "Asia/Kathmandu",
        "Asia/Tokyo",
        "Asia/Gaza", "Africa/Casablanca", "Australia/Lord_Howe", "Pacific/Apia", "Pacific/Chatham",
        "Antarctica/Troll", "EST5EDT", "UTC",
    ]

    private func asked(_ lines: [String]) throws -> [Int64] {
        let outcome = try #require(Tool("python3")).run(
            ["-c", Self.judge], input: Array((lines.joined(separator: "\n") + "\n").utf8))
        #expect(outcome.code == 0, "\(outcome.errors)")
        return outcome.text.split(separator: "\n").compactMap { Int64($0) }
    }

    private func zone(_ name: String) throws -> TimeZone {
        try TimeZones.system.zone(#require(ZoneName(name)))
    }

    /// When clocks there were set in the last years, and some while before and after; and anywhere in two hundred years.
    private func moments(_ zone: TimeZone, _ random: inout Seeded) -> [Int64] {
        var changes: [Int64] = []
        let (begin, end): (Int64, Int64) = (1_577_836_800, 1_893_456_000)
        for hour in stride(from: begin, to: end, by: 3600)
        where zone.offset(at: at(hour)) != zone.offset(at: at(hour - 3600)) {
            changes += [-3601, -3600, -1800, -1, 0, 1, 1800, 3599, 3600].map { hour + $0 }
        }
        return changes.suffix(90)
            + (0..<40).map { _ in Int64.random(in: -2_208_988_800...4_102_444_800, using: &random) }
    }

    private func at(_ seconds: Int64) -> Timestamp { Timestamp(milliseconds: seconds * 1000) }

    @Test(
        "clocks are ahead of UTC by what Python reads from the same files, before, in and after every list",
        .enabled(if: Tool.isThere("python3"), "python3 is not installed"))
    func offsets() throws {
        var random = Seeded(3)
        var lines: [String] = []
        var found: [Int64] = []
        for name in Self.names {
            let zone = try zone(name)
            for moment in moments(zone, &random) {
                lines.append("\(name) at \(moment) 0")
                found.append(zone.offset(at: at(moment)))
            }
        }
        #expect(lines.count > 1500)
        #expect(try asked(lines) == found)
    }

    @Test(
        "what a clock shows is a moment, in the nights when it is set too",
        .enabled(if: Tool.isThere("python3"), "python3 is not installed"))
    func clocks() throws {
        var random = Seeded(4)
        var lines: [String] = []
        var found: [Int64] = []
        for name in Self.names {
            let zone = try zone(name)
            for moment in moments(zone, &random) {
                let clock = zone.clock(at: at(moment))
                // A photo that comes years later could be of either hour, and one that comes at once is of the first.
                for (fold, arrived) in [(0, at(moment - 400_000)), (1, at(moment + 86_400 * 365))] {
                    lines.append("\(name) of \(clock.seconds) \(fold)")
                    found.append(zone.moment(ofClock: clock, arrived: arrived).seconds)
                }
            }
        }
        #expect(try asked(lines) == found)
    }

    @Test("the hour that is shown twice is the one that the photo could come from")
    func night() throws {
        let vienna = try zone("Europe/Vienna")
        // "Clocks go back at 1:00 UTC": on 25 October 2026, `date -ud '2026-10-25 01:00' +%s`.
        let change: Int64 = 1_792_890_000
        let clock = at(change + 3600 + 1800)  // 2:30, once in summer time and once in winter time
        #expect(vienna.moment(ofClock: clock, arrived: at(change - 1790)) == at(change - 1800))
        #expect(vienna.moment(ofClock: clock, arrived: at(change + 1810)) == at(change + 1800))
        #expect(vienna.clock(at: at(change - 1800)) == clock && vienna.clock(at: at(change + 1800)) == clock)
    }

    @Test("an hour that no clock shows is one that has not been set yet")
    func gap() throws {
        let vienna = try zone("Europe/Vienna")
        // 29 March 2026, 1:00 UTC.
        let change: Int64 = 1_774_746_000
        let moment = vienna.moment(ofClock: at(change + 3600 + 1800), arrived: at(change + 1800))
        #expect(moment == at(change + 1800))
        #expect(vienna.clock(at: moment) == at(change + 7200 + 1800), "it is shown as others had it")
    }

    @Test(
        "a difference is no more than one on this earth has, and no name leads out of its folder",
        arguments: [
            "+25:00", "+14:01", "-12:30", "+1:00", "+01:60", "01:00", "../etc/passwd", "/etc/passwd",
            "Europe/../../etc", "Europe//Vienna", "", "Europe/Vienna/", "Ein Ort", "a\u{0}b", "Ö", "-", ".",
            "A/b/c/d",
        ])
    func strange(name: String) {
        #expect(ZoneName(name) == nil)
    }

    @Test(
        "a difference needs no file, and is written as it is read",
        arguments: ["+00:00", "+05:45", "-09:30", "+14:00"])
    func differences(text: String) throws {
        let name = try #require(ZoneName(text))
        let minutes = try #require(name.minutes)
        #expect(ZoneName(minutes: minutes).text == text)
        let nowhere = TimeZones(folder: "/nonexistent")
        #expect(try nowhere.zone(name).offset(at: at(0)) == Int64(minutes) * 60)
    }

    @Test("a name that is none, and a file that is none, are said and not believed")
    func unknown() throws {
        let folder = try TemporaryFolder()
        let whole = try readFile("/usr/share/zoneinfo/Europe/Vienna")
        try folder.write(whole, to: "Whole")
        for cut in stride(from: 0, to: whole.count, by: 7) {
            try folder.write(Array(whole.prefix(cut)), to: "Cut\(cut)")
        }
        try folder.write(Array("TZif2, or so it says".utf8), to: "Text")
        try folder.write([UInt8](repeating: 255, count: 70_000), to: "Large")
        let zones = TimeZones(folder: folder.path)
        #expect(throws: Never.self) { try zones.zone(#require(ZoneName("Whole"))) }
        for name in ["Missing", "Text", "Large"] + stride(from: 0, to: whole.count, by: 7).map({ "Cut\($0)" })
        {
            #expect(throws: TimeZones.Unknown.self, "\(name)") { try zones.zone(#require(ZoneName(name))) }
        }
    }
}
