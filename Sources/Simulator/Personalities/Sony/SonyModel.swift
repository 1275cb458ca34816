import PTP

/// What one Sony body is like beside the others.
struct SonyModel: Sendable {
    /// As `camsim --model` knows it.
    let name: String
    /// As DeviceInfo says it.
    let model: String
    let deviceVersion: String
    /// What 0x9202 answers at the most.
    let version: SonyVersion
    /// "Events are unreliable on bodies from before 2019": nothing is told by itself.
    let pushes: Bool
    /// "The ack of an RX100 M7 has no protocol version."
    let omitsVersion: Bool
    /// A session may be opened for content transfer.
    let transfersContent: Bool
    /// How long a photo takes from the shutter to the body's memory.
    let preparing: Duration

    static let a7m3 = SonyModel(
        name: "sony-a7m3", model: "ILCE-7M3", deviceVersion: "4.02", version: .two, pushes: false,
        omitsVersion: false, transfersContent: false, preparing: .milliseconds(200))
    static let a7m4 = SonyModel(
        name: "sony-a7m4", model: "ILCE-7M4", deviceVersion: "3.00", version: .three, pushes: true,
        omitsVersion: false, transfersContent: true, preparing: .milliseconds(120))
    static let rx100m7 = SonyModel(
        name: "sony-rx100m7", model: "DSC-RX100M7", deviceVersion: "1.00", version: .three, pushes: true,
        omitsVersion: true, transfersContent: false, preparing: .milliseconds(150))

    /// What an RX100 M7 lists, and what newer bodies add for content transfer.
    private var remoteOperations: [OperationCode] {
        let common: [UInt16] = [
            0x1001, 0x1002, 0x1003, 0x1004, 0x1005, 0x1006, 0x1007, 0x1008, 0x1009, 0x100A, 0x100D, 0x101B,
            0x9201, 0x9202, 0x9205, 0x9207, 0x9209, 0x920A, 0x920B, 0x920C, 0x920D, 0x920E, 0x920F,
        ]
        let transfer: [UInt16] = transfersContent ? [0x9210, 0x9211, 0x9212] : []
        let properties: [UInt16] = [0x9801, 0x9802, 0x9803, 0x9805]
        return (common + transfer + properties).map { OperationCode(rawValue: $0) }
    }

    private var computerOperations: [OperationCode] {
        let codes: [UInt16] = [
            0x1001, 0x1002, 0x1003, 0x1004, 0x1005, 0x1006, 0x1007, 0x1008, 0x1009, 0x100A, 0x101B, 0x9280,
            0x9281,
        ]
        return codes.map { OperationCode(rawValue: $0) }
    }

    func operations(sendsToComputer: Bool) -> OperationTable {
        var table = OperationTable.standard
        table.offered = sendsToComputer ? computerOperations : remoteOperations
        table.withOutgoingData = [.sonySetProperty, .sonyControl, .sonySendToComputer]
        if transfersContent, !sendsToComputer { table.sessionOpenings.insert(.sonyOpenSession) }
        table.aboutObjects = [
            .getObjectInfo, .getObject, .getThumb, .getPartialObject, .getPartialObject64,
            .sonyPartialLargeObject,
        ]
        table.partialReads = [.getPartialObject, .sonyPartialLargeObject]
        return table
    }

    func traits(sendsToComputer: Bool, listsContents: Bool = false) -> CameraTraits {
        let events: [UInt16] = [
            0xC201, 0xC202, 0xC203, 0xC204, 0xC205, 0xC206, 0xC207, 0xC208, 0xC209, 0xC20A, 0xC20B, 0xC20C,
        ]
        var operations = operations(sendsToComputer: sendsToComputer)
        if listsContents, !sendsToComputer {
            operations.offered += SonyBody.contentOperations
            operations.aboutObjects.formUnion([.sonyContentData, .sonyContentThumbnail])
            operations.partialReads.insert(.sonyContentData)
        }
        return CameraTraits(
            operations: operations, vendorExtensionID: 0x11,
            vendorExtensionVersion: 100, vendorExtensionDescription: "Sony PTP Extensions",
            deviceVersion: deviceVersion, events: events.map { EventCode(rawValue: $0) })
    }
}

extension OperationCode {
    static let sonySetProperty = OperationCode(rawValue: 0x9205)
    static let sonyControl = OperationCode(rawValue: 0x9207)
}

extension CameraModel {
    static let sonyA7M3 = sony(
        .a7m3,
        "Sony A7 III in PC Remote: tells nothing by itself, older datasets (\"Events unreliable before ~2019 bodies\")"
    )
    static let sonyA7M4 = sony(
        .a7m4,
        "Sony A7 IV in PC Remote: pushes its notices; content transfer too (\"mode: 0 remote, 1 content transfer\")"
    )
    static let sonyRX100M7 = sony(
        .rx100m7,
        "Sony RX100 VII in PC Remote, after a recording of one (\"really omits the version\")")

    private static func sony(_ model: SonyModel, _ summary: String) -> CameraModel {
        CameraModel(
            name: model.name, summary: summary,
            dressing: { settings in
                settings.make = "Sony Corporation"
                settings.model = model.model
                settings.style.prefix = "DSC0"
                settings.style.folder = "MSDCF"
                settings.style.rawExtension = "ARW"
                settings.style.rawFormat = .sonyARW
            }, making: { SonyPersonality(model: model, card: $0) })
    }
}
