import PTP

extension SonyDriver {
    /// By what the body lists, which depends on the mode that its menu is in; nothing for one that lists nothing of Sony's.
    static func driver(for plain: GenericDriver, mode: String? = nil) -> (any MakerDriver)? {
        guard plain.device.vendor == .sony else { return nil }
        if mode == SonyTransferDriver.mode, plain.device.supports(.sonySetTransferMode) {
            return SonyTransferDriver(plain: plain)
        }
        if mode == SonyContentsDriver.mode, SonyContentsDriver.operations.allSatisfy(plain.device.supports) {
            return SonyContentsDriver(plain)
        }
        if plain.device.supports(.sonyConnect) { return SonyDriver(plain) }
        if plain.device.supports(.sonySendToComputer) { return SonyComputerDriver(plain: plain) }
        return nil
    }
}

extension DriverChoice {
    /// The body has to say what it is before a session is opened, because that may take an operation of its maker's.
    var looksBeforeSession: Bool { self == .maker(SonyDriver.name, mode: SonyTransferDriver.mode) }

    func sessionOpening(of device: DeviceInfo) -> SessionOpening {
        looksBeforeSession && device.vendor == .sony && device.supports(.sonyOpenSession)
            ? SonyTransferDriver.session : .standard
    }
}
