/// A property of an object, in MTP's extension.
public struct ObjectPropertyCode: OpenCode {
    public let rawValue: UInt16

    public init(rawValue: UInt16) {
        self.rawValue = rawValue
    }

    public static let storageID = ObjectPropertyCode(rawValue: 0xDC01)
    public static let objectFormat = ObjectPropertyCode(rawValue: 0xDC02)
    public static let protectionStatus = ObjectPropertyCode(rawValue: 0xDC03)
    public static let objectSize = ObjectPropertyCode(rawValue: 0xDC04)
    public static let associationType = ObjectPropertyCode(rawValue: 0xDC05)
    public static let associationDesc = ObjectPropertyCode(rawValue: 0xDC06)
    public static let objectFileName = ObjectPropertyCode(rawValue: 0xDC07)
    public static let dateCreated = ObjectPropertyCode(rawValue: 0xDC08)
    public static let dateModified = ObjectPropertyCode(rawValue: 0xDC09)
    public static let keywords = ObjectPropertyCode(rawValue: 0xDC0A)
    public static let parentObject = ObjectPropertyCode(rawValue: 0xDC0B)
    public static let persistentUniqueObjectIdentifier = ObjectPropertyCode(rawValue: 0xDC41)
    public static let name = ObjectPropertyCode(rawValue: 0xDC44)
    public static let width = ObjectPropertyCode(rawValue: 0xDC87)
    public static let height = ObjectPropertyCode(rawValue: 0xDC88)
    public static let rating = ObjectPropertyCode(rawValue: 0xDC8A)
}

extension ObjectPropertyCode {
    public static let standardNames: [UInt16: String] = [
        0xDC01: "StorageID",
        0xDC02: "ObjectFormat",
        0xDC03: "ProtectionStatus",
        0xDC04: "ObjectSize",
        0xDC05: "AssociationType",
        0xDC06: "AssociationDesc",
        0xDC07: "ObjectFileName",
        0xDC08: "DateCreated",
        0xDC09: "DateModified",
        0xDC0A: "Keywords",
        0xDC0B: "ParentObject",
        0xDC41: "PersistentUniqueObjectIdentifier",
        0xDC44: "Name",
        0xDC87: "Width",
        0xDC88: "Height",
        0xDC8A: "Rating",
    ]

    public static func vendorNames(_ vendor: Vendor) -> [UInt16: String] {
        [:]
    }
}
