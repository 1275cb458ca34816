import Basics
import Digest
import Web

/// What is written beside the pictures: pages, their style and script, the facts, and the checksums of everything.
struct ExportSite: Sendable {
    private let plan: ExportPlan
    /// Of all files that are there, by their paths.
    private let hashes: [String: SHA256Digest]
    private let language: Language

    /// On one page: some seconds of scrolling, and a file that any browser opens at once.
    static let photosOnPage = 300

    init(_ plan: ExportPlan, _ hashes: [String: SHA256Digest], in language: Language) {
        self.plan = plan
        self.hashes = hashes
        self.language = language
    }

    private static let assets = [
        BuiltInFile.asset("export.css", as: "gallery.css"),
        BuiltInFile.asset("export.js", as: "gallery.js"), BuiltInFile.asset("icon.svg"),
    ]

    /// Checksums come last: where they fit, everything is there. `onStep` runs before each page, and may end it there.
    func write(to folder: ExportFolder, onStep: () throws -> Void) throws -> ExportPages {
        var sums = hashes
        let pages = ExportPages(plan, in: language)
        for list in pages.lists.reversed() {
            for page in pages.pages(of: list).reversed() {
                try onStep()
                sums[page.name] = try folder.write(Array(page.html.utf8), to: page.name)
            }
        }
        // Behind them: a script of before works on a page of now, which tells it more than it asks for.
        for asset in Self.assets { sums[asset.name] = try folder.write(asset.bytes, to: asset.name) }
        sums["photos.json"] = try folder.write(facts, to: "photos.json")
        _ = try folder.write(Self.text(sums), to: "SHA256SUMS")
        try folder.removePages(but: Set(pages.lists.flatMap { $0.contents.map(\.name) }))
        try folder.finish()
        return pages
    }

    /// As `sha256sum` writes and reads them. No name has what would have to be escaped there; see `SafeName`.
    private static func text(_ sums: [String: SHA256Digest]) -> [UInt8] {
        var text: [UInt8] = []
        for (path, hash) in sums.sorted(by: { $0.key < $1.key }) { text += "\(hash)  \(path)\n".utf8 }
        return text
    }

    // MARK: Facts

    /// The number of this form of `photos.json`: it changes where a reader of before would be wrong.
    private static let format: Int64 = 1

    /// A photo on a line, so that an event of any size can be read line by line.
    private var facts: [UInt8] {
        let event = plan.event
        let head: JSONValue = [
            "format": .integer(Self.format), "name": .string(event.name),
            "startsAt": event.startsAt.json, "timeZone": (event.shownZone?.text).json,
            "count": .integer(Int64(plan.items.count)),
        ]
        var text = Array(head.compact.utf8.dropLast())
        text += ",\"photos\":[\n".utf8
        for (index, item) in plan.items.enumerated() {
            if index > 0 { text += ",\n".utf8 }
            text += facts(of: item).compact.utf8
        }
        text += "\n]}\n".utf8
        return text
    }

    private func facts(of item: ExportItem) -> JSONValue {
        let photo = item.photo
        var files: [(key: String, value: JSONValue)] = []
        for kind in ExportKind.allCases {
            guard let file = item.files[kind] else { continue }
            files.append(
                (
                    kind.rawValue,
                    [
                        "path": .string(file.path), "bytes": .unsigned(file.size),
                        "sha256": .optional(hashes[file.path]) { .string("\($0)") },
                    ]
                ))
        }
        return [
            "id": .string(photo.id), "name": .string(photo.name), "caption": .string(photo.caption),
            "rating": .integer(Int64(photo.rating)), "tags": .array(photo.tags.map(JSONValue.string)),
            "albums": .array(plan.albums(of: item).map(JSONValue.string)),
            "capturedAt": photo.capturedAt.json,
            "capturedOffset": .optional(photo.capturedOffset) { .integer(Int64($0)) },
            "localTime": photo.shownAt.local, "camera": photo.camera.json, "copyright": photo.copyright.json,
            "guestName": photo.guestName.json,
            "width": .integer(Int64(photo.width)), "height": .integer(Int64(photo.height)),
            "contentType": .string(photo.contentType), "sha256": .string(photo.sha256),
            "kind": photo.video == nil ? "photo" : "video",
            "duration": .optional(photo.video?.seconds, JSONValue.double), "files": .object(files),
        ]
    }
}
