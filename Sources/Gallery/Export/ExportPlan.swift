import Basics
import Digest

/// What an exported photo is kept as: one file each.
enum ExportKind: String, CaseIterable, Sendable {
    /// A tile is shown in the list on screens with several pixels for one of CSS. A video's copy is without the places where it
    /// was recorded; its thumb, tile and screen are pictures of it.
    case thumb, tile, screen, video, original

    /// Where its files are.
    var folder: String { "\(rawValue)s" }
}

/// A file that is copied out of the storage.
struct ExportFile: Equatable, Sendable {
    /// From the export's folder on: "screens/DSC_1.jpg".
    let path: String
    let key: String
    let size: UInt64
    /// Where the database knows it.
    let sha256: String?
    /// When the photo was taken, in seconds.
    let taken: Int64

    var name: String { path.split(separator: "/").last.map(String.init) ?? path }

    /// Says which object it is, and is of no use for having it.
    var mark: String { String("\(SHA256.of(Array("tetherline export \(key)".utf8)))".prefix(32)) }
}

/// A photo as it is exported.
struct ExportItem: Sendable {
    let photo: Photo
    /// Which of the plan's sections it is in.
    let sections: [Int]
    /// By kind; what is not exported is not there.
    var files: [ExportKind: ExportFile]

    /// What is shown in the list, and what is shown large. Where one is not there, the other is.
    var small: ExportFile? { files[.thumb] ?? files[.screen] }
    var large: ExportFile? { files[.screen] ?? files[.thumb] }

    /// What one looks at: of a video that itself.
    var shown: ExportFile? { files[.video] ?? large }

    /// The anchor at which it stands.
    var anchor: String { "photo-\(photo.id)" }
}

/// Which files an export consists of, and under which names: the same names as in a ZIP of the whole event.
struct ExportPlan: Sendable {
    let event: Event
    /// When it began, by its clocks, read as if they showed UTC.
    let day: Timestamp?
    /// In the host's order.
    let sections: [Section]
    /// In the order of the page.
    var items: [ExportItem]

    /// Larger events are refused: what is known of every photo is in memory, once.
    static let mostPhotos = 100_000
    /// A folder holds no more files than this; beyond, there are folders of as many photos each.
    static let mostInOneFolder = 500

    init(_ rows: ExportRows, originals: Bool, _ zones: TimeZones) {
        event = rows.event
        sections = rows.sections
        day = event.startsAt.map { rows.event.clock(at: $0, zones) } ?? rows.rows.last?.photo.shownAt
        let photos = rows.rows.map(\.photo)
        // Names are given as for archives, which keep the name of the photo that came first.
        let screens = Self.names(photos) { (Photo.screenName, $0.screenKey) }
        let originalNames = originals ? Self.names(photos) { (Photo.name, $0.originalKey) } : []
        let videos = Self.names(photos) { (Photo.name, $0.video?.streamKey ?? $0.screenKey) }
        let isFlat = photos.count <= Self.mostInOneFolder
        items = rows.rows.enumerated().map { index, row in
            let photo = row.photo
            func file(
                _ kind: ExportKind, _ name: String, _ key: String, _ size: UInt64, _ hash: String? = nil
            )
                -> ExportFile
            {
                let shard = isFlat ? "" : "\(Self.shard(photo.sequence))/"
                return ExportFile(
                    path: "\(kind.folder)/\(shard)\(name)", key: key, size: size, sha256: hash,
                    taken: (photo.capturedAt ?? photo.createdAt).seconds)
            }
            var files: [ExportKind: ExportFile] = [
                .thumb: file(.thumb, screens[index], photo.thumbKey, row.thumbSize),
                .screen: file(.screen, screens[index], photo.screenKey, row.screenSize),
            ]
            if let tile = photo.tile { files[.tile] = file(.tile, screens[index], tile.key, tile.size) }
            if let video = photo.video {
                files[.video] = file(.video, videos[index], video.streamKey, video.streamSize)
            }
            if originals {
                files[.original] = file(
                    .original, originalNames[index], photo.originalKey, photo.size, photo.sha256)
            }
            return ExportItem(photo: photo, sections: row.sections, files: files)
        }
    }

    private typealias Naming = (name: (String?, String, String) -> String, key: String)

    private static func names(_ photos: [Photo], _ naming: (Photo) -> Naming) -> [String] {
        let entries = photos.map { photo in
            let (name, key) = naming(photo)
            return ZipEntry(
                key: key, name: name(photo.filename, photo.id, photo.contentType), size: photo.size, crc: nil,
                at: photo.createdAt, sequence: photo.sequence)
        }
        return ZipLayout(entries).files.map(\.name)
    }

    func albums(of item: ExportItem) -> [String] { item.sections.map { sections[$0].name } }

    /// By the order in which photos came, so that no photo that comes or goes moves another.
    private static func shard(_ sequence: Int64) -> String {
        let number = String(sequence / Int64(mostInOneFolder))
        return String(repeating: "0", count: max(0, 4 - number.count)) + number
    }

    /// From the photo that came first on: in this order files give way to each other.
    var files: [ExportFile] {
        items.sorted { $0.photo.sequence < $1.photo.sequence }
            .flatMap { item in ExportKind.allCases.compactMap { item.files[$0] } }
    }
}
