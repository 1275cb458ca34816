/// Whose dialect a camera speaks.
public enum Vendor: String, CaseIterable, Sendable {
    case kodak
    case microsoft
    case nikon
    case canon
    case pentax
    case fuji
    case sony
    case samsung
    case parrot
    case panasonic
    case olympus
    case leica
    case ricoh

    /// Recognises the vendor before any code of its own is interpreted.
    ///
    /// The manufacturer's name comes first: over Wi-Fi, Canon, Nikon and Sony call themselves Microsoft (6) or
    /// MTP (0xFFFFFFFF) in the extension id.
    public static func resolve(extensionID: UInt32, manufacturer: String, model: String = "") -> Vendor? {
        let name = manufacturer.lowercased()
        // Olympus cameras have also been sold under the name of the company that took the business over.
        let beginnings: [(String, Vendor)] = [
            ("canon", .canon), ("nikon", .nikon), ("sony", .sony), ("fuji", .fuji), ("leica", .leica),
            ("olympus", .olympus), ("om digital", .olympus), ("panasonic", .panasonic), ("pentax", .pentax),
            ("ricoh", .ricoh), ("samsung", .samsung), ("parrot", .parrot), ("kodak", .kodak),
            ("eastman kodak", .kodak),
        ]
        let trimmed = name.drop { $0.isWhitespace }
        if let (_, vendor) = beginnings.first(where: { trimmed.hasPrefix($0.0) }) { return vendor }
        return byExtensionID[extensionID]
    }

    private static let byExtensionID: [UInt32: Vendor] = [
        0x01: .kodak, 0x06: .microsoft, 0x0A: .nikon, 0x0B: .canon, 0x0D: .pentax, 0x0E: .fuji, 0x11: .sony,
        0x1A: .samsung, 0x1B: .parrot, 0x1C: .panasonic, 0xFFFF_FFFF: .microsoft,
    ]
}
