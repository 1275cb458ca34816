import Basics
import Bridge
import PhotoMetadata
import Upload

/// What was made for a job, as it is noted beside the file.
enum KeptCaption {
    static func name(of job: Job) -> String { "\(job.key).json" }

    /// All that may be there for one job.
    static func names(of key: String) -> [String] { ["jpg", "xmp", "json"].map { "\(key).\($0)" } }

    static func note(_ made: CaptionedFile) -> [UInt8] {
        let value: JSONValue =
            switch made {
            case .none, .stopped: ["form": "none"]
            case .leftOut(let reason): ["form": "leftOut", "reason": .string(reason)]
            case .copy(let photo, let codes): note("copy", photo, codes)
            case .sidecar(let photo, let codes): note("sidecar", photo, codes)
            }
        return Array(value.compact.utf8)
    }

    private static func note(_ form: String, _ photo: StagedPhoto, _ codes: [String]) -> JSONValue {
        [
            "form": .string(form), "file": .string(photo.file), "size": .unsigned(photo.size),
            "sha256": .string(photo.sha256), "unknownCodes": .array(codes.map(JSONValue.string)),
        ]
    }

    /// Nothing for what is no such note: then it is made again.
    static func read(_ bytes: [UInt8], in folder: String) -> CaptionedFile? {
        let value: JSONValue
        do throws(JSON5Error) {
            value = try JSON5.parse(String(decoding: bytes, as: UTF8.self))
        } catch {
            return nil
        }
        let codes = (value["unknownCodes"]?.array ?? []).compactMap(\.string)
        switch value["form"]?.string {
        case "none": return CaptionedFile.none
        case "leftOut": return .leftOut(value["reason"]?.string ?? "")
        case "copy": return photo(value, folder).map { .copy($0, unknownCodes: codes) }
        case "sidecar": return photo(value, folder).map { .sidecar($0, unknownCodes: codes) }
        default: return nil
        }
    }

    private static func photo(_ value: JSONValue, _ folder: String) -> StagedPhoto? {
        guard let file = value["file"]?.string, !file.contains("/"),
            let size = value["size"]?.integer.flatMap({ UInt64(exactly: $0) }),
            let sha256 = value["sha256"]?.string
        else { return nil }
        return StagedPhoto(file: file, size: size, sha256: sha256, folder: folder)
    }
}

extension CaptionedFile {
    /// The file that was made, where one was.
    var photo: StagedPhoto? {
        switch self {
        case .none, .leftOut, .stopped: nil
        case .copy(let photo, _), .sidecar(let photo, _): photo
        }
    }
}
