public import PTP

/// One thing on a card: a folder or a file.
public struct CardObject: Sendable {
    public enum Kind: Sendable {
        case folder
        case photo(PhotoDescription, isRaw: Bool)
        case file(path: String)
    }

    public var handle: ObjectHandle
    public var storage: StorageID
    public var parent: ObjectHandle
    public var name: String
    public var format: FormatCode
    public var size: UInt64
    /// As the dataset says it; empty where the camera does not know.
    public var date: String
    /// Counts the shots since power-on; a RAW and its JPEG share it.
    public var sequence: UInt32
    public var isProtected = false
    public var width = 0
    public var height = 0
    public var thumbnailLength = 0
    public var kind: Kind
    /// When the shutter made it; nothing for what was there before.
    public var shotAt: Duration?
    /// How many objects the card had had before it. Never changes, and is never given again.
    var order: UInt32 = 0
    /// What stands in place of its first bytes; nothing where they are its own.
    var foreignBeginning: [UInt8] = []

    public var isFolder: Bool { format == .association }

    /// Only this many bytes of size fit into ObjectInfo.
    public func info(size shown: UInt64) -> ObjectInfo {
        var info = ObjectInfo()
        info.storage = storage
        info.format = format
        info.protection = isProtected ? 1 : 0
        info.compressedSize = UInt32(clamping: shown)
        if thumbnailLength > 0 {
            info.thumbFormat = .jfif
            info.thumbCompressedSize = UInt32(thumbnailLength)
            info.thumbWidth = 160
            info.thumbHeight = 120
        }
        info.imageWidth = UInt32(width)
        info.imageHeight = UInt32(height)
        info.imageBitDepth = width > 0 ? 24 : 0
        info.parent = parent
        info.associationType = isFolder ? 1 : 0
        info.sequenceNumber = sequence
        info.fileName = name
        info.captureDate = date
        info.modificationDate = date
        return info
    }
}
