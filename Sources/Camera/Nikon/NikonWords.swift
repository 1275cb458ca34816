import PTP

/// What the person beside a Nikon is told, with the way through the menus that its generation has.
struct NikonWords: MakerWords {
    let name: String
    /// Nothing while it is not known.
    let generation: NikonGeneration?

    init(name: String, generation: NikonGeneration?) {
        (self.name, self.generation) = (name, generation)
    }

    init(_ device: DeviceInfo) {
        self.init(name: BodyKind(device).name, generation: NikonGeneration(device))
    }

    private var menu: String {
        switch generation {
        case .third: "Network menu → Connect to computer"
        case .first, .second: "Setup menu → Connect to computer"
        case .old: "Setup menu → Wi-Fi"
        case nil: "Connect to computer in its network or setup menu, or Wi-Fi on an older body"
        }
    }

    var howToConnect: String { "On the \(name): \(menu)." }

    func advice(on trouble: ConnectionTrouble) -> String? {
        switch trouble {
        case .unanswered: unanswered
        case .notConfirmed:
            "The \(name) has not let us in. \(question) If it shows nothing, another program may have its only place, which is to be ended; else \(menu), off and on."
        case .stranger: stranger
        case .taken:
            "Another client has the only place of the \(name): end SnapBridge, NX Tether or Wireless Transmitter Utility there. After a lost link its place is free again in half a minute, and it is left alone until then."
        case .turnedAway:
            "On the \(name) leave the menu that is open, and choose anew: \(menu)."
        case .unreachable: unreachable
        case .notListening:
            "If that is the \(name), it does not wait for a computer: \(menu). Else look up its address."
        case .notAdmitted: nil
        case .lost:
            "If the \(name) was switched off or its battery changed: \(menu); else move closer to it. What has arrived is kept."
        case .slow: "Move closer to the \(name); what has arrived is kept and gone on with."
        case .hung:
            "Look at the \(name): half-press its shutter to wake it. If neither its screen nor its buttons react, take its battery out for a moment; else \(menu), off and on. It is left alone for half a minute."
        case .asleep:
            "The \(name) sleeps or was switched off: half-press its shutter; if it does not come back by itself: \(menu)."
        }
    }

    private var question: String {
        switch generation {
        case .old, .first: "It asks nothing of a computer."
        case .second, .third, nil: "Press OK on it if its screen asks."
        }
    }

    private var unanswered: String {
        switch generation {
        // "J4 may accept TCP and never answer until Wi-Fi is cycled on the body."
        case .old, .first:
            "The \(name) has not answered yet. It asks nothing of a computer: if it stays so, switch it off and on again there (\(menu))."
        case .second, .third, nil:
            "The \(name) has not answered yet: press OK on it if its screen asks; if it shows nothing: \(menu)."
        }
    }

    /// "A Z 5 in computer mode refused unknown GUIDs and took the one learned from Wireless Transmitter Utility"; "no pairing
    /// operations".
    private var stranger: String {
        switch generation {
        case .first:
            "The \(name) does not know this computer, and has no pairing that could be begun here. Join the Wi-Fi of the camera itself, or connect it once with Nikon's Wireless Transmitter Utility (\(menu)) and give us the GUID that it knows from there: camera.guid in the settings."
        case .old:
            "Such a Nikon lets in any computer: switch it off and on again on the \(name) (\(menu)), and end other programs that use it."
        case .second, .third: pairAgain
        case nil:
            "The \(name) does not know this computer. On a Z: \(menu), delete the profile of this computer and make a new one. A Z 5, Z 6, Z 7 or Z 50 has no pairing: join its own Wi-Fi, or give us the GUID that it knows from Nikon's Wireless Transmitter Utility (camera.guid in the settings)."
        }
    }

    private var unreachable: String {
        switch generation {
        // "Older D and 1 series: fixed 192.168.1.1:15740, open network, announced by nothing."
        case .old:
            "Switch the \(name) and its Wi-Fi on (\(menu)) and join the network that it makes; its address there is 192.168.1.1."
        case .first, .second, .third, nil:
            "Check that this machine is in the network of the \(name), or both in the same, and half-press its shutter to wake it; then \(menu)."
        }
    }

    // MARK: What only a Nikon does

    func confirm(_ code: NikonPairingCode) -> String {
        let what =
            switch code.readings.count {
            case 0: "The \(name) shows a pairing code that could not be read here"
            case 1: "The pairing code of the \(name) is \(code.readings[0])"
            default: "The pairing code of the \(name) is \(code.readings.joined(separator: " or "))"
            }
        return "\(what): if its screen shows the same, press OK on it (\(menu))."
    }

    var pairAgain: String {
        "On the \(name): \(menu), delete the profile of this computer if there is one, make a new one, and press OK when it shows the code."
    }

    /// "The camera drops this connection and restarts its Wi-Fi."
    var afterPairing: String {
        "Connect again when the Wi-Fi of the \(name) is back, and join that again if this machine was in it; a bridge that runs connects by itself."
    }

    /// "Access rights differ: picture transfer, or camera control."
    var leavePictureTransfer: String {
        "The \(name) is in its picture-transfer mode, which gives only photos that were marked for sending on it: choose camera control instead (\(menu) → Connection type → Camera control)."
    }

    func advice(on code: ResponseCode) -> String? {
        switch code {
        case .deviceBusy:
            "The \(name) is busy with its card or a menu; half-press its shutter to leave it. It is asked again by itself."
        case .accessDenied: leavePictureTransfer
        case .generalError:
            "The \(name) is still writing the photo, or is showing it; half-press its shutter to leave the playback. It is asked for it again by itself."
        // "Cancelled by the body."
        case .incompleteTransfer, .transactionCancelled:
            "The transfer was broken off on the \(name); half-press its shutter to leave its menu or the playback. It is asked for it again by itself."
        case .operationNotSupported: notSupported
        case .storeFull: "The card in the \(name) is full; change it."
        case .invalidStorageID, .storeNotAvailable:
            "The card of the \(name) was taken out or is not ready; close the card door, and wait until the access lamp is off."
        case .nikonHardwareError: "The \(name) reports a fault of its own; switch it off and on."
        case .nikonStoreError:
            "The card in the \(name) cannot be read or written; switch it off and put the card in again, or change it."
        case .nikonAdvancedTransferCancelled:
            "The card in the \(name) is not formatted, or the sending was cancelled on it: look at its screen, and mark the photos for sending again."
        case .nikonNoTransferList:
            "Nothing is marked for sending on the \(name): mark photos in its playback, or have it send what it shoots by itself."
        default: nil
        }
    }

    /// "Every property operation is 0x2005 because it is unpaired."
    private var notSupported: String {
        switch generation {
        case .third, nil: pairAgain
        case .old, .first, .second:
            "The \(name) does not do this in its present mode: leave its menu and the playback, or connect again (\(menu))."
        }
    }
}
