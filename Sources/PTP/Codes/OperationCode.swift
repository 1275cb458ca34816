/// What a request asks for.
public struct OperationCode: OpenCode {
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
    public static let sendObjectInfo = OperationCode(rawValue: 0x100C)
    public static let sendObject = OperationCode(rawValue: 0x100D)
    public static let initiateCapture = OperationCode(rawValue: 0x100E)
    public static let formatStore = OperationCode(rawValue: 0x100F)
    public static let resetDevice = OperationCode(rawValue: 0x1010)
    public static let selfTest = OperationCode(rawValue: 0x1011)
    public static let setObjectProtection = OperationCode(rawValue: 0x1012)
    public static let powerDown = OperationCode(rawValue: 0x1013)
    public static let getDevicePropDesc = OperationCode(rawValue: 0x1014)
    public static let getDevicePropValue = OperationCode(rawValue: 0x1015)
    public static let setDevicePropValue = OperationCode(rawValue: 0x1016)
    public static let resetDevicePropValue = OperationCode(rawValue: 0x1017)
    public static let terminateOpenCapture = OperationCode(rawValue: 0x1018)
    public static let moveObject = OperationCode(rawValue: 0x1019)
    public static let copyObject = OperationCode(rawValue: 0x101A)
    public static let getPartialObject = OperationCode(rawValue: 0x101B)
    public static let initiateOpenCapture = OperationCode(rawValue: 0x101C)
    public static let startEnumHandles = OperationCode(rawValue: 0x101D)
    public static let enumHandles = OperationCode(rawValue: 0x101E)
    public static let stopEnumHandles = OperationCode(rawValue: 0x101F)
    public static let getVendorExtensionMaps = OperationCode(rawValue: 0x1020)
    public static let getVendorDeviceInfo = OperationCode(rawValue: 0x1021)
    public static let getResizedImageObject = OperationCode(rawValue: 0x1022)
    public static let getFilesystemManifest = OperationCode(rawValue: 0x1023)
    public static let getStreamInfo = OperationCode(rawValue: 0x1024)
    public static let getStream = OperationCode(rawValue: 0x1025)
    public static let getPartialObject64 = OperationCode(rawValue: 0x95C1)
    public static let getObjectPropsSupported = OperationCode(rawValue: 0x9801)
    public static let getObjectPropDesc = OperationCode(rawValue: 0x9802)
    public static let getObjectPropValue = OperationCode(rawValue: 0x9803)
    public static let setObjectPropValue = OperationCode(rawValue: 0x9804)
    public static let getObjectPropList = OperationCode(rawValue: 0x9805)
    public static let setObjectPropList = OperationCode(rawValue: 0x9806)
    public static let getInterdependentPropDesc = OperationCode(rawValue: 0x9807)
    public static let sendObjectPropList = OperationCode(rawValue: 0x9808)
    public static let getObjectReferences = OperationCode(rawValue: 0x9810)
    public static let setObjectReferences = OperationCode(rawValue: 0x9811)
    public static let updateDeviceFirmware = OperationCode(rawValue: 0x9812)
    public static let skip = OperationCode(rawValue: 0x9820)
}

extension OperationCode {
    public static let standardNames: [UInt16: String] = [
        0x1001: "GetDeviceInfo",
        0x1002: "OpenSession",
        0x1003: "CloseSession",
        0x1004: "GetStorageIDs",
        0x1005: "GetStorageInfo",
        0x1006: "GetNumObjects",
        0x1007: "GetObjectHandles",
        0x1008: "GetObjectInfo",
        0x1009: "GetObject",
        0x100A: "GetThumb",
        0x100B: "DeleteObject",
        0x100C: "SendObjectInfo",
        0x100D: "SendObject",
        0x100E: "InitiateCapture",
        0x100F: "FormatStore",
        0x1010: "ResetDevice",
        0x1011: "SelfTest",
        0x1012: "SetObjectProtection",
        0x1013: "PowerDown",
        0x1014: "GetDevicePropDesc",
        0x1015: "GetDevicePropValue",
        0x1016: "SetDevicePropValue",
        0x1017: "ResetDevicePropValue",
        0x1018: "TerminateOpenCapture",
        0x1019: "MoveObject",
        0x101A: "CopyObject",
        0x101B: "GetPartialObject",
        0x101C: "InitiateOpenCapture",
        0x101D: "StartEnumHandles",
        0x101E: "EnumHandles",
        0x101F: "StopEnumHandles",
        0x1020: "GetVendorExtensionMaps",
        0x1021: "GetVendorDeviceInfo",
        0x1022: "GetResizedImageObject",
        0x1023: "GetFilesystemManifest",
        0x1024: "GetStreamInfo",
        0x1025: "GetStream",
        0x95C1: "GetPartialObject64",
        0x9801: "GetObjectPropsSupported",
        0x9802: "GetObjectPropDesc",
        0x9803: "GetObjectPropValue",
        0x9804: "SetObjectPropValue",
        0x9805: "GetObjectPropList",
        0x9806: "SetObjectPropList",
        0x9807: "GetInterdependentPropDesc",
        0x9808: "SendObjectPropList",
        0x9810: "GetObjectReferences",
        0x9811: "SetObjectReferences",
        0x9812: "UpdateDeviceFirmware",
        0x9820: "Skip",
    ]

    public static func vendorNames(_ vendor: Vendor) -> [UInt16: String] {
        VendorNames.of(vendor).operations
    }
}

extension OperationCode {
    /// Whether the data of this operation is a photo or a part of one, in any vendor's dialect.
    ///
    /// A recorder that leaves photos out goes by this, so a number that is a photo to one vendor counts for all.
    public var carriesObjectBytes: Bool {
        switch self {
        case .getObject, .getThumb, .getPartialObject, .getResizedImageObject, .getPartialObject64: true
        default: OperationCode.vendorsObjectReads.contains(rawValue)
        }
    }

    private static let vendorsObjectReads: Set<UInt16> = [
        // Canon
        0x9104, 0x9107, 0x910A, 0x912C, 0x9171, 0x9172, 0x9174,
        // Nikon
        0x90C4, 0x920F, 0x9400, 0x940B, 0x9431,
        // Sony
        0x9211, 0x923D, 0x923E,
        // Panasonic
        0x9112,
        // Olympus
        0x9485,
    ]
}
