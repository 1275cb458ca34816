import Basics
import Imaging
import TestSupport
import Testing

@Suite(.enabled(if: Studio.hasTools, "\(Studio.reason)"))
struct ExifTests {
    /// Of a picture with such tags each.
    static func facts(_ pictures: [String]...) throws -> [ExifFacts] {
        let studio = try Studio()
        let bytes = try readFile(studio.plasma("in.jpg", 60, 40))
        let names = pictures.indices.map { "\($0).jpg" }
        for name in names { try studio.folder.write(bytes, to: name) }
        try studio.tag(zip(names, pictures).map { (file: $0, tags: $1) })
        return try names.map { try studio.render(studio.folder.file($0)).exif }
    }

    @Test("a camera has its maker's name once")
    func cameras() throws {
        let found = try Self.facts(
            ["EXIF:Make=NIKON CORPORATION", "EXIF:Model=NIKON D7200"],
            ["EXIF:Make=Canon", "EXIF:Model=Canon EOS R5"], ["EXIF:Make=SONY", "EXIF:Model=ILCE-7M4"],
            ["EXIF:Make=FUJIFILM", "EXIF:Model=X-T5"], ["EXIF:Make=SONY"], ["EXIF:Model=ILCE-7M4"])
        #expect(
            found.map(\.camera) == [
                "NIKON D7200", "Canon EOS R5", "SONY ILCE-7M4", "FUJIFILM X-T5", "SONY", "ILCE-7M4",
            ])
    }

    @Test("the copyright is said by its own tag, or by the artist")
    func copyrights() throws {
        let found = try Self.facts(
            ["EXIF:Copyright=Ann Example", "EXIF:Artist=Bea"], ["EXIF:Artist=Bea Näme"], ["EXIF:Make=SONY"])
        #expect(found.map(\.copyright) == ["Ann Example", "Bea Näme", nil])
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
