public struct FormatCode: RawRepresentable, Hashable, Sendable {
    public let rawValue: UInt16

    public init(rawValue: UInt16) {
        self.rawValue = rawValue
    }

    public static let association = FormatCode(rawValue: 0x3001)
    public static let exifJPEG = FormatCode(rawValue: 0x3801)
}
