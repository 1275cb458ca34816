import Basics
import Imaging
import Rendering

/// What a pool and its workers say to each other: a line of JSON each way.
enum VideoWire {
    /// Of an answer: numbers, and some texts of a camera's.
    static let longestLine = 16 << 10

    /// Both are the same program: a worker says nothing else.
    struct Nonsense: Error {}

    static func line(_ job: VideoJob) -> String {
        let value: JSONValue = [
            "file": .string(job.file), "type": .string(job.declaredType), "copy": .string(job.copy),
        ]
        return value.compact
    }

    private static func job(_ line: String) throws -> VideoJob {
        let value = try JSON5.parse(line)
        guard let file = value["file"]?.string, let type = value["type"]?.string,
            let copy = value["copy"]?.string, file.hasPrefix("/"), copy.hasPrefix("/")
        else { throw Nonsense() }
        return VideoJob(file: file, declaredType: type, copy: copy)
    }

    static func result(of job: VideoJob) -> Result<PreparedVideo, VideoProblem> {
        do {
            return .success(try VideoWork.prepare(job))
        } catch let problem as VideoProblem {
            return .failure(problem)
        } catch {
            return .failure(
                VideoProblem(.storage, "the video could not be read or its copy written: \(error)"))
        }
    }

    static func answer(_ line: String) -> String {
        do {
            switch result(of: try job(line)) {
            case .success(let video): return Self.line(video)
            case .failure(let problem): return Self.line(problem)
            }
        } catch {
            return Self.line(VideoProblem(.storage, "the worker was asked what makes no sense"))
        }
    }

    private static func line(_ problem: VideoProblem) -> String {
        let value: JSONValue = [
            "code": .string(problem.code.rawValue), "message": .string(problem.description),
        ]
        return value.compact
    }

    private static func line(_ video: PreparedVideo) -> String {
        let members: [(key: String, value: JSONValue)] = [
            ("sha256", .string(video.sha256)), ("crc32", .integer(Int64(video.crc))),
            ("size", .unsigned(video.size)), ("copy", .integer(Int64(video.copyCRC))),
            ("width", .integer(Int64(video.facts.width))), ("height", .integer(Int64(video.facts.height))),
            ("duration", .optional(video.facts.milliseconds) { .integer($0) }),
        ]
        return JSONValue.object(members + video.facts.exif.wire).compact
    }

    static func answer(to line: String) throws -> Result<PreparedVideo, VideoProblem> {
        let value = try JSON5.parse(line)
        if let code = value["code"]?.string.flatMap(VideoProblem.Code.init(rawValue:)) {
            return .failure(VideoProblem(code, value["message"]?.string ?? ""))
        }
        func number(_ key: String, _ range: ClosedRange<Int64>) throws -> Int64 {
            guard let number = value[key]?.integer, range.contains(number) else { throw Nonsense() }
            return number
        }
        let sides = 1...Int64(VideoLimits().side)
        let sums = 0...Int64(UInt32.max)
        guard let sha256 = value["sha256"]?.string, sha256.utf8.count == 64 else { throw Nonsense() }
        let facts = VideoFacts(
            width: Int(try number("width", sides)), height: Int(try number("height", sides)),
            milliseconds: value["duration"]?.integer == nil
                ? nil : try number("duration", 0...Int64(1) << 40),
            exif: ExifFacts(wire: value))
        return .success(
            PreparedVideo(
                sha256: sha256, crc: UInt32(try number("crc32", sums)),
                size: UInt64(try number("size", 1...Int64.max)), facts: facts,
                copyCRC: UInt32(try number("copy", sums))))
    }
}
