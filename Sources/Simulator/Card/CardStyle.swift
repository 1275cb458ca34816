public import PTP

/// What one make's bodies call their files and folders, and how they number them on the wire.
public struct CardStyle: Sendable {
    /// What a handle can be made of.
    public struct Place: Equatable, Sendable {
        public var slot: UInt16
        /// 0 for a folder that has none, such as DCIM.
        public var folder: Int
        /// 0 for a folder.
        public var file: Int
        /// The second file of a shot.
        public var isRaw = false
    }

    /// Four characters before a photo's number: DCF wants eight in all.
    public var prefix = "TETH"
    /// Behind a folder's number, which has three digits.
    public var folder = "TETHR"
    public var rawExtension = "DNG"
    public var rawFormat = FormatCode.dng
    /// What stands in place of the first bytes of a RAW file of so many bytes; nothing where it is a TIFF, as a DNG is.
    public var rawBeginning: @Sendable (UInt64) -> [UInt8] = { _ in [] }
    /// How handles follow from the place; where nothing is given, or the place is taken, they are counted.
    public var handle: (@Sendable (Place) -> UInt32)?

    public init() {}
}
