import PTP

/// What the person beside a Canon is told, in the words that stand in its menus.
enum CanonWords: MakerWords {
    /// "Wi-Fi on, add connection, Remote control (EOS Utility), start pairing, OK."
    private static let pairing =
        "on the body switch Wi-Fi on, choose 'Remote control (EOS Utility)', add a connection with 'Start pairing', connect again, and press OK when its screen shows our name"
    private static let connection =
        "switch the body on, and in its Wi-Fi menu choose 'Remote control (EOS Utility)' and the connection to this computer"

    static let whileSilent: String? =
        "press OK on the body when its screen shows our name; if it shows nothing, choose 'Remote control (EOS Utility)' in its Wi-Fi menu and the connection to this computer"

    static func advice(on ending: Ending) -> String? {
        switch ending {
        case .refused(.rejectedInitiator, _):
            "The body lets in only the computer that its connection was made with, and does not know this one. Delete that connection and make a new one: \(pairing)."
        case .refused(.busy, _):
            "EOS Utility, Camera Connect or another program holds the body; end it there, or wait half a minute after a lost link."
        case .refused, .sessionRefused:
            "Leave the body's Wi-Fi menu; then \(connection)."
        case .notConfirmed:
            "Press OK on the body when its screen shows our name, or give it longer; if it shows nothing: \(pairing)."
        case .unreachable, .nothingListens:
            "Check that this machine is in the body's network, or both in the same; then \(connection)."
        case .silent, .hung:
            "Look at the body: half-press its shutter to wake it and to leave its menu. If neither its screen nor its buttons react, take its battery out for a moment. What has arrived is kept, and it is connected to again by itself."
        case .closed, .cancelled, .foreign, .linkLost, .stalled, .tooSlow, .malformed, .misbehaved: nil
        }
    }

    static func advice(on code: ResponseCode) -> String? {
        switch code {
        case .deviceBusy:
            "The body is busy with its card, a menu or its picture review; half-press the shutter to leave it. It is asked again by itself."
        case ResponseCode.Canon.objectNotReady, ResponseCode.Canon.memoryStatusNotReady:
            "The body is still writing the photo; it is asked for it again by itself."
        case .generalError:
            "The photo was deleted on the body, or is being looked at there; half-press the shutter to leave the playback. It is asked for it again by itself."
        case ResponseCode.Canon.lowBattery: "The body's battery is low; change it."
        case ResponseCode.Canon.operationRefused:
            "The body does not do this in its present mode; leave its menu, the playback and the film mode."
        case .operationNotSupported:
            "The body does not do this over this connection. If it answers so to everything, connect again; else \(connection)."
        case .storeFull: "The card is full; change it. With two cards, look which one the body writes to."
        case .invalidStorageID, .storeNotAvailable:
            "The card was taken out or is not ready; close the card door, and wait until the access lamp is off."
        default: nil
        }
    }
}
