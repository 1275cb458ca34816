/// Why the file of a photo cannot be delivered as it lies on this machine. Trying again changes nothing about it.
public enum SpoolFileFailure: Error, Equatable, Sendable {
    case missing(path: String)
    case otherSize(path: String, found: UInt64, staged: UInt64)
    case otherBytes(path: String)

    /// As the ledger keeps it, before the sentence: by these it finds the jobs that a mended file sets free.
    public enum Code: String, CaseIterable, Sendable {
        case missing = "localFileMissing"
        case damaged = "localFileDamaged"
    }

    public var code: Code {
        switch self {
        case .missing: .missing
        case .otherSize, .otherBytes: .damaged
        }
    }
}

/// What a gallery does with photos that it was sent, so that they are sent again.
enum GalleryFailure: Equatable, Sendable {
    case forgetsUploads
    case forgetsPhoto
    case letsPlaceExpire
    case photosDoNotArrive
    /// One of the others, each time.
    indirect case again(GalleryFailure)
}
