/// What a file's own structure says about its length.
public enum StructureVerdict: Equatable, Sendable {
    /// The structure ends where the file ends, but for padding and for what cameras are known to append.
    case whole
    /// The structure reaches past the file's end, or lacks an end that it must have. The reason is half a sentence
    /// about the file: "its strip at byte 100 reaches to byte 900, and it has 800".
    case cutShort(String)
    /// A kind that is not judged, a structure that does not say where the file ends, or one beyond the limits.
    case unknown
}

/// Whether a whole file's own structure contradicts its length.
///
/// Some cameras announce another size than they send. When the same bytes come again, only the file itself can tell
/// whether they are all. Offsets and lengths are looked at, never pictures, and in doubt the file is not called cut: to
/// refuse an intact photo for ever is worse than to keep a damaged one.
public enum FileStructure {
    /// What looking at one file costs at most, whatever stands in it. Beyond these the verdict is `unknown`.
    package enum Limit {
        /// Bytes read in front of the tail.
        package static let bytes = 96 << 10
        /// The last bytes, in which a JPEG's end is looked for and padding is told from data.
        package static let tail = 64 << 10
        /// A JPEG's segments before its first scan. Some writers fill files with segments of 64 KiB.
        package static let segments = 4096
        /// Pictures behind the first one of a JPEG, in the index of the Multi-Picture Format.
        package static let pictures = 64
        /// Boxes at the top of a film.
        package static let boxes = 4096
        /// Chunks of a PNG, RIFFs of an AVI.
        package static let chunks = 4096
        /// TIFF directories: pages, previews, the raw picture, EXIF.
        package static let directories = 64
        package static let directoryEntries = 1024
        /// The last offsets of a TIFF's strips or tiles; what is in front of them is not looked at.
        package static let strips = 2048
        /// Directories that one entry points to.
        package static let subdirectories = 16
    }

    /// `read` gives `count` bytes from `offset`; it is not asked for bytes past `length`. Fewer mean that the file ends
    /// there.
    public static func verdict<Failure: Error>(
        length: UInt64, read: (_ offset: UInt64, _ count: Int) throws(Failure) -> [UInt8]
    ) throws(Failure) -> StructureVerdict {
        try withoutActuallyEscaping(read) { read throws(Failure) in
            var reader = StructureReader(length: length, read: read)
            do throws(StructureEnd<Failure>) {
                return try reader.verdict()
            } catch {
                switch error {
                case .verdict(let verdict): return verdict
                case .failed(let failure): throw failure
                }
            }
        }
    }
}
