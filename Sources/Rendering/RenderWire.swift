import Basics
import Digest
import Imaging

/// What a pool and its renderers say to each other: a line of JSON each way.
enum RenderWire {
    /// Of an answer: a hundred bytes of numbers and four texts of a camera's.
    static let longestLine = 16 << 10

    /// Both are the same program: a renderer says nothing else.
    struct Nonsense: Error {}

    static func line(_ job: RenderJob) -> String {
        let renditions = job.renditions.map { wanted -> JSONValue in
            [
                "path": .string(wanted.path), "edge": .integer(Int64(wanted.edge)),
                "quality": .integer(Int64(wanted.quality)), "progressive": .bool(wanted.isProgressive),
                "drawing": .bool(wanted.isDrawing),
            ]
        }
        let value: JSONValue = [
            "file": .string(job.file), "type": .string(job.declaredType), "renditions": .array(renditions),
            "longestSide": .optional(job.longestSide) { .integer(Int64($0)) },
        ]
        return value.compact
    }

    static func job(_ line: String) throws -> RenderJob {
        let value = try JSON5.parse(line)
        guard let file = value["file"]?.string, let type = value["type"]?.string, file.hasPrefix("/"),
            let wanted = value["renditions"]?.array
        else { throw Nonsense() }
        return RenderJob(
            file: file, declaredType: type, renditions: try wanted.map(rendition),
            longestSide: value["longestSide"]?.integer.flatMap(Int.init(exactly:)))
    }

    private static func rendition(_ value: JSONValue) throws -> RenditionRequest {
        guard let path = value["path"]?.string, path.hasPrefix("/"),
            let edge = value["edge"]?.integer.flatMap(Int.init(exactly:)), edge > 0,
            let quality = value["quality"]?.integer.flatMap(Int.init(exactly:)), (1...100).contains(quality),
            let isProgressive = value["progressive"]?.bool, let isDrawing = value["drawing"]?.bool
        else { throw Nonsense() }
        return RenditionRequest(
            path: path, edge: edge, quality: quality, isProgressive: isProgressive, isDrawing: isDrawing)
    }

    static func line(_ problem: RenderProblem) -> String {
        let value: JSONValue = [
            "code": .string(problem.code.rawValue), "message": .string(problem.description),
        ]
        return value.compact
    }

    static func line(
        _ facts: PictureFacts, _ sums: FileChecksums, size: UInt64, renditionCRCs: [UInt32]
    ) -> String {
        func image(_ image: Rendition, _ crc: UInt32) -> JSONValue {
            [
                "size": .unsigned(image.size), "width": .integer(Int64(image.width)),
                "height": .integer(Int64(image.height)), "crc32": .integer(Int64(crc)),
            ]
        }
        let members: [(key: String, value: JSONValue)] = [
            ("sha256", .string("\(sums.sha256)")), ("crc32", .integer(Int64(sums.crc32))),
            ("size", .unsigned(size)), ("width", .integer(Int64(facts.width))),
            ("height", .integer(Int64(facts.height))),
            ("orientation", .integer(Int64((facts.exif.orientation ?? .topLeft).rawValue))),
            ("renditions", .array(zip(facts.renditions, renditionCRCs).map(image))),
            ("colourProblem", .optional(facts.colours.problem, JSONValue.string)),
            ("placeholder", .optional(facts.placeholder) { .string(Base64URL.text($0.pixels)) }),
        ]
        return JSONValue.object(members + facts.exif.wire).compact
    }

    static func answer(_ line: String, to job: RenderJob) throws -> Result<RenderedPhoto, RenderProblem> {
        let value = try JSON5.parse(line)
        if let code = value["code"]?.string.flatMap(RenderProblem.Code.init(rawValue:)) {
            return .failure(RenderProblem(code, value["message"]?.string ?? ""))
        }
        func number(_ key: String, in value: JSONValue?) throws -> Int {
            guard let number = value?[key]?.integer.flatMap(Int.init(exactly:)), number > 0 else {
                throw Nonsense()
            }
            return number
        }
        guard let images = value["renditions"]?.array, images.count == job.renditions.count else {
            throw Nonsense()
        }
        let renditions = try images.map { image in
            Rendition(
                size: UInt64(try number("size", in: image)), width: try number("width", in: image),
                height: try number("height", in: image))
        }
        func crc(in value: JSONValue) throws -> UInt32 {
            guard let crc = value["crc32"]?.integer.flatMap(UInt32.init(exactly:)) else { throw Nonsense() }
            return crc
        }
        guard let sha256 = value["sha256"]?.string else { throw Nonsense() }
        return .success(
            RenderedPhoto(
                sha256: sha256, crc32: try crc(in: value), size: UInt64(try number("size", in: value)),
                width: try number("width", in: value), height: try number("height", in: value),
                orientation: try number("orientation", in: value),
                exif: ExifFacts(wire: value), renditions: renditions, renditionCRCs: try images.map(crc),
                colourProblem: value["colourProblem"]?.string,
                placeholder: try placeholder(in: value)))
    }

    private static func placeholder(in value: JSONValue) throws -> Placeholder? {
        guard let text = value["placeholder"]?.string else { return nil }
        guard let pixels = Base64URL.bytes(text), let placeholder = Placeholder(pixels) else {
            throw Nonsense()
        }
        return placeholder
    }
}
