public struct OperationCode: RawRepresentable, Hashable, Sendable {
    public let rawValue: UInt16

    public init(rawValue: UInt16) {
        self.rawValue = rawValue
    }

    public static let getDeviceInfo = OperationCode(rawValue: 0x1001)
    public static let openSession = OperationCode(rawValue: 0x1002)
    public static let closeSession = OperationCode(rawValue: 0x1003)
    public static let getStorageIDs = OperationCode(rawValue: 0x1004)
    public static let getStorageInfo = OperationCode(rawValue: 0x1005)
    public static let getNumObjects = OperationCode(rawValue: 0x1006)
    public static let getObjectHandles = OperationCode(rawValue: 0x1007)
    public static let getObjectInfo = OperationCode(rawValue: 0x1008)
    public static let getObject = OperationCode(rawValue: 0x1009)
    public static let getThumb = OperationCode(rawValue: 0x100A)
    public static let deleteObject = OperationCode(rawValue: 0x100B)
    public static let getPartialObject = OperationCode(rawValue: 0x101B)
}
