import Bridge
import PTP

/// What has become of photos, and what a person has to know of where they go.
extension SonyDriver {
    /// Whenever it is another one than before: a person may change it in the menu at any time.
    func explainDestination() {
        guard let destination, destination != explainedDestination else { return }
        let former = explainedDestination
        explainedDestination = destination
        if !destination.givesToHost {
            changes.push(
                .remark(
                    "the camera keeps its photos on its card and gives none to a computer; set Still Img. Save Dest. to PC+Camera"
                ))
        } else if !destination.keepsCopyOnCard {
            changes.push(
                .remark(
                    "the camera keeps no copy on its card: what a lost connection cuts off is gone, and everything is taken, whatever is selected; set Still Img. Save Dest. to PC+Camera"
                ))
        } else if former != nil {
            changes.push(
                .remark("the camera keeps a copy of each photo on its card and gives each to the computer"))
        }
    }

    /// What has become of a photo whose reading broke off.
    func fate(of shot: SonyShot, _ received: UInt64) -> String {
        let size = shot.info.compressedSize
        let came =
            !Offer.isFinal(size: UInt64(size))
            ? "\(shot.info.fileName): only \(received) bytes came"
            : received < UInt64(size)
                ? "\(shot.info.fileName): only \(received) of \(size) bytes came"
                : "\(shot.info.fileName): its \(received) bytes came and could not be kept"
        let once = "a Sony gives a photo out of its memory once"
        return switch destination?.keepsCopyOnCard {
        case true?:
            "\(came), and \(once); it is still on the card in the camera: copy it from there"
        case false?:
            "\(came), and \(once); there is no copy on a card, so it is lost unless the camera offers it again"
        case nil:
            "\(came), and \(once); look for it on the card in the camera"
        }
    }

    /// Where the body says that there is no other copy, the photo was said to be thrown away before.
    func explainThrownAway(_ shot: SonyShot) {
        guard destination == nil else { return }
        changes.push(
            .remark(
                "\(shot.info.fileName): it is passed over, and had to be read and thrown away to come to what lies behind it; look for it on the card in the camera"
            ))
    }
}
