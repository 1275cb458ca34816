/// What the vendors call their own codes: for people who read a recorded conversation.
struct VendorNames: Sendable {
    var operations: [UInt16: String] = [:]
    var responses: [UInt16: String] = [:]
    var events: [UInt16: String] = [:]
    var formats: [UInt16: String] = [:]

    static func of(_ vendor: Vendor) -> VendorNames {
        switch vendor {
        case .canon: canon
        case .nikon: nikon
        case .sony: sony
        case .fuji: fuji
        case .panasonic: panasonic
        case .olympus: olympus
        case .leica: leica
        case .ricoh: ricoh
        case .kodak, .microsoft, .pentax, .samsung, .parrot: none
        }
    }

    private static let none = VendorNames()

    private static let fuji = VendorNames(
        events: [0xC001: "PreviewAvailable", 0xC004: "ObjectAdded"],
        formats: [0xB103: "RAF"])

    private static let panasonic = VendorNames(
        operations: [
            0x9102: "OpenSession", 0x9103: "CloseSession", 0x9107: "GetObjectSize", 0x9110: "GetObjectInfo",
            0x9112: "GetPartialObject", 0x9113: "SkipObject", 0x9402: "GetProperty", 0x9403: "SetProperty",
            0x9404: "Release", 0x940A: "GetCaptureTarget", 0x940B: "SetCaptureTarget",
            0x9414: "LiveViewParameters", 0x9603: "ChangeEvent",
        ],
        events: [0xC108: "ObjectAdded", 0xC109: "ObjectAddedSDRAM"])

    private static let olympus = VendorNames(
        operations: [0x9481: "Capture", 0x9485: "GetImage", 0x9486: "GetChangedProperties"],
        events: [
            0xC002: "ObjectAdded", 0xC003: "CaptureComplete", 0xC00D: "ImageRecordFinish",
            0xC102: "ObjectAdded",
            0xC103: "CaptureComplete", 0xC10D: "ImageRecordFinish",
        ])

    private static let leica = VendorNames(
        operations: [
            0x9005: "LEOpenSession", 0x9006: "LECloseSession", 0x9007: "RequestObjectTransferReady",
            0x901D: "LEKeepSessionActive", 0x9037: "GetObjectPropListPaginated",
        ])

    private static let ricoh = VendorNames(operations: [0x99A1: "WlanPowerControl"])

    private static let sony = VendorNames(
        operations: [
            0x9201: "SDIOConnect", 0x9202: "GetExtDeviceInfo", 0x9205: "SetExtDeviceProp",
            0x9207: "ControlDevice",
            0x9209: "GetAllExtDevicePropInfo", 0x9210: "SDIOOpenSession", 0x9211: "GetPartialLargeObject",
            0x9212: "SetContentsTransferMode", 0x923B: "GetContentDates", 0x923C: "GetContentList",
            0x923D: "GetContentData", 0x923E: "GetCompressedContent", 0x923F: "GetSelectedContentList",
            0x9280: "SendToComputerCommand", 0x9281: "SendToComputerStatus",
        ],
        responses: [
            0xA101: "AuthenticationFailed", 0xA102: "PasswordTooLong", 0xA103: "PasswordBadCharacter",
            0xA104: "FeatureVersionInvalid", 0xA105: "TemporaryStorageFull", 0xA106: "CameraStatusError",
        ],
        events: [
            0xC201: "ObjectAdded", 0xC202: "ObjectRemoved", 0xC203: "DevicePropChanged", 0xC206: "Captured",
            0xC20B: "MediaFormatResult", 0xC20D: "ContentsTransfer", 0xC222: "OperationResult",
            0xC234: "ListChanged", 0xC235: "ContentPush",
        ],
        formats: [0xB101: "ARW", 0xB110: "HEIF", 0xB301: "MPO"])
}
