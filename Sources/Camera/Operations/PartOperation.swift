public import PTP

/// An operation that gives a part of an object, and how it takes the offset and the count.
public struct PartOperation: Equatable, Sendable {
    public enum Layout: Equatable, Sendable {
        /// Handle, offset, count: up to 4 GiB.
        case offset32
        /// Handle, the offset's low half, its high half, count.
        case offset64
        /// Handle, the offset's low half, its high half, the count's low half, its high half.
        case bothIn64
        /// Content, slot and file in one word, the offset's low half, its high half, count; its highest bit says that the
        /// file of that size ends with it.
        case sonyContent(file: UInt32, size: UInt64)
    }

    public let code: OperationCode
    public let layout: Layout

    public init(_ code: OperationCode, _ layout: Layout) {
        self.code = code
        self.layout = layout
    }

    /// The standard's, which ends at 4 GiB, and Android's.
    public static let standard = [
        PartOperation(.getPartialObject, .offset32), PartOperation(.getPartialObject64, .offset64),
    ]

    /// Whether every byte of an object of that size can be asked for.
    func reaches(_ size: UInt64) -> Bool { layout != .offset32 || size <= UInt64(UInt32.max) }

    func call(_ object: ObjectHandle, at offset: UInt64, _ count: UInt32) -> Call {
        let (low, high) = (UInt32(truncatingIfNeeded: offset), UInt32(truncatingIfNeeded: offset >> 32))
        let parameters =
            switch layout {
            case .offset32: [object.rawValue, low, count]
            case .offset64: [object.rawValue, low, high, count]
            case .bothIn64: [object.rawValue, low, high, count, 0]
            case .sonyContent(let file, let size):
                [object.rawValue, file, low, high, offset + UInt64(count) < size ? count : count | 1 << 31]
            }
        return Call(code, parameters, data: .streamed(limit: UInt64(count)))
    }
}
