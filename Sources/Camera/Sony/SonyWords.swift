import PTP

/// What the person beside a Sony is told, in the words that stand in its menus.
struct SonyWords: MakerWords {
    let name: String
    /// Nothing while it is not known.
    let mode: SonyMode?

    private static let remote = "in its network menu switch PC Remote on, over Wi-Fi"
    private static let send = "choose Send to Computer on it"
    private static let transfer = "in its network menu switch its connection to a computer on"

    /// What is to be done to have it wait for us, as part of a sentence.
    private var begin: String {
        switch mode {
        case .remote: Self.remote
        case .transfer: Self.transfer
        case .sendToComputer: "choose Send to Computer on it again: it serves one connection for each time"
        case nil: "\(Self.remote), or \(Self.send)"
        }
    }

    var howToConnect: String { "On the \(name): \(begin)." }

    func advice(on trouble: ConnectionTrouble) -> String? {
        switch trouble {
        case .unanswered:
            "The \(name) has not answered yet: press OK on the camera when its screen shows our name; if it shows nothing, \(anew)."
        case .notConfirmed:
            "Press OK on the \(name) when its screen shows our name, or give it longer; if it shows nothing, end other programs that hold it, and \(anew).\(onePerChoice)"
        case .stranger: stranger
        case .taken:
            "A phone or another program holds the \(name); end it there, or wait half a minute after a lost link."
        case .turnedAway: "Leave the network menu of the \(name); then \(begin)."
        case .notListening:
            "If that is the \(name), it does not wait for a computer: \(begin). With Access Authentication on, it is reached through SSH alone: ssh-user, ssh-password-file and ssh-host-key in the settings. Else look up its address."
        case .unreachable:
            "Check that this machine is in the network of the \(name), or both in the same; then \(begin)."
        case .notAdmitted:
            "Look at Access Authentication in the network menu of the \(name), which shows user, password and fingerprint, and set ssh-user, ssh-password-file and ssh-host-key to them in the settings."
        case .lost: "\(lost) What has arrived is kept."
        case .slow: "Move closer to the \(name); what has arrived is kept."
        case .hung:
            "Look at the \(name): half-press its shutter to wake it. If neither its screen nor its buttons react, take its battery out for a moment; photos that are only in its memory are lost by that."
        case .asleep:
            "The \(name) sleeps or was switched off: half-press its shutter; if it does not come back by itself, \(begin)."
        }
    }

    /// "A second session gets TCP accepted but Init unanswered."
    private var onePerChoice: String {
        switch mode {
        case .sendToComputer, nil:
            " Send to Computer serves one connection each time that it is chosen: choose it again."
        case .remote, .transfer: ""
        }
    }

    private var anew: String {
        switch mode {
        case .sendToComputer: "choose Send to Computer on it again"
        case .remote: "switch PC Remote off and on in its network menu"
        case .transfer: "switch its connection to a computer off and on in its network menu"
        case nil: "switch PC Remote off and on in its network menu, or choose Send to Computer again"
        }
    }

    private var stranger: String {
        let forRemote =
            "switch it off and on and press OK when our name is shown: it remembers twenty computers, and forgets them only by a reset of its network settings."
        let forSend =
            "it has to be told our GUID over USB once, or we its: camera.guid in the settings."
        return switch mode {
        case .remote: "The \(name) does not know this computer. For PC Remote, \(forRemote)"
        case .transfer:
            "The \(name) does not know this computer. For its connection to a computer, \(forRemote)"
        case .sendToComputer: "The \(name) does not know this computer. For Send to Computer \(forSend)"
        case nil:
            "The \(name) does not know this computer. For PC Remote, \(forRemote) For Send to Computer \(forSend)"
        }
    }

    private var lost: String {
        switch mode {
        case .sendToComputer: "For what is still to come from the \(name), \(begin)."
        case .remote, .transfer, nil:
            "If the \(name) was switched off or its battery changed, \(begin); else move closer to it."
        }
    }

    func advice(on code: ResponseCode) -> String? {
        switch code {
        case .storeNotAvailable, .invalidStorageID: card
        case .generalError, .operationNotSupported:
            "The \(name) may refuse everything from now on; then it is connected to again by itself. If it stays so, \(anew)."
        case .incompleteTransfer, .transactionCancelled:
            "The transfer was broken off on the \(name); half-press its shutter to leave its menu or the playback."
        case .storeFull: "The card in the \(name) is full; change it."
        case .deviceBusy:
            "The \(name) is busy with its card, its menu or the playback; half-press its shutter to leave them. It is asked again by itself."
        case .accessDenied:
            "The \(name) does not allow this in its present mode; leave its menu and the playback, and \(anew)."
        case ResponseCode.Sony.authenticationFailed:
            "The \(name) does not take our password: look at Access Authentication in its network menu, which shows user and password, and set ssh-user and ssh-password-file to them in the settings."
        case ResponseCode.Sony.passwordTooLong:
            "The password is longer than the \(name) takes one: choose a shorter one under Access Authentication in its network menu, and write it into the ssh-password-file."
        case ResponseCode.Sony.passwordBadCharacter:
            "The password has characters that the \(name) does not take: choose another one under Access Authentication in its network menu, and write it into the ssh-password-file."
        case ResponseCode.Sony.featureVersionInvalid:
            "The \(name) follows other rules than it was asked for: set cameras[].sdio-version to 2 in the settings, or to 3 if it is 2 there."
        case ResponseCode.Sony.temporaryStorageFull:
            "The memory of the \(name) is full of photos that have not been read; they are read now, one after the other."
        case ResponseCode.Sony.cameraStatusError:
            "The \(name) does not do this in its present mode; leave its menu and the playback."
        default: nil
        }
    }

    private var card: String {
        switch mode {
        case .remote, nil:
            "In PC Remote the \(name) does not show its card; photos come as they are shot. To list the card choose --driver sony:transfer, where the camera has that."
        case .transfer, .sendToComputer:
            "The card of the \(name) was taken out or is not ready; close the card door, and wait until the access lamp is off."
        }
    }
}

extension ResponseCode {
    /// Other makers mean other things by these numbers.
    enum Sony {
        static let authenticationFailed = ResponseCode(rawValue: 0xA101)
        static let passwordTooLong = ResponseCode(rawValue: 0xA102)
        static let passwordBadCharacter = ResponseCode(rawValue: 0xA103)
        static let featureVersionInvalid = ResponseCode(rawValue: 0xA104)
        static let temporaryStorageFull = ResponseCode(rawValue: 0xA105)
        static let cameraStatusError = ResponseCode(rawValue: 0xA106)
    }
}
