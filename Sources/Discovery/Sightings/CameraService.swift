/// As what a camera announces itself: the strings of which it is known that cameras send them.
package enum CameraService: String, CaseIterable, Sendable {
    case ptp = "_ptp._tcp"
    /// Other people's clients browse it beside `_ptp._tcp`; which bodies announce it is not known.
    case nikon = "_nikon._tcp"
    case canonComputer = "urn:schemas-canon-com:service:ICPO-WFTEOSSystemService:1"
    case canonPhone = "urn:schemas-canon-com:service:ICPO-SmartPhoneEOSSystemService:1"
    case sonyImaging = "urn:schemas-sony-com:service:DigitalImaging:1"
    case sonySendToComputer = "urn:microsoft-com:service:MtpNullService:1"
    case sonyWebAPI = "urn:schemas-sony-com:service:ScalarWebAPI:1"

    /// What Canon's compacts search for, and do not announce: "an HTTP/XML protocol, not PTP/IP".
    static let canonCompactsSearch = "urn:schemas-canon-com:service:MobileConnectedCameraService:1"

    /// Those that are asked for by SSDP.
    package static let searched = allCases.filter { $0.domain == nil }

    /// Those that are asked for by mDNS.
    package static let browsed = allCases.filter { $0.domain != nil }

    /// Where the instances of a service of mDNS are.
    package var domain: DNSName? {
        switch self {
        case .ptp: Self.ptpDomain
        case .nikon: Self.nikonDomain
        case .canonComputer, .canonPhone, .sonyImaging, .sonySendToComputer, .sonyWebAPI: nil
        }
    }

    static let ptpDomain = DNSName("_ptp._tcp.local")
    private static let nikonDomain = DNSName("_nikon._tcp.local")

    package var make: String? {
        switch self {
        case .ptp: nil
        case .nikon: "Nikon"
        case .canonComputer, .canonPhone: "Canon"
        case .sonyImaging, .sonySendToComputer, .sonyWebAPI: "Sony"
        }
    }

    /// Whether PTP/IP is spoken there. "JSON over HTTP, not PTP" is what Sony's old remote speaks.
    package var speaksPTP: Bool { self != .sonyWebAPI }

    package var spoken: String {
        switch self {
        case .ptp: "mDNS, PTP"
        case .nikon: "mDNS, Nikon"
        case .canonComputer: "SSDP, EOS Utility"
        case .canonPhone: "SSDP, smartphone mode"
        case .sonyImaging: "SSDP, PC Remote"
        case .sonySendToComputer: "SSDP, Send to Computer"
        case .sonyWebAPI: "SSDP, smartphone remote"
        }
    }

    /// What is done at the camera when it is connected to. Names of menus are those of the makers.
    package var advice: String {
        switch self {
        case .ptp, .nikon:
            "a Nikon in 'Connect to computer' shows a code or this computer's name: confirm it on the camera"
        case .canonComputer:
            "when the camera shows this computer's name, press OK on it"
        case .canonPhone:
            "it waits for a phone: if it refuses, add the connection 'Remote control (EOS Utility)' in its Wi-Fi menu and choose 'start pairing'"
        case .sonyImaging:
            "when the camera shows this computer's name, press OK on it; with Access Authentication on it accepts SSH only"
        case .sonySendToComputer:
            "it is sending to a computer: start 'Send to Computer' on it for each connection"
        case .sonyWebAPI:
            "this mode speaks no PTP/IP: choose PC Remote in the camera's network menu"
        }
    }
}
