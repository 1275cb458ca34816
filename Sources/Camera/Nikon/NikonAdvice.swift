import PTP

/// What the person beside a Nikon can do, with the way through its menus.
struct NikonAdvice: Equatable, Sendable {
    private let menu: String
    private let name: String

    init(_ device: DeviceInfo) {
        name = device.model.isEmpty ? "Nikon" : device.model
        menu =
            switch NikonGeneration(device) {
            case .third: "Network menu → Connect to computer"
            case .first, .second: "Setup menu → Connect to PC"
            case .old, nil: "Setup menu → Wi-Fi"
            }
    }

    /// Goes on after "look at the camera" or stands alone; without a full stop.
    func confirm(_ code: NikonPairingCode) -> String {
        let what =
            switch code.readings.count {
            case 0: "the camera shows a pairing code that could not be read here"
            case 1: "the pairing code is \(code.readings[0])"
            default: "the pairing code is \(code.readings.joined(separator: " or "))"
            }
        return "\(what): if the \(name) shows the same, press OK on it (\(menu))"
    }

    var pairAgain: String {
        "On the \(name): \(menu), delete the profile of this computer if there is one, make a new one, and press OK when it shows the code."
    }

    /// "Access rights differ: picture transfer, or camera control."
    var leavePictureTransfer: String {
        "The \(name) is in its picture-transfer mode, which gives only photos that were marked for sending on it: choose camera control instead (\(menu) → Connection type → Camera control)."
    }
}
