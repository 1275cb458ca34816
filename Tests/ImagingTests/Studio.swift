import Imaging
import TestSupport

/// A folder in which other people's programs make pictures, ours renders them, and theirs look at the result.
struct Studio {
    let folder: TemporaryFolder

    static let hasTools =
        Tool.isThere("convert") && Tool.isThere("compare") && Tool.isThere("identify")
        && Tool.isThere("exiftool") && Tool.isThere("cjpeg")
    /// ImageMagick's own encoder may be missing.
    static let makesHEIF: Bool = {
        do {
            let studio = try Studio()
            return try !readFile(studio.plasma("try.heic", 16, 16)).isEmpty
        } catch {
            return false
        }
    }()
    static let reason = "ImageMagick, exiftool or cjpeg is not installed"

    init() throws {
        folder = try TemporaryFolder(in: TemporaryFolder.memory)
    }

    /// Soft shapes in many colours, no two corners alike. The same is made once, however many tests ask for it.
    func plasma(_ name: String, _ width: Int, _ height: Int, _ options: [String] = []) throws -> String {
        let order =
            ["-size", "24x16", "-seed", "7", "plasma:fractal", "-resize", "\(width)x\(height)!"] + options
        let key = order + [String(name.drop { $0 != "." })]
        if let known = Self.made.change({ $0[key] }) {
            try folder.write(known, to: name)
            return folder.file(name)
        }
        let path = try make(name, order)
        let bytes = try readFile(path)
        Self.made.change { $0[key] = bytes }
        return path
    }

    private static let made = Shared<[[String]: [UInt8]]>([:])
    /// Tests take all processors already; ImageMagick's threads would mostly wait for each other.
    private static let alone = ["MAGICK_THREAD_LIMIT": "1"]

    @discardableResult
    func make(_ name: String, _ arguments: [String]) throws -> String {
        try run("convert", arguments + [folder.file(name)])
        return folder.file(name)
    }

    @discardableResult
    func run(_ program: String, _ arguments: [String], codes: ClosedRange<Int32> = 0...0) throws -> String {
        guard let tool = Tool(program) else { throw FileProblem(path: program, number: 2) }
        let output = try tool.run(arguments, environment: Self.alone)
        guard codes.contains(output.code) else {
            throw Failure(description: "\(program) \(arguments): \(output.errors)")
        }
        return codes == 0...0 ? output.text : output.errors
    }

    /// exiftool writes these tags into these files, in one run: it takes longer to start than to write.
    func tag(_ files: [(file: String, tags: [String])]) throws {
        let orders = files.map { file, tags in
            let lines = ["-q", "-m", "-n", "-overwrite_original"] + tags.map { "-\($0)" }
            return (lines + [folder.file(file), "-execute"]).joined(separator: "\n")
        }
        try folder.write(Array((orders.joined(separator: "\n") + "\n").utf8), to: "orders")
        try run("exiftool", ["-@", folder.file("orders")])
    }

    struct Failure: Error, CustomStringConvertible {
        let description: String
    }

    var thumb: String { folder.file("thumb.out.jpg") }
    var screen: String { folder.file("screen.out.jpg") }

    func render(
        _ path: String, _ type: String = "image/jpeg", edges: (thumb: Int, screen: Int) = (400, 2048),
        limits: PictureLimits = PictureLimits()
    ) throws -> PictureFacts {
        try Picture.render(
            file: path, declaredType: type,
            renditions: [
                RenditionRequest(path: thumb, edge: edges.thumb),
                RenditionRequest(path: screen, edge: edges.screen, isProgressive: true),
            ], limits: limits)
    }

    /// Renditions a quarter as large as usual, so that ImageMagick has less to do.
    static let small = (thumb: 100, screen: 512)

    /// Why it was refused; nothing when it was not.
    func refusal(_ path: String, _ type: String = "image/jpeg") throws -> PictureRefusal.Code? {
        do {
            _ = try render(path, type)
            return nil
        } catch let refusal as PictureRefusal {
            return refusal.code
        }
    }

    func refusal(of bytes: [UInt8], _ type: String = "image/jpeg") throws -> PictureRefusal.Code? {
        try folder.write(bytes, to: "bytes.in")
        return try refusal(folder.file("bytes.in"), type)
    }

    /// The mean difference of all samples, from 0 to 1, as ImageMagick finds it.
    func difference(_ path: String, _ other: String) throws -> Double {
        let text = try run("compare", ["-metric", "MAE", path, other, "null:"], codes: 0...1)
        guard let open = text.lastIndex(of: "("), let close = text.lastIndex(of: ")"),
            let value = Double(text[text.index(after: open)..<close])
        else { throw Failure(description: text) }
        return value
    }

    /// Whether a rendition is what ImageMagick makes of the same file; as far off as a JPEG of such a size is anyway.
    func looksRight(_ file: String, like path: String, _ options: [String], _ size: Rendition) throws -> Bool
    {
        // In a format that packs nothing: packing a PNG takes ImageMagick longer than all else here.
        let judged = folder.file("judged.miff")
        let theirs = try make(
            "judged.jpg",
            [path] + options + ["-resize", "\(size.width)x\(size.height)!", "-write", judged]
                + ["-sampling-factor", "2x2", "-quality", "82"])
        let inevitable = try difference(theirs, judged)
        return try difference(file, judged) < max(0.015, inevitable * 1.3)
    }

    func size(_ path: String) throws -> [Int] {
        try run("identify", ["-format", "%w %h", path]).split(separator: " ").compactMap { Int($0) }
    }
}

extension PictureFacts {
    var thumb: Rendition { renditions[0] }
    var screen: Rendition { renditions[1] }
}
