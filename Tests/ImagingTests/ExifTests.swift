import Bridge
import Imaging
import TestSupport
import Testing

@Suite(.enabled(if: Studio.hasTools, "\(Studio.reason)"))
struct ExifTests {
    func facts(_ tags: [String]) throws -> ExifFacts {
        let studio = try Studio()
        let path = try studio.plasma("in.jpg", 60, 40)
        try studio.run("exiftool", ["-q", "-overwrite_original"] + tags.map { "-\($0)" } + [path])
        return try studio.render(path).exif
    }

    @Test("the time is that of the shutter, to the millisecond and in the camera's zone where it says one")
    func times() throws {
        let date = "EXIF:DateTimeOriginal=2026:11:21 18:59:03"
        // 2026-11-21T18:59:03Z by `date -ud`.
        let seconds: Int64 = 1_795_287_543
        func milliseconds(_ tags: [String]) throws -> Int64? { try facts(tags).capturedAt?.milliseconds }
        #expect(try milliseconds([date]) == seconds * 1000)
        #expect(try milliseconds([date, "EXIF:SubSecTimeOriginal=12"]) == seconds * 1000 + 120)
        #expect(try milliseconds([date, "EXIF:SubSecTimeOriginal=123456"]) == seconds * 1000 + 123)
        #expect(
            try milliseconds([date, "EXIF:OffsetTimeOriginal=+05:30"]) == (seconds - 19_800) * 1000)
        #expect(
            try milliseconds([date, "EXIF:OffsetTimeOriginal=-08:00"]) == (seconds + 28_800) * 1000)
        #expect(try milliseconds(["EXIF:ModifyDate=2026:11:21 18:59:03"]) == seconds * 1000)
        #expect(try facts([date]).knowsZone == false)
        #expect(try facts([date, "EXIF:OffsetTimeOriginal=+00:00"]).knowsZone)
        #expect(try milliseconds(["EXIF:Make=Nikon"]) == nil)
    }

    @Test(
        "a clock that was never set says nothing",
        arguments: [
            "0000:00:00 00:00:00", "    :  :     :  :  ", "2026:13:41 25:61:61", "0000:01:01 00:00:00",
        ])
    func noTime(text: String) throws {
        #expect(try facts(["EXIF:DateTimeOriginal#=\(text)"]).capturedAt == nil)
    }

    @Test("a camera has its maker's name once")
    func cameras() throws {
        for (make, model, name) in [
            ("NIKON CORPORATION", "NIKON D7200", "NIKON D7200"), ("Canon", "Canon EOS R5", "Canon EOS R5"),
            ("SONY", "ILCE-7M4", "SONY ILCE-7M4"), ("FUJIFILM", "X-T5", "FUJIFILM X-T5"),
        ] {
            #expect(try facts(["EXIF:Make=\(make)", "EXIF:Model=\(model)"]).camera == name)
        }
        #expect(try facts(["EXIF:Make=SONY"]).camera == "SONY")
        #expect(try facts(["EXIF:Model=ILCE-7M4"]).camera == "ILCE-7M4")
    }

    @Test("the copyright is said by its own tag, or by the artist")
    func copyrights() throws {
        #expect(try facts(["EXIF:Copyright=Ann Example", "EXIF:Artist=Bea"]).copyright == "Ann Example")
        #expect(try facts(["EXIF:Artist=Bea Näme"]).copyright == "Bea Näme")
        #expect(try facts(["EXIF:Make=SONY"]).copyright == nil)
    }

    @Test("nothing that a camera wrote is in a rendition, least of all where it was")
    func nothingLeft() throws {
        let studio = try Studio()
        let path = try studio.plasma("in.jpg", 3000, 2000)
        try studio.run(
            "exiftool",
            [
                "-q", "-overwrite_original", "-EXIF:GPSLatitude=48.2", "-EXIF:GPSLatitudeRef=N",
                "-EXIF:GPSLongitude=16.37", "-EXIF:GPSLongitudeRef=E", "-EXIF:Make=SONY",
                "-EXIF:SerialNumber=123", "-XMP:GPSLatitude=48.2", "-XMP:Creator=Ann", "-IPTC:City=Vienna",
                "-Comment=at home", path,
            ])
        #expect(try studio.run("exiftool", ["-gps:all", "-a", "-G", path]).contains("Latitude"))
        _ = try studio.render(path)
        for file in [studio.thumb, studio.screen] {
            let all = try studio.run("exiftool", ["-a", "-G", "-u", "-ee3", file])
            for word in ["EXIF", "GPS", "XMP", "IPTC", "Comment", "SONY", "Vienna", "Ann"] {
                #expect(!all.contains("\(word)]") && !all.contains(" \(word)"), "\(word): \(all)")
            }
        }
    }
}
