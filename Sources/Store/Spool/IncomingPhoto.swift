package import Basics
package import Bridge

/// A photo on its way: an open partial file and how much of it can be gone on with.
package struct IncomingPhoto: Sendable {
    package let capture: CaptureID
    package let file: any DiskFile
    package let kept: UInt64

    /// A beginning that is shorter is not worth going on with: too little of it could be compared.
    package static let leastKept: UInt64 = 64

    package init(capture: CaptureID, file: any DiskFile, kept: UInt64) {
        self.capture = capture
        self.file = file
        self.kept = kept
    }
}

/// What became of a file all of whose bytes were there.
package enum ShelfFinish: Equatable, Sendable {
    /// Under its final name, whole and on the disk.
    case whole(file: String, doubts: Set<PhotoDoubt>)
    /// The count of bytes is not what it should be.
    case wrongLength(found: UInt64)
    /// It does not begin like a file of its kind: how it begins instead.
    case foreignBeginning(String)
    /// Its own structure says that bytes are missing.
    case cutShort(String)
}
