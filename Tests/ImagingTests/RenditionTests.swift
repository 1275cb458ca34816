import Imaging
import TestSupport
import Testing

@Suite(.enabled(if: Studio.hasTools, "\(Studio.reason)"))
struct RenditionTests {
    @Test(
        "renditions have the edges they are to have, are never larger than the original, and look like it",
        arguments: [
            (1, 1), (2, 1), (1, 2), (3, 5), (17, 31), (399, 300), (400, 401), (401, 399), (1023, 2047),
            (2048, 2048), (2049, 1367), (2400, 11), (7, 2999), (3001, 2003),
        ])
    func sizes(width: Int, height: Int) throws {
        let studio = try Studio()
        let path = try studio.plasma("in.jpg", width, height, ["-quality", "95"])
        let facts = try studio.render(path)
        #expect([facts.width, facts.height] == [width, height])
        for (file, rendition, edge) in [
            (studio.thumb, facts.thumb, 400), (studio.screen, facts.screen, 2048),
        ] {
            let long = max(width, height)
            #expect(try studio.size(file) == [rendition.width, rendition.height])
            #expect(UInt64(try readFile(file).count) == rendition.size)
            #expect(max(rendition.width, rendition.height) == min(edge, long))
            let ratio = Double(min(edge, long)) / Double(long)
            #expect(abs(Double(rendition.width) - Double(width) * ratio) <= 1)
            #expect(abs(Double(rendition.height) - Double(height) * ratio) <= 1)
            #expect(try studio.looksRight(file, like: path, [], rendition), "\(width)×\(height)")
        }
    }

    @Test(
        "of three renditions each has its edge, whatever the order that they are asked for in, and looks like the original",
        arguments: [(3001, 2003), (801, 1201), (700, 525)])
    func three(width: Int, height: Int) throws {
        let studio = try Studio()
        let path = try studio.plasma("in.jpg", width, height, ["-quality", "95"])
        let wanted = [400, 2048, 800].map { edge in
            RenditionRequest(path: studio.folder.file("\(edge).jpg"), edge: edge)
        }
        let facts = try Picture.render(file: path, declaredType: "image/jpeg", renditions: wanted)
        for (request, rendition) in zip(wanted, facts.renditions) {
            let long = max(width, height)
            let ratio = Double(min(request.edge, long)) / Double(long)
            #expect(try studio.size(request.path) == [rendition.width, rendition.height])
            #expect(max(rendition.width, rendition.height) == min(request.edge, long))
            #expect(
                abs(Double(min(rendition.width, rendition.height)) - Double(min(width, height)) * ratio) <= 1)
            #expect(try studio.looksRight(request.path, like: path, [], rendition), "\(request.edge)")
        }
    }

    @Test(
        "every way in which a JPEG stores colour looks as ImageMagick sees it",
        arguments: [
            ["-sampling-factor", "1x1"], ["-sampling-factor", "2x1"], ["-sampling-factor", "2x2"],
            ["-sampling-factor", "1x2"], ["-sampling-factor", "4x1"], ["-colorspace", "Gray"],
            ["-colorspace", "CMYK"], ["-interlace", "JPEG"], ["-interlace", "JPEG", "-colorspace", "CMYK"],
        ])
    func colours(options: [String]) throws {
        let studio = try Studio()
        for (width, height) in [(901, 601), (333, 500)] {
            let path = try studio.plasma("in.jpg", width, height, ["-quality", "95"] + options)
            let facts = try studio.render(path, edges: Studio.small)
            for (file, rendition) in [(studio.thumb, facts.thumb), (studio.screen, facts.screen)] {
                #expect(
                    try studio.looksRight(file, like: path, ["-colorspace", "sRGB"], rendition), "\(options)")
            }
        }
    }

    @Test(
        "a JPEG coded in an unusual way is decoded",
        arguments: [
            ["-arithmetic"], ["-restart", "1"], ["-rgb"], ["-dct", "fast", "-progressive"],
            ["-sample", "2x1,2x1,2x1"], ["-sample", "2x2,1x2,1x2"], ["-sample", "3x1,1x1,1x1"],
            ["-sample", "4x2,1x1,1x1"], ["-sample", "1x1,2x2,2x2"], ["-sample", "2x2,2x1,1x2"],
        ])
    func codings(options: [String]) throws {
        let studio = try Studio()
        let source = try studio.plasma("in.ppm", 900, 600)
        let path = studio.folder.file("in.jpg")
        try studio.run("cjpeg", options + ["-quality", "95", "-outfile", path, source])
        _ = try studio.render(path)
        #expect(try studio.difference(studio.screen, source) < 0.02)
    }

    @Test(
        "an even surface keeps its colour",
        arguments: ["#ff0000", "#00ff00", "#0000ff", "#808080", "white", "#010203"])
    func surfaces(colour: String) throws {
        let studio = try Studio()
        let path = try studio.make("in.jpg", ["-size", "3000x2001", "xc:\(colour)", "-quality", "95"])
        _ = try studio.render(path)
        for file in [studio.thumb, studio.screen] {
            let size = try studio.size(file)
            let judged = try studio.make("judged.miff", ["-size", "\(size[0])x\(size[1])", "xc:\(colour)"])
            #expect(try studio.difference(file, judged) < 0.006)
        }
    }

    @Test("a picture lies upright, however the camera was held", arguments: Orientation.allCases)
    func orientations(orientation: Orientation) throws {
        let studio = try Studio()
        for sampling in orientation.rawValue > 4 ? ["2x2", "2x1"] : ["2x2"] {
            let path = try studio.plasma(
                "in.jpg", 901, 601, ["-sampling-factor", sampling, "-quality", "95"])
            var exif = TIFFBytes(isLittle: true)
            exif.directory([.short(0x112, UInt16(orientation.rawValue))])
            try studio.folder.write(JPEGBytes.withExif(exif.bytes, in: readFile(path)), to: "in.jpg")
            let facts = try studio.render(path, edges: Studio.small)
            #expect(facts.exif.orientation == orientation)
            let isTurned = orientation.rawValue >= 5
            #expect([facts.width, facts.height] == (isTurned ? [601, 901] : [901, 601]))
            #expect(
                try studio.looksRight(studio.screen, like: path, ["-auto-orient"], facts.screen),
                "\(sampling)")
        }
    }

    @Test("of one number of pixels more than is looked at, nothing is made", arguments: [4, 5])
    func limits(pixels: Int) throws {
        let studio = try Studio()
        let path = try studio.plasma("in.jpg", 5, 1)
        var limits = PictureLimits()
        limits.pixels = pixels
        var refusal: PictureRefusal?
        do {
            _ = try studio.render(path, limits: limits)
        } catch let error as PictureRefusal {
            refusal = error
        }
        #expect(refusal?.code == (pixels < 5 ? .tooLarge : nil))
        #expect(Tool.isThere(studio.thumb) == false)
    }
}
