import PTP

/// In what the Canon bodies that are simulated differ.
struct CanonModel: Sendable {
    let model: String
    /// Records with 64-bit sizes: R, R5, R6.
    let hasWideRecords: Bool
    let rawFormat: FormatCode
    /// "M50: screen goes black" in remote mode.
    let isBlackInRemoteMode: Bool
    /// Pushes "please GetEvent" on the event link.
    let pushesRequests: Bool
    let operations: [OperationCode]

    static let r6 = CanonModel(
        model: "Canon EOS R6", hasWideRecords: true, rawFormat: FormatCode.Canon.cr3,
        isBlackInRemoteMode: false, pushesRequests: false,
        operations: usual + [OperationCode.Canon.getPartialObjectEx64])

    static let eighty = CanonModel(
        model: "Canon EOS 80D", hasWideRecords: false, rawFormat: FormatCode.Canon.cr2,
        isBlackInRemoteMode: false, pushesRequests: false,
        operations: usual + [OperationCode.Canon.getObjectInfoEx])

    static let m50 = CanonModel(
        model: "Canon EOS M50", hasWideRecords: false, rawFormat: FormatCode.Canon.cr3,
        isBlackInRemoteMode: true, pushesRequests: true, operations: usual)

    private static let usual: [OperationCode] = [
        .getDeviceInfo, .openSession, .closeSession, .getStorageIDs, .getStorageInfo, .getNumObjects,
        .getObjectHandles, .getObjectInfo, .getObject, .getThumb, .deleteObject, .setObjectProtection,
        .getDevicePropDesc, .getDevicePropValue, .setDevicePropValue, .getPartialObject,
        OperationCode.Canon.getStorageIDs, OperationCode.Canon.getStorageInfo,
        OperationCode.Canon.getPartialObject, OperationCode.Canon.setObjectAttributes,
        OperationCode.Canon.setDevicePropValueEx, OperationCode.Canon.setRemoteMode,
        OperationCode.Canon.setEventMode, OperationCode.Canon.getEvent, OperationCode.Canon.transferComplete,
        OperationCode.Canon.cancelTransfer, OperationCode.Canon.hostDiskCapacity,
        OperationCode.Canon.setUILock, OperationCode.Canon.resetUILock, OperationCode.Canon.keepDeviceOn,
        OperationCode.Canon.remoteReleaseOn, OperationCode.Canon.remoteReleaseOff,
        OperationCode.Canon.getPartialObjectEx, OperationCode.Canon.setRequestOLCInfoGroup,
    ]

    var traits: CameraTraits {
        var table = OperationTable.standard
        let parts = [
            OperationCode.Canon.getPartialObject, OperationCode.Canon.getPartialObjectEx,
            OperationCode.Canon.getPartialObjectEx64,
        ]
        table.offered = operations
        table.withOutgoingData.insert(OperationCode.Canon.setDevicePropValueEx)
        table.aboutObjects.formUnion(
            parts + [OperationCode.Canon.transferComplete, OperationCode.Canon.setObjectAttributes])
        table.needCard.formUnion(parts + [OperationCode.Canon.getStorageInfo])
        table.partialReads.formUnion(parts)
        return CameraTraits(
            operations: table,
            // "often 6 over PTP/IP".
            vendorExtensionID: 6, vendorExtensionVersion: 100, deviceVersion: "3-1.0.0",
            events: [EventCode.Canon.requestGetEvent])
    }

    func dress(_ settings: inout VirtualCard.Settings) {
        settings.make = "Canon Inc."
        settings.model = model
        settings.style.prefix = "IMG_"
        settings.style.folder = "CANON"
        settings.style.rawFormat = rawFormat
        settings.style.handle = Self.handle
        if rawFormat == FormatCode.Canon.cr3 {
            settings.style.rawExtension = "CR3"
            settings.style.rawBeginning = Self.filmBoxes
        } else {
            // A TIFF, as a DNG is.
            settings.style.rawExtension = "CR2"
        }
    }

    /// "0x51911B01 is sub-object 1, file 4528, folder 100", on the card in slot 1.
    private static let handle: @Sendable (CardStyle.Place) -> UInt32 = { place in
        CanonHandle(
            top: UInt32(place.slot) << 2 | 1, folder: place.folder, file: place.file,
            part: place.file == 0 ? .group : place.isRaw ? .raw : .jpeg
        ).handle.rawValue
    }

    /// A CR3 is boxes (ISO 14496-12) of the brand `crx`: what it is, an index, and the data to the end.
    private static let filmBoxes: @Sendable (UInt64) -> [UInt8] = { size in
        var writer = ByteWriter()
        func head(_ length: UInt32, _ name: String) {
            writer.append(bigEndian: length)
            writer.append(contentsOf: name.utf8)
        }
        head(24, "ftyp")
        writer.append(contentsOf: "crx ".utf8)
        writer.append(bigEndian: UInt32(1))
        writer.append(contentsOf: "crx isom".utf8)
        head(8, "moov")
        head(1, "mdat")
        writer.append(bigEndian: size - 32)
        return writer.bytes
    }
}
