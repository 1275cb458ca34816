import PTP

/// What the person beside a Sony is told, in the words that stand in its menus.
enum SonyWords: MakerWords {
    private static let remote = "in the network menu switch PC Remote on, over Wi-Fi"

    static let whileSilent: String? =
        "press OK on the camera when its screen shows our name; if it shows nothing, switch PC Remote off and on in its network menu, or choose Send to Computer again"

    static func advice(on ending: Ending) -> String? {
        switch ending {
        case .refused(.rejectedInitiator, _):
            "The camera does not know this computer. For PC Remote, switch that off and on and press OK when our name is shown: it remembers twenty computers, and forgets them only by a reset of its network settings. For Send to Computer it has to be told our GUID over USB once, or we its: camera.guid in the settings."
        case .refused(.busy, _):
            "A phone or another program holds the camera; end it there, or wait half a minute after a lost link."
        case .refused, .sessionRefused:
            "Leave the camera's network menu; then \(remote)."
        case .notConfirmed:
            "Press OK on the camera when its screen shows our name, or give it longer. Send to Computer serves one connection each time that it is chosen: choose it again."
        case .unreachable, .nothingListens:
            "Check that this machine is in the camera's network, or both in the same; then \(remote). With Access Authentication on, the camera is reached through SSH alone: ssh-user, ssh-password-file and ssh-host-key in the settings."
        case .silent, .hung:
            "Look at the camera: half-press its shutter to wake it. If neither its screen nor its buttons react, take its battery out for a moment; photos that are only in its memory are lost by that. It is connected to again by itself."
        case .closed, .cancelled, .foreign, .linkLost, .stalled, .tooSlow, .malformed, .misbehaved: nil
        }
    }

    static func advice(on code: ResponseCode) -> String? {
        switch code {
        case .storeNotAvailable:
            "In PC Remote the camera does not show its card; photos come as they are shot. To list the card choose --driver sony:transfer, where the camera has that."
        case .generalError:
            "The camera may refuse everything from now on; then it is connected to again by itself. If it stays so, switch PC Remote off and on in its network menu."
        case ResponseCode.Sony.temporaryStorageFull:
            "The camera's memory is full of photos that have not been read; they are read now, one after the other."
        case ResponseCode.Sony.cameraStatusError:
            "The camera does not do this in its present mode; leave its menu and the playback."
        default: nil
        }
    }
}

extension ResponseCode {
    /// Other makers mean other things by these numbers.
    enum Sony {
        static let temporaryStorageFull = ResponseCode(rawValue: 0xA105)
        static let cameraStatusError = ResponseCode(rawValue: 0xA106)
    }
}
