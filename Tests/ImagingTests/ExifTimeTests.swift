import Basics
import Imaging
import TestSupport
import Testing

/// When a photo was taken, as exiftool reads it, which has read more cameras than any other program.
@Suite(.enabled(if: Studio.hasTools, "\(Studio.reason)"))
struct ExifTimeTests {
    /// What exiftool is told to write, by its own names.
    static let date = "EXIF:DateTimeOriginal=2026:11:21 18:59:03"
    static let corpus: [[String]] = [
        [date], [date, "EXIF:SubSecTimeOriginal=12"], [date, "EXIF:SubSecTimeOriginal=123456"],
        [date, "EXIF:SubSecTimeOriginal=5   "], [date, "EXIF:OffsetTimeOriginal=+00:00"],
        [date, "EXIF:OffsetTimeOriginal=+05:30"],
        [date, "EXIF:OffsetTimeOriginal=-08:00", "EXIF:SubSecTimeOriginal=001"],
        [date, "EXIF:OffsetTimeOriginal=+14:00"], [date, "EXIF:OffsetTimeOriginal=-12:00"],
        [date, "EXIF:OffsetTimeOriginal=+05:45", "EXIF:OffsetTime=-11:00"],
        [date, "EXIF:GPSDateStamp=2026:11:21", "EXIF:GPSTimeStamp=17:59:02"],
        [date, "EXIF:GPSDateStamp=2026:11:21", "EXIF:GPSTimeStamp=09:59:03.75"],
        [date, "EXIF:GPSTimeStamp=09:59:03"], [date, "EXIF:GPSDateStamp=2026:11:21"],
        ["EXIF:GPSDateStamp=2026:12:31", "EXIF:GPSTimeStamp=23:59:59"],
        // A party that goes on past midnight, in a zone where it is still yesterday by the satellites.
        [
            "EXIF:DateTimeOriginal=2026:11:22 00:30:00", "EXIF:OffsetTimeOriginal=+01:00",
            "EXIF:GPSDateStamp=2026:11:21", "EXIF:GPSTimeStamp=23:30:01",
        ],
        ["EXIF:DateTimeOriginal=2024:02:29 23:59:59", "EXIF:OffsetTimeOriginal=-09:30"],
        ["EXIF:DateTimeOriginal=1969:07:20 20:17:40", "EXIF:OffsetTimeOriginal=+00:00"],
        ["EXIF:DateTimeOriginal=0000:00:00 00:00:00"], ["EXIF:DateTimeOriginal=    :  :     :  :  "],
        ["EXIF:DateTimeOriginal=2026:13:41 25:61:61"], ["EXIF:DateTimeOriginal=0000:01:01 00:00:00"],
        ["EXIF:Make=Nikon"],
    ]

    /// One round of each program for all files, since it takes them longer to start than to work.
    private func files(_ studio: Studio) throws -> [(file: String, type: String, tags: [String])] {
        let kinds =
            [("jpg", "image/jpeg"), ("png", "image/png")] + (Studio.makesHEIF ? [("heic", "image/heic")] : [])
        var files: [(file: String, type: String, tags: [String])] = []
        for (ending, type) in kinds {
            let bytes = try readFile(try studio.plasma("plain.\(ending)", 60, 40))
            for (number, tags) in Self.corpus.enumerated() {
                try studio.folder.write(bytes, to: "\(number).\(ending)")
                files.append(("\(number).\(ending)", type, tags))
            }
        }
        try studio.tag(files.map { (file: $0.file, tags: $0.tags) })
        return files
    }

    /// "2026:11:21 18:59:03.12+05:30", as far as there is something; its own way to say what is no time is to repeat it.
    private func time(_ text: String?) throws -> ExifTime {
        guard let text,
            let found = text.wholeMatch(
                of: /(\d{4}):(\d\d):(\d\d) (\d\d:\d\d:\d\d)(\.\d+)?\s*(Z|[+-]\d\d:\d\d)?/)
        else { return ExifTime() }
        let (_, year, month, day, clock, fraction, zone) = found.output
        let decimals = String((fraction ?? ".").dropFirst().prefix(3))
        let padded = decimals + String(repeating: "0", count: 3 - decimals.count)
        guard let moment = Timestamp(rfc3339: "\(year)-\(month)-\(day)T\(clock).\(padded)Z"),
            year != "0000"
        else { return ExifTime() }
        guard let zone, zone != "Z" else { return ExifTime(clock: moment, offset: zone == nil ? nil : 0) }
        let utc = try #require(Timestamp(rfc3339: "\(year)-\(month)-\(day)T\(clock).\(padded)\(zone)"))
        return ExifTime(clock: moment, offset: Int((moment.milliseconds - utc.milliseconds) / 60_000))
    }

    @Test("clock, decimals, zone and satellites are read as exiftool reads them, in every format")
    func judged() throws {
        let studio = try Studio()
        let files = try files(studio)
        let names = ["SubSecDateTimeOriginal", "GPSDateTime", "DateTimeOriginal"]
        let said = try studio.run(
            "exiftool", ["-json", "-q"] + names.map { "-\($0)" } + files.map { studio.folder.file($0.file) })
        let judge = try #require(JSON5.parse(said).array)
        #expect(judge.count == files.count)
        var (clocks, zones, satellites) = (0, 0, 0)
        for (file, said) in zip(files, judge) {
            var expected = try time(
                said["SubSecDateTimeOriginal"]?.string ?? said["DateTimeOriginal"]?.string)
            expected.satellites = try time(said["GPSDateTime"]?.string).clock
            let exif = try studio.render(studio.folder.file(file.file), file.type).exif
            #expect(exif.time == expected, "\(file.file): \(file.tags)")
            clocks += expected.clock == nil ? 0 : 1
            zones += expected.offset == nil ? 0 : 1
            satellites += expected.satellites == nil ? 0 : 1
        }
        let kinds = Studio.makesHEIF ? 3 : 2
        #expect(
            clocks == 17 * kinds && zones == 9 * kinds && satellites == 4 * kinds, "the judge has read them")
    }

    @Test(
        "a time that only says when the file was made or changed stands in for that of the shutter, with its own zone"
    )
    func stand() throws {
        // `date -ud '2026-11-21 18:59:03' +%s`
        let clock = Timestamp(milliseconds: 1_795_287_543_000)
        let digitized = [
            "EXIF:CreateDate=2026:11:21 18:59:03", "EXIF:OffsetTimeDigitized=+02:00",
            "EXIF:ModifyDate=2027:01:01 00:00:00", "EXIF:OffsetTime=+09:00",
        ]
        let changed = ["EXIF:ModifyDate=2026:11:21 18:59:03", "EXIF:OffsetTime=+09:00"]
        let found = try ExifTests.facts(digitized, changed).map(\.time)
        #expect(found == [ExifTime(clock: clock, offset: 120), ExifTime(clock: clock, offset: 540)])
    }

    @Test("a zone that is said of another time holds where both are the same, and nowhere else")
    func otherZones() throws {
        let date = "2026:11:21 18:59:03"
        let same = ["EXIF:DateTimeOriginal=\(date)", "EXIF:ModifyDate=\(date)", "EXIF:OffsetTime=+01:00"]
        let edited = [
            "EXIF:DateTimeOriginal=\(date)", "EXIF:ModifyDate=2026:11:22 03:00:00", "EXIF:OffsetTime=-05:00",
        ]
        // Not as the standard has it, and meant by the program that wrote it.
        let short = ["EXIF:DateTimeOriginal=\(date)", "EXIF:OffsetTimeOriginal=Z"]
        #expect(try ExifTests.facts(same, edited, short).map(\.time.offset) == [60, nil, 0])
    }

    @Test(
        "satellites prove a clock's zone where the difference is one, and nothing where the clock is wrong or they are old"
    )
    func proofs() {
        let clock = Timestamp(milliseconds: 1_795_287_543_000)
        func proven(_ secondsBehind: Int64) -> Int? {
            ExifTime(clock: clock, satellites: clock + .seconds(-secondsBehind)).provenOffset
        }
        #expect(proven(3600) == 60 && proven(0) == 0 && proven(-28_800) == -480)
        #expect(proven(20_700) == 345 && proven(3617) == 60 && proven(-3583) == -60)
        #expect(proven(3600 + 240) == nil, "the clock is four minutes fast, or the place four minutes old")
        #expect(proven(15 * 3600) == nil && proven(-13 * 3600) == nil, "there is no such zone")
        #expect(ExifTime(clock: clock).provenOffset == nil)
        // What it proves counts before what the camera believes.
        let abroad = ExifTime(clock: clock, offset: 540, satellites: clock + .seconds(-3600))
        #expect(abroad.moment == clock + .seconds(-3600))
    }
}
