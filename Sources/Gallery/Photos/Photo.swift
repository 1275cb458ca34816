package import Basics
import Bridge
package import Imaging

/// A photo as the database has it.
package struct Photo: Equatable, Sendable {
    package let id: String
    package let event: String
    package let owner: String
    package let sequence: Int64
    package let sha256: String
    package let contentType: String
    package let size: UInt64
    package let width: Int
    package let height: Int
    package let filename: String?
    package let source: String?
    package let camera: String?
    package let copyright: String?
    package let capturedAt: Timestamp?
    /// By how many minutes clocks were ahead of UTC where it was taken; nothing where that is unknown.
    package let capturedOffset: Int?
    /// What clocks in the event's zone showed then, read as if it were UTC.
    package let shownAt: Timestamp?
    package let createdAt: Timestamp
    package let thumbKey: String
    package let screenKey: String
    package let originalKey: String
    package let thumbWidth: Int
    package let thumbHeight: Int
    /// Nothing of what is hardly larger than its thumb, and of photos from before there were any.
    package var tile: Tile?
    /// Nothing of photos from before there were any.
    package var placeholder: Placeholder?
    package let caption: String
    package let rating: Int
    package let tags: [String]
    package let isHidden: Bool
    package let updatedAt: Timestamp
    package let stamp: Int64
    /// As the guest who brought it has called themselves, empty where they have not; nothing for photos of the host's.
    package var guestName: String?
    /// A guest has brought it, and its host has not decided on it: it is hidden until then.
    package var isWaiting = false
    /// Nothing of one that stands still.
    package var video: PhotoVideo?

    /// Of all that lies in the storage.
    package var keys: [String] {
        [thumbKey, screenKey, originalKey] + [tile?.key, video?.streamKey].compactMap(\.self)
    }

    /// The rendition for walls on screens that have several pixels for one of CSS.
    package struct Tile: Equatable, Sendable {
        package let key: String
        package let size: UInt64
        /// In pixels. The longer side is what is limited, which is not this one of a picture on end.
        package let width: Int

        package init(key: String, size: UInt64, width: Int) {
            self.key = key
            self.size = size
            self.width = width
        }
    }

    /// Where it stands on the page: by when it was taken, and where that is unknown, by when it came.
    package var place: PhotoCursor { PhotoCursor(capturedAt ?? createdAt, sequence) }

    /// The name that a download is saved under.
    package var name: String { Self.name(filename: filename, id: id, contentType: contentType) }

    /// It ends as photos and videos do. A guest may bring a photo that is a page or a program besides, which a browser or a
    /// server would take it for by its name.
    static func name(filename: String?, id: String, contentType: String) -> String {
        let name = SafeName.component(filename ?? "", fallback: id)
        if let dot = name.lastIndex(of: "."), endings.contains(name[name.index(after: dot)...].lowercased()) {
            return name
        }
        return SafeName.shortened("\(name).\(ending(of: contentType))")
    }

    /// Of all kinds that are taken, and of what cameras call their own of these.
    private static let endings: Set = [
        "jpg", "jpeg", "jpe", "jfif", "mpo", "thm", "insp", "png", "heic", "heif", "hif", "tif", "tiff",
        "cr2", "cr3",
        "nef", "nrw", "arw", "sr2", "srf", "raf", "dng", "rw2", "raw", "rwl", "mp4", "m4v", "mov", "qt",
        "lrv", "insv",
    ]

    private static func ending(of contentType: String) -> String {
        let kind = contentType.split(separator: "/").last.map(String.init) ?? ""
        // "x-canon-cr2"
        let ending = kind.split(separator: "-").last.map(String.init) ?? "bin"
        return ["jpeg": "jpg", "quicktime": "mov", "tiff": "tif"][ending] ?? ending
    }

    /// That of the rendition for screens, which is a JPEG whatever the camera wrote.
    static func screenName(filename: String?, id: String, contentType: String) -> String {
        let name = name(filename: filename, id: id, contentType: contentType)
        let stem = name.lastIndex(of: ".").map { name[..<$0] } ?? name[...]
        return SafeName.shortened("\(stem.isEmpty ? name[...] : stem).jpg")
    }
}

/// What a photo that moves has besides.
package struct PhotoVideo: Equatable, Sendable {
    /// The key of the copy that guests are given.
    package let streamKey: String
    package let streamSize: UInt64
    /// In milliseconds; nothing where its file does not say it.
    package let duration: Int64?
    /// Its renditions show a picture out of it, and not a sign that stands for it.
    package let hasPoster: Bool

    /// In seconds, as the API says it.
    package var seconds: Double? { duration.map { Double($0) / 1000 } }
}

/// Which of an event's photos are wanted.
package struct PhotoFilter: Equatable, Sendable {
    package var text = ""
    package var rating = 0
    package var showsHidden = false
    /// Only those of guests that wait for the host, whatever is searched for.
    package var isWaiting = false
    /// Of one album, of which guests see what is not hidden.
    package var album: String?
    /// Photos behind this place, in the order of the page.
    package var behind: PhotoCursor?
    package var limit = 100

    package init() {}

    package static let mostText = 200
    package static let mostAtOnce = 200
}

/// What may be changed of a photo; nothing where nothing is said.
package struct PhotoWish: Equatable, Sendable {
    package var caption: String?
    package var rating: Int?
    package var tags: [String]?
    package var isHidden: Bool?

    package init() {}
}
