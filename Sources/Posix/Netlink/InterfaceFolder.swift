import Glibc

/// What `/sys/class/net/NAME` says of an interface beyond what netlink does.
package struct InterfaceFolder: Equatable, Sendable {
    /// There is a radio of IEEE 802.11.
    package var isWireless = false
    /// There is a piece of hardware behind it.
    package var hasDevice = false
    /// `DEVTYPE`: `wlan`, `wwan`, `bridge`, `wireguard`.
    package var deviceType: String?
    /// A program made it and reads what is sent there.
    package var isTunnelOfProgram = false

    package init() {}

    /// The kernel writes three short lines.
    private static let limit = 4096

    /// What is not there is not known: an interface may go while it is looked at, and containers may have no sysfs.
    /// `root` is `/sys`, except in tests.
    package init(of name: String, root: String) throws(SystemError) {
        guard !name.isEmpty, name != ".", name != "..", !name.contains("/") else {
            throw SystemError("looking up an interface", EINVAL, on: name)
        }
        let folder = "\(root)/class/net/\(name)"
        func isThere(_ file: String) -> Bool { access("\(folder)/\(file)", F_OK) == 0 }
        isWireless = isThere("wireless") || isThere("phy80211")
        hasDevice = isThere("device")
        isTunnelOfProgram = isThere("tun_flags")
        let bytes: [UInt8]
        do throws(SystemError) {
            bytes = try ReadableFile.virtualContents(of: "\(folder)/uevent", limit: Self.limit)
        } catch {
            // Gone, or going: `ENODEV` is what a read says then.
            if error.kind == .missing || error.number == ENODEV { return }
            throw error
        }
        deviceType = bytes.split(separator: UInt8(ascii: "\n")).map { String(decoding: $0, as: UTF8.self) }
            .first { $0.hasPrefix("DEVTYPE=") }.map { String($0.dropFirst(8)) }
    }
}
