/// A camera's name for an object: good for one session, a hint after that.
public struct ObjectHandle: RawRepresentable, Hashable, Sendable {
    public let rawValue: UInt32

    public init(rawValue: UInt32) {
        self.rawValue = rawValue
    }

    /// As a parent: no folder above. Never an object.
    public static let root = ObjectHandle(rawValue: 0)

    /// In requests: everything, or only what lies at the root. Never an object.
    public static let all = ObjectHandle(rawValue: 0xFFFF_FFFF)
}

extension ObjectHandle: CustomStringConvertible {
    public var description: String { Hex.code(rawValue) }
}

/// A place where objects are: the slot in the high half, the part of it in the low half.
public struct StorageID: RawRepresentable, Hashable, Sendable {
    public let rawValue: UInt32

    public init(rawValue: UInt32) {
        self.rawValue = rawValue
    }

    public static let all = StorageID(rawValue: 0xFFFF_FFFF)

    /// The first card of a camera with one slot.
    public static let firstSlot = StorageID(rawValue: 0x0001_0001)

    public var slot: UInt16 { UInt16(truncatingIfNeeded: rawValue >> 16) }

    /// "A logical id of 0: the slot is there and holds no medium" (PIMA 15740 §8.1).
    public var hasMedium: Bool { rawValue & 0xFFFF != 0 }
}

extension StorageID: CustomStringConvertible {
    public var description: String { Hex.code(rawValue) }
}
