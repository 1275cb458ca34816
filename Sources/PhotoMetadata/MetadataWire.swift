import Basics
import Captions

/// What a pool and its workers say to each other: a line of JSON each way.
enum MetadataWire {
    static let longestLine = 4 << 10

    /// Both are the same program: a worker says nothing else.
    struct Nonsense: Error {}

    static func line(_ job: MetadataJob) -> String {
        let value: JSONValue = [
            "form": .string(job.form.rawValue), "photo": .string(job.photo), "sha256": .string(job.sha256),
            "folder": .string(job.folder),
            "name": .string(job.name),
            "entries": .array(
                job.entries.map {
                    ["key": .string($0.key), "values": .array($0.values.map(JSONValue.string))]
                }),
        ]
        return value.compact
    }

    static func job(_ line: String) throws -> MetadataJob {
        let value = try JSON5.parse(line)
        guard let form = value["form"]?.string.flatMap(MetadataJob.Form.init(rawValue:)),
            let photo = value["photo"]?.string, photo.hasPrefix("/"), let sha256 = value["sha256"]?.string,
            let folder = value["folder"]?.string, folder.hasPrefix("/"), let name = value["name"]?.string,
            let entries = value["entries"]?.array
        else { throw Nonsense() }
        return MetadataJob(form, of: photo, sha256: sha256, try entries.map(entry), in: folder, as: name)
    }

    private static func entry(_ value: JSONValue) throws -> MetadataEntry {
        guard let key = value["key"]?.string, let values = value["values"]?.array?.map(\.string),
            !values.contains(nil)
        else { throw Nonsense() }
        return MetadataEntry(key, values.compactMap { $0 })
    }

    static func line(_ file: MadeFile) -> String {
        let value: JSONValue = ["size": .unsigned(file.size), "sha256": .string(file.sha256)]
        return value.compact
    }

    static func line(_ problem: MetadataProblem) -> String {
        let value: JSONValue = [
            "problem": .string(problem.description), "kind": .string(problem.kind.rawValue),
        ]
        return value.compact
    }

    static func answer(_ line: String) throws -> Result<MadeFile, MetadataProblem> {
        let value = try JSON5.parse(line)
        if let problem = value["problem"]?.string {
            let kind = value["kind"]?.string.flatMap(MetadataProblem.Kind.init(rawValue:))
            return .failure(MetadataProblem(problem, kind ?? .photo))
        }
        guard let size = value["size"]?.integer.flatMap({ UInt64(exactly: $0) }), size > 0,
            let sha256 = value["sha256"]?.string, sha256.utf8.count == 64
        else { throw Nonsense() }
        return .success(MadeFile(size: size, sha256: sha256))
    }
}
