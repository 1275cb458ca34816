/// What a camera says about a card (PIMA 15740 §5.5.3).
public struct StorageInfo: Equatable, Sendable {
    public struct Kind: RawRepresentable, Hashable, Sendable {
        public let rawValue: UInt16

        public init(rawValue: UInt16) {
            self.rawValue = rawValue
        }

        public static let undefined = Kind(rawValue: 0)
        public static let fixedROM = Kind(rawValue: 1)
        public static let removableROM = Kind(rawValue: 2)
        /// A buffer inside the camera.
        public static let fixedRAM = Kind(rawValue: 3)
        /// A card.
        public static let removableRAM = Kind(rawValue: 4)
    }

    public struct Access: RawRepresentable, Hashable, Sendable {
        public let rawValue: UInt16

        public init(rawValue: UInt16) {
            self.rawValue = rawValue
        }

        public static let readWrite = Access(rawValue: 0)
        public static let readOnly = Access(rawValue: 1)
        public static let readOnlyWithDelete = Access(rawValue: 2)
    }

    public var kind = Kind.removableRAM
    /// 3 is DCF: folders and names as on every camera's card.
    public var fileSystem: UInt16 = 3
    public var access = Access.readWrite
    public var maximumCapacity: UInt64 = StorageInfo.unused64
    public var freeSpace: UInt64 = StorageInfo.unused64
    public var freeImages: UInt32 = .max
    public var storageDescription = ""
    public var volumeLabel = ""

    /// What PIMA writes into a 64-bit field that says nothing; all ones are seen as well.
    public static let unused64: UInt64 = 0xFFFF_FFFF

    public init() {}

    /// The fields of fixed length and the counts of both strings.
    public static let shortestWhole = 26 + 2

    /// No photo hangs on what a camera says about its card: what is missing at the end is unknown.
    public init(decoding bytes: ArraySlice<UInt8>) throws(Malformed) {
        self = try PTP.decoding("StorageInfo", bytes) { reader throws(ReadFailure) in
            var info = StorageInfo()
            info.kind = Kind(rawValue: try reader.integer("StorageType"))
            info.fileSystem = try reader.integerIfPresent("FilesystemType", otherwise: info.fileSystem)
            info.access = Access(
                rawValue: try reader.integerIfPresent("AccessCapability", otherwise: info.access.rawValue))
            info.maximumCapacity = try reader.integerIfPresent(
                "MaxCapacity", otherwise: info.maximumCapacity)
            info.freeSpace = try reader.integerIfPresent("FreeSpaceInBytes", otherwise: info.freeSpace)
            info.freeImages = try reader.integerIfPresent("FreeSpaceInImages", otherwise: info.freeImages)
            info.storageDescription = try reader.stringIfPresent("StorageDescription")
            info.volumeLabel = try reader.stringIfPresent("VolumeLabel")
            return info
        }
    }

    public var encoded: [UInt8] {
        var writer = ByteWriter()
        writer.append(kind.rawValue)
        writer.append(fileSystem)
        writer.append(access.rawValue)
        writer.append(maximumCapacity)
        writer.append(freeSpace)
        writer.append(freeImages)
        writer.append(storageDescription)
        writer.append(volumeLabel)
        return writer.bytes
    }

    public var knownCapacity: UInt64? { Self.known(maximumCapacity) }
    public var knownFreeSpace: UInt64? { Self.known(freeSpace) }
    public var knownFreeImages: UInt32? { freeImages == .max ? nil : freeImages }

    private static func known(_ value: UInt64) -> UInt64? {
        value == unused64 || value == .max ? nil : value
    }
}
