public struct EventCode: RawRepresentable, Hashable, Sendable {
    public let rawValue: UInt16

    public init(rawValue: UInt16) {
        self.rawValue = rawValue
    }

    public static let objectAdded = EventCode(rawValue: 0x4002)
}
