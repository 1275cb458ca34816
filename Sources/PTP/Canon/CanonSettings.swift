/// Where a Canon puts what it shoots (setting 0xD11C): "1 and 2 are the card, 4 the host, 6 both".
public struct CanonDestination: Equatable, Sendable {
    public static let property: UInt32 = 0xD11C

    public let rawValue: UInt32

    public init(rawValue: UInt32) { self.rawValue = rawValue }

    public var includesHost: Bool { rawValue & 4 != 0 }
    public var includesCard: Bool { rawValue & 3 != 0 }
}

/// What a body is told of the host's disk, "otherwise it thinks the disk is full".
public enum CanonHostDisk {
    public static let capacity: [UInt32] = [0x0FFF_FFFF, 0x1000, 1]
}

/// The parameter of SetRemoteMode, which differs: "1 for EOS, 0x15 for EOS M and new PowerShots, 0x11 for some, 5 on the
/// R7".
public enum CanonRemoteMode {
    public static func parameter(model: String) -> UInt32 {
        let name = model.uppercased()
        if name.hasSuffix("EOS R7") { return 5 }
        if name.contains("POWERSHOT") { return elevens.contains { name.hasSuffix($0) } ? 0x11 : 0x15 }
        // The later one behaves like the other EOS.
        if name.contains("EOS M6 MARK II") { return 1 }
        return name.contains("EOS M") ? 0x15 : 1
    }

    private static let elevens = ["SX540 HS", "G5 X"]
}
