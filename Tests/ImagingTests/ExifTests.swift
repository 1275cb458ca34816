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
