import PTP

/// What the person beside a Canon is told, in the words that stand in its menus.
struct CanonWords: MakerWords {
    let name: String

    /// "Wi-Fi on, add connection, Remote control (EOS Utility), start pairing, OK."
    private static let pairing =
        "on the body switch Wi-Fi on, choose 'Remote control (EOS Utility)', add a connection with 'Start pairing', connect again, and press OK when its screen shows our name"
    private static let connection =
        "in its Wi-Fi menu choose 'Remote control (EOS Utility)' and the connection to this computer"

    var howToConnect: String {
        "The \(name) has to be on, with 'Remote control (EOS Utility)' and the connection to this computer chosen in its Wi-Fi menu."
    }

    func advice(on trouble: ConnectionTrouble) -> String? {
        switch trouble {
        case .unanswered:
            "The \(name) has not answered yet: press OK on the body when its screen shows our name; if it shows nothing, \(Self.connection)."
        case .notConfirmed:
            "Press OK on the \(name) when its screen shows our name, or give it longer; if it shows nothing, end EOS Utility and Camera Connect, and: \(Self.pairing)."
        case .stranger:
            "The \(name) lets in only the computer that its connection was made with, and does not know this one. Delete that connection and make a new one: \(Self.pairing)."
        case .taken:
            "EOS Utility, Camera Connect or another program holds the \(name); end it there, or wait half a minute after a lost link."
        case .turnedAway: "Leave the Wi-Fi menu of the \(name); then \(Self.connection)."
        case .unreachable:
            "Check that this machine is in the network of the \(name), or both in the same, and that it is on; then \(Self.connection)."
        case .notListening:
            "If that is the \(name), it does not wait for a computer: \(Self.connection). Else look up its address."
        case .notAdmitted: nil
        case .lost:
            "If the \(name) was switched off or its battery changed, \(Self.connection); else move closer to it. What has arrived is kept."
        case .slow: "Move closer to the \(name); what has arrived is kept and gone on with."
        case .hung:
            "Look at the \(name): half-press its shutter to wake it and to leave its menu. If neither its screen nor its buttons react, take its battery out for a moment. What has arrived is kept."
        case .asleep:
            "The \(name) sleeps or was switched off: half-press its shutter; if it does not come back by itself, \(Self.connection)."
        }
    }

    func advice(on code: ResponseCode) -> String? {
        switch code {
        case .deviceBusy:
            "The \(name) is busy with its card, a menu or its picture review; half-press its shutter to leave it. It is asked again by itself."
        case ResponseCode.Canon.objectNotReady, ResponseCode.Canon.memoryStatusNotReady:
            "The \(name) is still writing the photo; it is asked for it again by itself."
        case .generalError:
            "The \(name) is showing the photo, or it was deleted on it; half-press its shutter to leave the playback. It is asked for it again by itself."
        // "Cancelled by the body."
        case .incompleteTransfer, .transactionCancelled:
            "The transfer was broken off on the \(name); half-press its shutter to leave its menu or the playback. It is asked for it again by itself."
        case ResponseCode.Canon.lowBattery: "The battery of the \(name) is low; change it."
        case ResponseCode.Canon.lensCoverClosed: "The lens cover of the \(name) is closed; open it."
        case ResponseCode.Canon.operationRefused:
            "The \(name) does not do this in its present mode; leave its menu, the playback and the film mode."
        case .operationNotSupported, ResponseCode.Canon.unknownCommand:
            "The \(name) does not do this over this connection. If it answers so to everything, connect again; else \(Self.connection)."
        case .storeFull:
            "The card in the \(name) is full; change it. With two cards, look which one it writes to."
        case ResponseCode.Canon.cannotMakeObject:
            "The \(name) cannot write the photo: look whether its card is full, locked or damaged, and change it."
        case .invalidStorageID, .storeNotAvailable:
            "The card of the \(name) was taken out or is not ready; close the card door, and wait until the access lamp is off."
        default: nil
        }
    }
}
