package import Basics
import Database
package import Posix

/// What a home's cache holds on the disk, for those who look from outside, also while a bridge uses it.
package struct ImageCacheReport: Equatable, Sendable {
    package struct Kind: Equatable, Sendable {
        /// `thumb`, `screen`, `original`.
        package let name: String
        package let images: Int
        package let bytes: UInt64
    }

    /// In the order of their names.
    package let kinds: [Kind]
    /// When an image was last asked for, and when the one that goes first was; as far as it is written.
    package let lastUse: Timestamp?
    package let longestUnused: Timestamp?

    package var images: Int { kinds.reduce(0) { $0 + $1.images } }
    package var bytes: UInt64 { kinds.reduce(0) { $0 + $1.bytes } }

    /// Nothing is there where no cache has been used. Fails where the index cannot be read.
    package init(folder path: String) throws {
        guard try ImageIndex.isThere(in: path) else {
            (kinds, lastUse, longestUnused) = ([], nil, nil)
            return
        }
        let database = try Connection.openForReading(
            path: "\(path)/\(ImageIndex.fileName)", ImageIndex.migrations)
        kinds = try database.all(
            "SELECT kind, count(*) AS images, sum(size) AS bytes FROM images WHERE deleted_at IS NULL "
                + "GROUP BY kind ORDER BY kind"
        ) { row in Kind(name: try row["kind"], images: try row["images"], bytes: try row["bytes"]) }
        let uses = try database.first(
            "SELECT max(accessed_at) AS last, min(accessed_at) AS first FROM images WHERE deleted_at IS NULL"
        ) { row in (last: try row.get("last", as: Int64?.self), first: try row.get("first", as: Int64?.self))
        }
        lastUse = uses?.last.map { Timestamp(milliseconds: $0) }
        longestUnused = uses?.first.map { Timestamp(milliseconds: $0) }
    }

    /// Removes every image and the index, damaged or not. The caller holds the home's lock, so that no bridge uses them.
    package static func clear(folder path: String) throws(SystemError) -> (images: Int, bytes: UInt64) {
        let folder = try ImageFolder(path: path)
        var (images, bytes) = (0, UInt64(0))
        for name in try folder.names() {
            bytes += try folder.size(of: name) ?? 0
            try folder.remove(name)
            images += 1
        }
        for suffix in ImageIndex.companions + [""] { try folder.remove(ImageIndex.fileName + suffix) }
        return (images, bytes)
    }
}
