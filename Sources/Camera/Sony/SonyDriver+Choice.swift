import Bridge
import PTP

extension SonyDriver {
    /// By what the body lists, which depends on the mode that its menu is in; nothing for one that lists nothing of Sony's.
    static func driver(for plain: GenericDriver, mode: String? = nil) -> (any MakerDriver)? {
        guard plain.device.vendor == .sony else { return nil }
        let driver: (any MakerDriver)? =
            if plain.device.supports(.sonyConnect) {
                SonyDriver(plain)
            } else if plain.device.supports(.sonySendToComputer) {
                SonyComputerDriver(plain: plain)
            } else {
                nil
            }
        if mode == SonyContentsDriver.mode, SonyContentsDriver.operations.allSatisfy(plain.device.supports) {
            return SonyContentsDriver(plain)
        }
        guard mode == SonyTransferDriver.mode else { return driver }
        if plain.device.transfersSonyContent { return SonyTransferDriver(plain: plain) }
        if driver != nil {
            plain.changes.push(
                .remark(
                    "this body does not list content transfer (0x9210 and 0x9212): it is tethered in the mode that its menu is in"
                ))
        }
        return driver
    }
}

extension DeviceInfo {
    /// A session for it can be opened, and it can be begun in that session.
    fileprivate var transfersSonyContent: Bool {
        vendor == .sony && supports(.sonyOpenSession) && supports(.sonySetTransferMode)
    }
}

extension DriverChoice {
    /// The body has to say what it is before a session is opened, because that may take an operation of its maker's.
    var looksBeforeSession: Bool { self == .maker(SonyDriver.name, mode: SonyTransferDriver.mode) }

    func sessionOpening(of device: DeviceInfo) -> SessionOpening {
        looksBeforeSession && device.transfersSonyContent ? SonyTransferDriver.session : .standard
    }
}
