/// A 16-bit code whose set is open: values without a name survive a round trip and print as what they are.
public protocol OpenCode: RawRepresentable<UInt16>, Hashable, Sendable, CustomStringConvertible {
    init(rawValue: UInt16)

    /// What the standard and MTP call them.
    static var standardNames: [UInt16: String] { get }

    /// What this vendor calls them. The same number means different things to different vendors.
    static func vendorNames(_ vendor: Vendor) -> [UInt16: String]
}

extension OpenCode {
    /// The name, where the standard or this vendor has one. A vendor's own code has no name until the vendor is
    /// known: 0xB101 is Canon's CRW and Sony's ARW.
    public func name(for vendor: Vendor?) -> String? {
        vendor.flatMap { Self.vendorNames($0)[rawValue] } ?? Self.standardNames[rawValue]
    }

    public func described(for vendor: Vendor?) -> String {
        name(for: vendor) ?? Hex.code(rawValue)
    }

    public var description: String { described(for: nil) }
}
