import Imaging
import TestSupport
import Testing

@Suite(.enabled(if: Studio.hasTools, "\(Studio.reason)"))
struct PNGAndHEIFTests {
    @Test(
        "every kind of PNG looks as ImageMagick sees it",
        arguments: [
            [], ["-colorspace", "Gray"], ["-depth", "16"], ["-interlace", "PNG"],
            ["-type", "Palette", "-colors", "200"], ["-threshold", "50%", "-depth", "1"],
        ])
    func kinds(options: [String]) throws {
        let studio = try Studio()
        let path = try studio.plasma("in.png", 1301, 801, options)
        let facts = try studio.render(path, "image/png", edges: Studio.small)
        #expect([facts.width, facts.height] == [1301, 801])
        #expect([facts.screen.width, facts.screen.height] == [512, 315])
        #expect(try studio.looksRight(studio.screen, like: path, [], facts.screen))
    }

    @Test("what is transparent in a PNG is white")
    func transparency() throws {
        let studio = try Studio()
        let path = try studio.make(
            "in.png",
            ["-size", "200x100", "xc:none", "-fill", "#ff000080", "-draw", "rectangle 100,0 199,99"])
        let facts = try studio.render(path, "image/png")
        #expect(facts.screen.width == 200)
        let judged = ["-background", "white", "-flatten"]
        #expect(try studio.looksRight(studio.screen, like: path, judged, facts.screen))
    }

    @Test("a PNG says its orientation and its camera as a JPEG does")
    func exif() throws {
        let studio = try Studio()
        let path = try studio.plasma("in.png", 300, 200)
        try studio.run(
            "exiftool",
            ["-q", "-overwrite_original", "-n", "-EXIF:Orientation=6", "-EXIF:Model=Z 9", path])
        let facts = try studio.render(path, "image/png")
        #expect([facts.width, facts.height] == [200, 300])
        #expect(facts.exif.camera == "Z 9")
    }

    @Test(
        "a HEIF is rendered, and turned as it says itself",
        .enabled(if: Studio.makesHEIF, "ImageMagick writes no HEIF here"))
    func heif() throws {
        let studio = try Studio()
        let path = try studio.plasma("in.heic", 1301, 801)
        let facts = try studio.render(path, "image/heic", edges: Studio.small)
        #expect([facts.width, facts.height] == [1301, 801])
        #expect(try studio.looksRight(studio.screen, like: path, [], facts.screen))
        #expect(try studio.render(path, "image/heif").width == 1301)
    }
}
