/// A property of the camera itself.
public struct DevicePropertyCode: OpenCode {
    public let rawValue: UInt16

    public init(rawValue: UInt16) {
        self.rawValue = rawValue
    }

    public static let batteryLevel = DevicePropertyCode(rawValue: 0x5001)
    public static let functionalMode = DevicePropertyCode(rawValue: 0x5002)
    public static let imageSize = DevicePropertyCode(rawValue: 0x5003)
    public static let compressionSetting = DevicePropertyCode(rawValue: 0x5004)
    public static let whiteBalance = DevicePropertyCode(rawValue: 0x5005)
    public static let rgbGain = DevicePropertyCode(rawValue: 0x5006)
    public static let fNumber = DevicePropertyCode(rawValue: 0x5007)
    public static let focalLength = DevicePropertyCode(rawValue: 0x5008)
    public static let focusDistance = DevicePropertyCode(rawValue: 0x5009)
    public static let focusMode = DevicePropertyCode(rawValue: 0x500A)
    public static let exposureMeteringMode = DevicePropertyCode(rawValue: 0x500B)
    public static let flashMode = DevicePropertyCode(rawValue: 0x500C)
    public static let exposureTime = DevicePropertyCode(rawValue: 0x500D)
    public static let exposureProgramMode = DevicePropertyCode(rawValue: 0x500E)
    public static let exposureIndex = DevicePropertyCode(rawValue: 0x500F)
    public static let exposureBiasCompensation = DevicePropertyCode(rawValue: 0x5010)
    public static let dateTime = DevicePropertyCode(rawValue: 0x5011)
    public static let captureDelay = DevicePropertyCode(rawValue: 0x5012)
    public static let stillCaptureMode = DevicePropertyCode(rawValue: 0x5013)
    public static let contrast = DevicePropertyCode(rawValue: 0x5014)
    public static let sharpness = DevicePropertyCode(rawValue: 0x5015)
    public static let digitalZoom = DevicePropertyCode(rawValue: 0x5016)
    public static let effectMode = DevicePropertyCode(rawValue: 0x5017)
    public static let burstNumber = DevicePropertyCode(rawValue: 0x5018)
    public static let burstInterval = DevicePropertyCode(rawValue: 0x5019)
    public static let timelapseNumber = DevicePropertyCode(rawValue: 0x501A)
    public static let timelapseInterval = DevicePropertyCode(rawValue: 0x501B)
    public static let focusMeteringMode = DevicePropertyCode(rawValue: 0x501C)
    public static let uploadURL = DevicePropertyCode(rawValue: 0x501D)
    public static let artist = DevicePropertyCode(rawValue: 0x501E)
    public static let copyrightInfo = DevicePropertyCode(rawValue: 0x501F)
}

extension DevicePropertyCode {
    public static let standardNames: [UInt16: String] = [
        0x5001: "BatteryLevel",
        0x5002: "FunctionalMode",
        0x5003: "ImageSize",
        0x5004: "CompressionSetting",
        0x5005: "WhiteBalance",
        0x5006: "RGBGain",
        0x5007: "FNumber",
        0x5008: "FocalLength",
        0x5009: "FocusDistance",
        0x500A: "FocusMode",
        0x500B: "ExposureMeteringMode",
        0x500C: "FlashMode",
        0x500D: "ExposureTime",
        0x500E: "ExposureProgramMode",
        0x500F: "ExposureIndex",
        0x5010: "ExposureBiasCompensation",
        0x5011: "DateTime",
        0x5012: "CaptureDelay",
        0x5013: "StillCaptureMode",
        0x5014: "Contrast",
        0x5015: "Sharpness",
        0x5016: "DigitalZoom",
        0x5017: "EffectMode",
        0x5018: "BurstNumber",
        0x5019: "BurstInterval",
        0x501A: "TimelapseNumber",
        0x501B: "TimelapseInterval",
        0x501C: "FocusMeteringMode",
        0x501D: "UploadURL",
        0x501E: "Artist",
        0x501F: "CopyrightInfo",
    ]

    public static func vendorNames(_ vendor: Vendor) -> [UInt16: String] {
        [:]
    }
}
