/// What kind of file an object is, as far as the camera says; the first bytes of the file know better.
public struct FormatCode: OpenCode {
    public let rawValue: UInt16

    public init(rawValue: UInt16) {
        self.rawValue = rawValue
    }

    public static let undefined = FormatCode(rawValue: 0x3000)
    public static let association = FormatCode(rawValue: 0x3001)
    public static let script = FormatCode(rawValue: 0x3002)
    public static let text = FormatCode(rawValue: 0x3004)
    public static let dpof = FormatCode(rawValue: 0x3006)
    public static let wav = FormatCode(rawValue: 0x3008)
    public static let mp3 = FormatCode(rawValue: 0x3009)
    public static let avi = FormatCode(rawValue: 0x300A)
    public static let mpeg = FormatCode(rawValue: 0x300B)
    public static let asf = FormatCode(rawValue: 0x300C)
    public static let quickTime = FormatCode(rawValue: 0x300D)
    public static let undefinedImage = FormatCode(rawValue: 0x3800)
    public static let exifJPEG = FormatCode(rawValue: 0x3801)
    public static let tiffEP = FormatCode(rawValue: 0x3802)
    public static let bmp = FormatCode(rawValue: 0x3804)
    public static let ciff = FormatCode(rawValue: 0x3805)
    public static let gif = FormatCode(rawValue: 0x3807)
    public static let jfif = FormatCode(rawValue: 0x3808)
    public static let png = FormatCode(rawValue: 0x380B)
    public static let tiff = FormatCode(rawValue: 0x380D)
    public static let jp2 = FormatCode(rawValue: 0x380F)
    public static let jpx = FormatCode(rawValue: 0x3810)
    public static let dng = FormatCode(rawValue: 0x3811)
    public static let m4a = FormatCode(rawValue: 0xB215)
    public static let wmv = FormatCode(rawValue: 0xB981)
    public static let mp4 = FormatCode(rawValue: 0xB982)
    public static let threeGP = FormatCode(rawValue: 0xB984)
}

extension FormatCode {
    public static let standardNames: [UInt16: String] = [
        0x3000: "Undefined",
        0x3001: "Association",
        0x3002: "Script",
        0x3004: "Text",
        0x3006: "DPOF",
        0x3008: "WAV",
        0x3009: "MP3",
        0x300A: "AVI",
        0x300B: "MPEG",
        0x300C: "ASF",
        0x300D: "QuickTime",
        0x3800: "UndefinedImage",
        0x3801: "EXIF/JPEG",
        0x3802: "TIFF/EP",
        0x3804: "BMP",
        0x3805: "CIFF",
        0x3807: "GIF",
        0x3808: "JFIF",
        0x380B: "PNG",
        0x380D: "TIFF",
        0x380F: "JP2",
        0x3810: "JPX",
        0x3811: "DNG",
        0xB215: "M4A",
        0xB981: "WMV",
        0xB982: "MP4",
        0xB984: "3GP",
    ]

    public static func vendorNames(_ vendor: Vendor) -> [UInt16: String] {
        VendorNames.of(vendor).formats
    }
}
