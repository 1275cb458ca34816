import Basics
import Imaging

/// What the gallery and its renderers say to each other: a line of JSON each way.
enum RenderWire {
    /// Of an answer: a hundred bytes of numbers and four texts of a camera's.
    static let longestLine = 16 << 10

    /// Both are the same program, so that whatever else comes was not said by a renderer.
    struct Nonsense: Error {}

    static func line(_ job: RenderJob) -> String {
        let value: JSONValue = [
            "file": .string(job.file), "type": .string(job.declaredType), "thumb": .string(job.thumb),
            "screen": .string(job.screen),
        ]
        return value.compact
    }

    static func job(_ line: String) throws -> RenderJob {
        let value = try JSON5.parse(line)
        guard let file = value["file"]?.string, let type = value["type"]?.string,
            let thumb = value["thumb"]?.string, let screen = value["screen"]?.string,
            [file, thumb, screen].allSatisfy({ $0.hasPrefix("/") })
        else { throw Nonsense() }
        return RenderJob(file: file, declaredType: type, thumb: thumb, screen: screen)
    }

    static func line(_ problem: RenderProblem) -> String {
        let value: JSONValue = [
            "code": .string(problem.code.rawValue), "message": .string(problem.description),
        ]
        return value.compact
    }

    static func line(_ facts: PictureFacts, sha256: String, size: UInt64) -> String {
        func image(_ image: Rendition) -> JSONValue {
            [
                "size": .unsigned(image.size), "width": .integer(Int64(image.width)),
                "height": .integer(Int64(image.height)),
            ]
        }
        let exif = facts.exif
        let value: JSONValue = [
            "sha256": .string(sha256), "size": .unsigned(size), "width": .integer(Int64(facts.width)),
            "height": .integer(Int64(facts.height)),
            "orientation": .integer(Int64((exif.orientation ?? .topLeft).rawValue)),
            "clock": .optional(exif.time.clock) { .integer($0.milliseconds) },
            "offset": .optional(exif.time.offset) { .integer(Int64($0)) },
            "satellites": .optional(exif.time.satellites) { .integer($0.milliseconds) },
            "make": .optional(exif.make, JSONValue.string), "model": .optional(exif.model, JSONValue.string),
            "serial": .optional(exif.serial, JSONValue.string),
            "copyright": .optional(exif.copyright, JSONValue.string), "thumb": image(facts.thumb),
            "screen": image(facts.screen),
            "colourProblem": .optional(facts.colours.problem, JSONValue.string),
        ]
        return value.compact
    }

    private static func exif(in value: JSONValue) -> ExifFacts {
        var exif = ExifFacts()
        // Whoever has taken over a decoder can say anything here.
        func moment(_ key: String) -> Timestamp? {
            value[key]?.integer.flatMap {
                Timestamp.writable.contains($0) ? Timestamp(milliseconds: $0) : nil
            }
        }
        exif.time = ExifTime(
            clock: moment("clock"),
            offset: value["offset"]?.integer.flatMap(Int.init(exactly:)).flatMap {
                ExifTime.zones.contains($0) ? $0 : nil
            }, satellites: moment("satellites"))
        exif.make = value["make"]?.string
        exif.model = value["model"]?.string
        exif.serial = value["serial"]?.string
        exif.copyright = value["copyright"]?.string
        return exif
    }

    static func answer(_ line: String) throws -> Result<RenderedPhoto, RenderProblem> {
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
        func image(_ key: String) throws -> RenderedPhoto.Image {
            RenderedPhoto.Image(
                size: UInt64(try number("size", in: value[key])), width: try number("width", in: value[key]),
                height: try number("height", in: value[key]))
        }
        guard let sha256 = value["sha256"]?.string else { throw Nonsense() }
        return .success(
            RenderedPhoto(
                sha256: sha256, size: UInt64(try number("size", in: value)),
                width: try number("width", in: value), height: try number("height", in: value),
                orientation: try number("orientation", in: value),
                exif: exif(in: value), thumb: try image("thumb"), screen: try image("screen"),
                colourProblem: value["colourProblem"]?.string))
    }
}
