import Arguments
import Bridge
import Camera
import PTP
import Posix

/// `camera ls`: every file on the cards.
struct ListCommand {
    let options: ConnectionOptions

    init(_ options: ConnectionOptions) {
        self.options = options
    }

    func run(on reactor: Reactor) async throws -> ExitCode {
        let isJSON = options.isJSON
        return try await options.session(on: reactor).run { session in
            let vendor = try await session.device().vendor
            let listing = try await session.list()
            let files = listing.objects.lazy.filter { !$0.info.isFolder }
            if isJSON {
                for file in files { printOutput(Self.json(file, vendor).compact) }
            } else {
                Human.table(files, row: { Self.row($0, vendor) }, each: { printOutput($0) })
            }
            for (handle, reason) in listing.unreadable.sorted(by: { $0.key.rawValue < $1.key.rawValue }) {
                printError("object \(handle) was left out: \(reason)")
            }
            return listing.unreadable.isEmpty ? .success : .failure
        }
    }

    private static func row(_ file: ListedObject, _ vendor: Vendor?) -> [String] {
        [
            "\(file.handle)", file.size.map { Human.bytes($0) } ?? "?",
            Visible(file.info.captureDate).description, file.info.format.described(for: vendor),
            Visible(file.path).description,
        ]
    }

    private static func json(_ file: ListedObject, _ vendor: Vendor?) -> JSONValue {
        [
            "handle": .string("\(file.handle)"),
            "path": .string(file.path),
            "size": .optional(file.size) { .unsigned($0) },
            "date": .string(file.info.captureDate),
            "format": .string(file.info.format.described(for: vendor)),
            "storage": .string("\(file.info.storage)"),
            "protected": .bool(file.info.isProtected),
        ]
    }
}

extension ListedObject {
    /// For people: the camera's own names, with slashes between them.
    var path: String { (folders + [info.fileName]).joined(separator: "/") }
}
