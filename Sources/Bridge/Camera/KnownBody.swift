public import Basics

/// What has been learned of one camera body: kept in the ledger from one connection to the next, and from one run to
/// the next.
public struct KnownBody: Equatable, Sendable {
    public var identity: CameraIdentity
    /// The name of the driver that works with it.
    public var driver: String
    /// The port that it answered on, where its place has ports.
    public var port: UInt16?
    /// What it calls itself on the wire: a GUID, a MAC address.
    public var wireID: String?
    /// In how many connections, one after the other, it has called itself that, as far as it matters.
    public var timesShown = 0
    /// It has called itself something else before, and two connections have not shown the same since: it makes itself
    /// another GUID each time, as far as is known.
    public private(set) var changesWireID = false
    /// The serial number that it gives; nothing where it gives none.
    public var serial: String?
    /// What it wants to see again of us, in the driver's own words.
    public var pairing: String?
    /// How it differs from others, in the driver's own words.
    public var traits: [String: String]

    public init(
        identity: CameraIdentity, driver: String, port: UInt16? = nil, wireID: String? = nil,
        serial: String? = nil, pairing: String? = nil, traits: [String: String] = [:]
    ) {
        self.identity = identity
        self.driver = driver
        self.port = port
        self.wireID = wireID
        self.serial = serial
        self.pairing = pairing
        self.traits = traits
    }

    /// What it calls itself in this connection, after what it called itself in the one before.
    public mutating func shows(_ wireID: String?, after former: KnownBody?) {
        self.wireID = wireID
        changesWireID = former?.changesWireID ?? false
        guard tellingWireID != nil else {
            timesShown = 0
            return
        }
        let isTheSame = former?.wireID == wireID
        timesShown = isTheSame ? min(max(former?.timesShown ?? 0, 1) + 1, Self.timesThatProve) : 1
        if isTheSame {
            changesWireID = false
        } else if former?.tellingWireID != nil {
            changesWireID = true
        }
    }

    /// Some bodies make themselves another GUID for each connection; what two have shown is the body's own.
    private static let timesThatProve = 2

    /// What it calls itself, where that tells bodies apart: some makers give all of theirs zeros, or the same byte.
    public var tellingWireID: String? {
        guard let wireID, Set(wireID.filter(\.isHexDigit)).count > 1 else { return nil }
        return wireID
    }

    /// What is known to be its own.
    public var ownWireID: String? { timesShown >= Self.timesThatProve ? tellingWireID : nil }

    /// Whether that is certainly another body. A body without a serial number cannot be told from others of its model.
    public func contradicts(_ other: CameraIdentity, serial otherSerial: String?) -> Bool {
        if identity.manufacturer != other.manufacturer || identity.model != other.model { return true }
        guard let serial, let otherSerial else { return false }
        return serial != otherSerial
    }
}

extension KnownBody {
    /// What the ledger keeps beside the identity, which has columns of its own.
    public var json: JSONValue {
        .object([
            (key: "driver", value: .string(driver)),
            (key: "port", value: .optional(port) { .unsigned(UInt64($0)) }),
            (key: "wireID", value: .optional(wireID, JSONValue.string)),
            (key: "timesShown", value: .integer(Int64(timesShown))),
            (key: "changesWireID", value: .bool(changesWireID)),
            (key: "serial", value: .optional(serial, JSONValue.string)),
            (key: "pairing", value: .optional(pairing, JSONValue.string)),
            (
                key: "traits",
                value: .object(
                    traits.sorted { $0.key < $1.key }.map { (key: $0.key, value: .string($0.value)) })
            ),
        ])
    }

    /// What an older version kept has fewer facts, what a newer one kept has more; each counts where it is readable.
    public init(identity: CameraIdentity, json: JSONValue) {
        self.init(
            identity: identity, driver: json["driver"]?.string ?? "",
            port: json["port"]?.integer.flatMap { UInt16(exactly: $0) }, wireID: json["wireID"]?.string,
            serial: json["serial"]?.string, pairing: json["pairing"]?.string)
        // Which an older version did not count.
        timesShown = json["timesShown"]?.integer.flatMap { Int(exactly: $0) } ?? 0
        changesWireID = json["changesWireID"]?.bool ?? false
        for member in json["traits"]?.members ?? [] {
            if let text = member.value.string { traits[member.key] = text }
        }
    }
}
