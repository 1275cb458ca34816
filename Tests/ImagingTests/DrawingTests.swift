import Imaging
import TestSupport
import Testing

/// Pictures that are laid on something else, as ImageMagick made them and sees what became of them.
@Suite(.enabled(if: Studio.hasTools, Comment(rawValue: Studio.reason)))
struct DrawingTests {
    private let studio: Studio

    init() throws {
        studio = try Studio()
    }

    private func render(_ path: String, _ type: String, edge: Int = 512, side: Int? = nil) throws
        -> PictureFacts
    {
        var limits = PictureLimits()
        if let side { limits.side = side }
        return try Picture.render(
            file: path, declaredType: type,
            renditions: [RenditionRequest(path: studio.folder.file("out.png"), edge: edge, isDrawing: true)],
            limits: limits)
    }

    private func look(_ format: String) throws -> String {
        try studio.run("identify", ["-format", format, studio.folder.file("out.png")])
    }

    @Test(
        "what is transparent stays so, and what is beside it keeps its colour when it is made smaller",
        arguments: [
            [], ["-interlace", "PNG"], ["-define", "png:bit-depth=16"],
        ])
    func transparency(options: [String]) throws {
        let path = try studio.make(
            "in.png",
            ["-size", "1203x701", "xc:none", "-fill", "red", "-draw", "circle 350,350 350,50"] + options)
        let facts = try render(path, "image/png")
        #expect(facts.width == 1203 && facts.height == 701)
        #expect(facts.renditions.map(\.width) == [512] && facts.renditions.map(\.height) == [298])
        #expect(try look("%m %wx%h %[fx:p{2,2}.a] %[fx:p{149,149}.a]") == "PNG 512x298 0 1")
        // A pixel at the edge of what is there is as red as the others, and only less of it is there.
        let faint = try studio.run(
            "convert",
            [
                studio.folder.file("out.png"), "-fx", "a > 0.2 && a < 0.9 ? r : 1", "-format", "%[fx:minima]",
                "info:",
            ])
        #expect(try #require(Double(faint)) > 0.97)
    }

    @Test("a picture of a few colours, one of them transparent, keeps that, too")
    func palette() throws {
        try studio.run(
            "convert",
            [
                "-size", "1203x701", "xc:none", "+antialias", "-fill", "red", "-draw",
                "circle 350,350 350,50",
                "PNG8:\(studio.folder.file("in.png"))",
            ])
        _ = try render(studio.folder.file("in.png"), "image/png")
        #expect(try look("%wx%h %[fx:p{2,2}.a] %[fx:p{149,149}.a]") == "512x298 0 1")
    }

    @Test("a drawing that has nothing transparent is as it was, and one that is small stays small")
    func opaque() throws {
        let path = try studio.plasma("in.png", 300, 200)
        _ = try render(path, "image/png")
        #expect(try look("%wx%h") == "300x200")
        #expect(try studio.difference(path, studio.folder.file("out.png")) < 0.001)
    }

    @Test("a photo as a drawing stands upright, and looks the same")
    func photo() throws {
        let path = try studio.plasma("in.jpg", 900, 600, ["-quality", "92"])
        try studio.tag([("in.jpg", ["EXIF:Orientation=6"])])
        let facts = try render(path, "image/jpeg")
        #expect(facts.width == 600 && facts.height == 900)
        #expect(try look("%wx%h") == "341x512")
        let wanted = try studio.make("wanted.png", [path, "-auto-orient", "-resize", "341x512!"])
        #expect(try studio.difference(wanted, studio.folder.file("out.png")) < 0.02)
    }

    @Test("a side that is longer than was allowed is refused by the header, and one that is as long is not")
    func longSides() throws {
        let path = try studio.make("in.png", ["-size", "401x3", "xc:red"])
        let refusal = #expect(throws: PictureRefusal.self) { try render(path, "image/png", side: 400) }
        #expect(refusal?.code == .tooLarge)
        #expect(try render(path, "image/png", side: 401).width == 401)
    }
}
