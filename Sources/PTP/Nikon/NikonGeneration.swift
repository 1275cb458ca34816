/// How a Nikon wants to be greeted, by what it says of itself: nothing is tried out, because "sending generation-3
/// operations to a Z 5 shows a wireless error on its screen".
public enum NikonGeneration: Equatable, Sendable {
    /// D and 1 series, adapters: no ritual.
    case old
    /// Z 5, Z 6, Z 7, Z 50: the application mode is a property.
    case first
    /// Z 6II, Z 7II, Z fc, Z 30: the application mode is an operation.
    case second
    /// Z 8, Z 9, Z 6III, Z f, Z 5II, Z 50II, ZR: the same, behind a pairing with a code. `isPaired` as far as its list of
    /// operations tells: "an unpaired Z 8 lists nine operations; the list grows after pairing".
    case third(isPaired: Bool)

    /// Nothing for a body of another make.
    public init?(_ device: DeviceInfo) {
        guard device.vendor == .nikon else { return nil }
        let hasProperty =
            device.deviceProperties.contains(.nikonApplicationMode) && device.supports(.setDevicePropValue)
        if Self.isOfTheFirst(device.model) {
            self = hasProperty ? .first : .old
        } else if device.supports(.nikonGetPairingInfo) {
            self = .third(isPaired: device.supports(.getObjectHandles))
        } else if device.supports(.nikonChangeApplicationMode) {
            self = .second
        } else {
            self = hasProperty ? .first : .old
        }
    }

    /// By its name alone, for a body that has not said yet what it can do; nothing for a name that is not known. A body
    /// that was met before counts as paired.
    public init?(model: String) {
        let name = Self.plain(model)
        if Self.firstNames.contains(name) {
            self = .first
        } else if Self.secondNames.contains(name) {
            self = .second
        } else if Self.thirdNames.contains(name) {
            self = .third(isPaired: true)
        } else if let series = name.first, "DJSV1".contains(series),
            name.dropFirst().first.map({ $0.isNumber || "JSVF".contains($0) }) == true
        {
            self = .old
        } else {
            return nil
        }
    }

    /// Whatever such a body lists: later ones are called `Z 6_2` or `Z 6II`.
    private static func isOfTheFirst(_ model: String) -> Bool { firstNames.contains(plain(model)) }

    private static let firstNames: Set<String> = ["Z5", "Z6", "Z7", "Z50"]
    private static let secondNames: Set<String> = ["Z6II", "Z6_2", "Z7II", "Z7_2", "ZFC", "Z30"]
    private static let thirdNames: Set<String> = [
        "Z8", "Z9", "Z6III", "Z6_3", "ZF", "Z5II", "Z5_2", "Z50II", "Z50_2", "ZR",
    ]

    private static func plain(_ model: String) -> String {
        var name = model.uppercased()
        if name.hasPrefix("NIKON") { name.removeFirst(5) }
        name.removeAll { $0 == " " }
        return name
    }
}

extension DeviceInfo {
    /// Whether GetEvent is known not to tell of photos: "V1, J1, S1, J3, J4: 0x90C7 unreliable".
    public var hasUnreliableNikonEvents: Bool {
        var name = model.uppercased()
        if name.hasPrefix("NIKON") { name.removeFirst(5) }
        name.removeAll { $0 == " " }
        return vendor == .nikon
            && ["V1", "J1", "S1", "J3", "J4", "1V1", "1J1", "1S1", "1J3", "1J4"].contains(name)
    }
}
