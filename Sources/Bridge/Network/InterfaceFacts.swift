/// What the kernel, sysfs and NetworkManager say of one network interface, before anything is concluded from it.
public struct InterfaceFacts: Equatable, Sendable {
    /// `IF_OPER_…` of the kernel's `linux/if.h`.
    public enum OperatingState: UInt8, Equatable, Sendable {
        case unknown
        case notPresent
        case down
        case lowerLayerDown
        case testing
        case dormant
        case up
    }

    public var index: Int
    public var name: String
    /// `ARPHRD_…`: what kind of frames it takes.
    public var hardware: UInt16
    /// What made it, where it is not a piece of hardware: `bridge`, `vlan`, `wireguard`, `tun`, `gre`.
    public var madeBy: String?
    /// `DEVTYPE` in sysfs: `wlan`, `wwan`, `bridge`, `wireguard`.
    public var deviceType: String?
    /// Whether a radio of IEEE 802.11 belongs to it.
    public var isWireless = false
    /// Whether there is hardware behind it.
    public var hasDevice = false
    public var isTurnedOn = true
    public var state = OperatingState.unknown
    /// Whether something is at the other end; nothing where it has no way to know.
    public var hasCarrier: Bool?
    /// What it stands on: a VLAN's parent, the members of a bridge or a bond.
    public var lower: [Int] = []
    /// The bridge or bond that it is a member of.
    public var upper: Int?
    /// Of a tunnel that knows its other end: the interface that leads there.
    public var wayToRemote: Int?
    public var ssid: String?
    public var managed: ManagedFacts?

    public init(index: Int, name: String, hardware: UInt16 = InterfaceFacts.ethernet) {
        self.index = index
        self.name = name
        self.hardware = hardware
    }

    // From the kernel's `linux/if_arp.h`.
    public static let ethernet: UInt16 = 1
    public static let pointToPoint: UInt16 = 512
    public static let rawIP: UInt16 = 519
    public static let loopback: UInt16 = 772
    public static let nothing: UInt16 = 65_534
    /// IP in IP, in its four kinds, and GRE over either.
    public static let tunnels: Set<UInt16> = [768, 769, 776, 778, 823]
}

/// What NetworkManager knows of an interface, where it runs.
public struct ManagedFacts: Equatable, Sendable {
    /// `NMMetered`.
    public enum Metered: UInt32, Equatable, Sendable {
        case unknown
        case yes
        case no
        case guessedYes
        case guessedNo
    }

    public var metered = Metered.unknown
    /// Its device is a modem, whatever the interface is called.
    public var isModem = false
    public var ssid: String?

    public init(metered: Metered = .unknown, isModem: Bool = false, ssid: String? = nil) {
        self.metered = metered
        self.isModem = isModem
        self.ssid = ssid
    }
}
