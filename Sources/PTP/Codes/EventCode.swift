/// What a notice is about.
public struct EventCode: OpenCode {
    public let rawValue: UInt16

    public init(rawValue: UInt16) {
        self.rawValue = rawValue
    }

    public static let cancelTransaction = EventCode(rawValue: 0x4001)
    public static let objectAdded = EventCode(rawValue: 0x4002)
    public static let objectRemoved = EventCode(rawValue: 0x4003)
    public static let storeAdded = EventCode(rawValue: 0x4004)
    public static let storeRemoved = EventCode(rawValue: 0x4005)
    public static let devicePropChanged = EventCode(rawValue: 0x4006)
    public static let objectInfoChanged = EventCode(rawValue: 0x4007)
    public static let deviceInfoChanged = EventCode(rawValue: 0x4008)
    public static let requestObjectTransfer = EventCode(rawValue: 0x4009)
    public static let storeFull = EventCode(rawValue: 0x400A)
    public static let deviceReset = EventCode(rawValue: 0x400B)
    public static let storageInfoChanged = EventCode(rawValue: 0x400C)
    public static let captureComplete = EventCode(rawValue: 0x400D)
    public static let unreportedStatus = EventCode(rawValue: 0x400E)
    public static let objectPropChanged = EventCode(rawValue: 0xC801)
    public static let objectPropDescChanged = EventCode(rawValue: 0xC802)
    public static let objectReferencesChanged = EventCode(rawValue: 0xC803)
}

extension EventCode {
    public static let standardNames: [UInt16: String] = [
        0x4001: "CancelTransaction",
        0x4002: "ObjectAdded",
        0x4003: "ObjectRemoved",
        0x4004: "StoreAdded",
        0x4005: "StoreRemoved",
        0x4006: "DevicePropChanged",
        0x4007: "ObjectInfoChanged",
        0x4008: "DeviceInfoChanged",
        0x4009: "RequestObjectTransfer",
        0x400A: "StoreFull",
        0x400B: "DeviceReset",
        0x400C: "StorageInfoChanged",
        0x400D: "CaptureComplete",
        0x400E: "UnreportedStatus",
        0xC801: "ObjectPropChanged",
        0xC802: "ObjectPropDescChanged",
        0xC803: "ObjectReferencesChanged",
    ]

    public static func vendorNames(_ vendor: Vendor) -> [UInt16: String] {
        VendorNames.of(vendor).events
    }
}
