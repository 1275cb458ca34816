/// What a camera says about one object (PIMA 15740 §5.5.2).
public struct ObjectInfo: Equatable, Sendable {
    public var storage = StorageID.firstSlot
    public var format = FormatCode.undefined
    public var protection: UInt16 = 0
    /// Clamped to 0xFFFFFFFF for objects of 4 GiB and more; 0 or made up until some cameras are ready.
    public var compressedSize: UInt32 = 0
    public var thumbFormat = FormatCode(rawValue: 0)
    public var thumbCompressedSize: UInt32 = 0
    public var thumbWidth: UInt32 = 0
    public var thumbHeight: UInt32 = 0
    public var imageWidth: UInt32 = 0
    public var imageHeight: UInt32 = 0
    public var imageBitDepth: UInt32 = 0
    public var parent = ObjectHandle.root
    public var associationType: UInt16 = 0
    public var associationDescription: UInt32 = 0
    public var sequenceNumber: UInt32 = 0
    /// As the camera says it: not a path by the standard, and not to be used as one.
    public var fileName = ""
    public var captureDate = ""
    public var modificationDate = ""
    public var keywords = ""

    public init() {}

    /// What ends early has empty strings; what goes on behind the last field is ignored.
    ///
    /// Samsung phones write the size with eight bytes. No sign in the bytes tells that apart from a standard
    /// dataset with an empty name, so the vendor has to.
    public init(decoding bytes: ArraySlice<UInt8>, vendor: Vendor? = nil) throws(Malformed) {
        self = try PTP.decoding("ObjectInfo", bytes) { reader throws(ReadFailure) in
            var info = ObjectInfo()
            info.storage = StorageID(rawValue: try reader.integer("StorageID"))
            info.format = FormatCode(rawValue: try reader.integer("ObjectFormat"))
            info.protection = try reader.integer("ProtectionStatus")
            if vendor == .samsung {
                info.compressedSize = UInt32(
                    clamping: try reader.integer("ObjectCompressedSize", as: UInt64.self))
            } else {
                info.compressedSize = try reader.integer("ObjectCompressedSize")
            }
            info.thumbFormat = FormatCode(rawValue: try reader.integer("ThumbFormat"))
            info.thumbCompressedSize = try reader.integer("ThumbCompressedSize")
            info.thumbWidth = try reader.integer("ThumbPixWidth")
            info.thumbHeight = try reader.integer("ThumbPixHeight")
            info.imageWidth = try reader.integer("ImagePixWidth")
            info.imageHeight = try reader.integer("ImagePixHeight")
            info.imageBitDepth = try reader.integer("ImageBitDepth")
            info.parent = ObjectHandle(rawValue: try reader.integer("ParentObject"))
            info.associationType = try reader.integer("AssociationType")
            info.associationDescription = try reader.integer("AssociationDesc")
            info.sequenceNumber = try reader.integer("SequenceNumber")
            info.fileName = try reader.stringIfPresent("Filename")
            info.captureDate = try reader.stringIfPresent("CaptureDate")
            info.modificationDate = try reader.stringIfPresent("ModificationDate")
            info.keywords = try reader.stringIfPresent("Keywords")
            return info
        }
    }

    public var encoded: [UInt8] {
        var writer = ByteWriter(reserving: 160)
        writer.append(storage.rawValue)
        writer.append(format.rawValue)
        writer.append(protection)
        writer.append(compressedSize)
        writer.append(thumbFormat.rawValue)
        for number in [thumbCompressedSize, thumbWidth, thumbHeight, imageWidth, imageHeight, imageBitDepth] {
            writer.append(number)
        }
        writer.append(parent.rawValue)
        writer.append(associationType)
        writer.append(associationDescription)
        writer.append(sequenceNumber)
        for text in [fileName, captureDate, modificationDate, keywords] { writer.append(text) }
        return writer.bytes
    }

    /// Association type 1 or the format: cameras set one of the two, or both. The type counts only where the format is
    /// not said and there are no bytes, so that a photo with a wrong association type is still fetched.
    public var isFolder: Bool {
        format == .association
            || format == .undefined && associationType == Self.genericFolder && compressedSize == 0
    }

    /// The association type of a folder.
    private static let genericFolder: UInt16 = 1

    public var sizeIsClamped: Bool { compressedSize == .max }

    /// 1 is PTP's read-only; MTP has two more ways to say that an object is not to be touched.
    public var isProtected: Bool { protection != 0 }
}
