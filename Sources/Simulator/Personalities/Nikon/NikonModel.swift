import PTP

/// In what Nikon's bodies differ from each other on the wire.
struct NikonModel: Sendable {
    enum Ritual: Equatable, Sendable {
        /// "none; any GUID"
        case none
        /// "write property ApplicationMode 0xD1F0 (u8) = 1"
        case property
        /// "ChangeApplicationMode 0x9435(1)"
        case operation
        /// "pairing ops present in DeviceInfo"
        case pairing
    }

    let name: String
    let folder: String
    let ritual: Ritual
    /// How it tells of what happens, besides GetEvent.
    var hasExtendedEvents = false
    /// "Standard Event packets are also pushed by some bodies (Z6); others push nothing."
    var pushes = false
    /// "GetObjectInfo right after ObjectAdded: 0x2002 for up to ~1 s."
    var readyAfter = Duration.zero
    /// "D5300: dropped after 30 s without traffic"; "Z: about 3.5 min".
    var idleLimit: Duration
    var events: [EventCode] = [
        .objectAdded, .objectRemoved, .storeAdded, .storeRemoved, .devicePropChanged, .objectInfoChanged,
        .storeFull, .captureComplete, .nikonObjectAddedInMemory, .nikonCaptureCompleteInMemory,
    ]

    static let d7200 = NikonModel(
        name: "D7200", folder: "D7200", ritual: .none, readyAfter: .milliseconds(300),
        idleLimit: .seconds(30))
    static let z6 = NikonModel(
        name: "Z 6", folder: "NCZ_6", ritual: .property, pushes: true, idleLimit: .seconds(210))
    static let z6ii = NikonModel(
        name: "Z 6II", folder: "NCZ6_", ritual: .operation, hasExtendedEvents: true, idleLimit: .seconds(210))
    static let z8 = NikonModel(
        name: "Z 8", folder: "NCZ_8", ritual: .pairing, hasExtendedEvents: true, idleLimit: .seconds(210))

    // MARK: Operations

    var operations: OperationTable {
        var table = OperationTable.standard
        table.offered = [
            .getDeviceInfo, .openSession, .closeSession, .getStorageIDs, .getStorageInfo, .getNumObjects,
            .getObjectHandles, .getObjectInfo, .getObject, .getThumb, .deleteObject, .initiateCapture,
            .getDevicePropDesc, .getDevicePropValue, .setDevicePropValue, .getPartialObject,
            .nikonDeleteImageInMemory, .nikonGetLargeThumb, .nikonGetEvent, .nikonDeviceReady,
            .nikonInitiateCaptureToMedia, .nikonGetVendorStorageIDs,
        ]
        switch ritual {
        case .none: break
        case .property:
            table.offered += [.nikonGetObjectSize, .nikonGetPartialObjectEx, .nikonAdvancedTransfer]
        case .operation, .pairing:
            table.offered += [
                .nikonGetObjectSize, .nikonGetPartialObjectEx, .nikonAdvancedTransfer,
                .nikonChangeApplicationMode,
            ]
        }
        if hasExtendedEvents { table.offered.append(.nikonGetEventEx) }
        if ritual == .pairing { table.offered += [.nikonConfirmPairing, .nikonGetPairingInfo] }
        let objects: Set<OperationCode> = [
            .nikonGetLargeThumb, .nikonGetObjectSize, .nikonGetPartialObjectEx,
        ]
        table.aboutObjects.formUnion(objects)
        table.needCard.formUnion(objects)
        table.needCard.insert(.nikonInitiateCaptureToMedia)
        table.partialReads.insert(.nikonGetPartialObjectEx)
        return table
    }

    /// "An unpaired Z 8 answers DeviceInfo with only operations 1001, 1002, 1003, 935A, 9439, 9440, 9441, 9442, 952B."
    var unpaired: OperationTable {
        var table = operations
        table.offered = [0x1001, 0x1002, 0x1003, 0x935A, 0x9439, 0x9440, 0x9441, 0x9442, 0x952B].map {
            OperationCode(rawValue: $0)
        }
        return table
    }

    func traits(isPaired: Bool) -> CameraTraits {
        CameraTraits(
            operations: isPaired ? operations : unpaired,
            // As a Z 8 begins its DeviceInfo: "VendorExtensionID over IP is not 0xA on Z".
            vendorExtensionID: ritual == .none ? 0x0000_000A : 0xFFFF_FFFF,
            vendorExtensionVersion: ritual == .none ? 100 : 110,
            vendorExtensionDescription: "Microsoft.com/DeviceServices: 1.0", deviceVersion: "V1.00",
            events: isPaired ? events : [],
            properties: ritual == .property ? [.nikonApplicationMode] : [])
    }

    // MARK: The card

    func dress(_ settings: inout VirtualCard.Settings) {
        settings.make = "Nikon Corporation"
        settings.model = name
        settings.hasOddFolderDate = true
        settings.style.prefix = "DSC_"
        settings.style.folder = folder
        settings.style.rawExtension = "NEF"
        // "0x3000: undefined (many RAWs including NEF)."
        settings.style.rawFormat = .undefined
        settings.style.handle = Self.handle
    }

    /// "Bits 0–13 file number, 14–23 folder number, high byte slot (0x09 slot 1, 0x0A slot 2)." What tells the two files of
    /// a shot apart is not known; here it is bit 28.
    @Sendable static func handle(_ place: CardStyle.Place) -> UInt32 {
        let slot = (8 + UInt32(place.slot)) << 24
        return slot | UInt32(place.folder) << 14 | UInt32(place.file) | (place.isRaw ? 1 << 28 : 0)
    }
}
