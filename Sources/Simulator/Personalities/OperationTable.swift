package import PTP

/// What a camera's operations are, by their codes: what has to be known of one before it is performed, and what the
/// fault script means by "parts" or "an object" in this camera's dialect.
package struct OperationTable: Sendable {
    /// What DeviceInfo lists, in this order.
    package var offered: [OperationCode]
    /// The client sends data for these, whatever the request's data-phase field says.
    package var withOutgoingData: Set<OperationCode>
    /// Their first parameter is an object's handle.
    package var aboutObjects: Set<OperationCode>
    /// There is nothing to do for them where there is no card.
    package var needCard: Set<OperationCode>
    /// They give all of an object's bytes, or some.
    package var wholeReads: Set<OperationCode>
    package var partialReads: Set<OperationCode>
    /// They open a session.
    package var sessionOpenings: Set<OperationCode> = [.openSession]

    /// What the standard has, as far as a camera that only takes photos needs it, with MTP's properties of objects.
    package static let standard = OperationTable(
        offered: [
            .getDeviceInfo, .openSession, .closeSession, .getStorageIDs, .getStorageInfo, .getNumObjects,
            .getObjectHandles, .getObjectInfo, .getObject, .getThumb, .deleteObject, .initiateCapture,
            .setObjectProtection, .getDevicePropDesc, .getDevicePropValue, .setDevicePropValue,
            .getPartialObject, .getPartialObject64, .getObjectPropsSupported, .getObjectPropDesc,
            .getObjectPropValue, .getObjectPropList,
        ],
        withOutgoingData: [.setDevicePropValue],
        aboutObjects: [
            .getObjectInfo, .getObject, .getThumb, .deleteObject, .getPartialObject, .getPartialObject64,
            .setObjectProtection, .getObjectPropValue,
        ],
        needCard: [
            .getStorageInfo, .getNumObjects, .getObjectHandles, .getObjectInfo, .getObject, .getThumb,
            .deleteObject, .getPartialObject, .getPartialObject64, .setObjectProtection, .initiateCapture,
            .getObjectPropValue, .getObjectPropList,
        ],
        wholeReads: [.getObject], partialReads: [.getPartialObject, .getPartialObject64])

    /// The same with MTP's properties of objects, of a body that lets in who may see its objects.
    var withObjectProperties: OperationTable {
        guard offered.contains(.getObjectInfo) else { return self }
        var table = self
        let properties: [OperationCode] = [
            .getObjectPropsSupported, .getObjectPropDesc, .getObjectPropValue, .getObjectPropList,
        ]
        table.offered += properties.filter { !offered.contains($0) }
        return table
    }

    /// The object that a request is about.
    package func object(of code: OperationCode, _ parameters: [UInt32]) -> ObjectHandle? {
        aboutObjects.contains(code) ? ObjectHandle(rawValue: parameters.first ?? 0) : nil
    }

    /// The folder that is to be listed, where one is named.
    static func folder(of code: OperationCode, _ parameters: [UInt32]) -> ObjectHandle? {
        guard code == .getObjectHandles, parameters.count > 2 else { return nil }
        let folder = ObjectHandle(rawValue: parameters[2])
        return folder == .root || folder == .all ? nil : folder
    }

    /// Whether the fault script has taken this operation away.
    package func isMissing(_ code: OperationCode, _ faults: Faults) -> Bool {
        partialReads.contains(code) && faults.has(.noPartialReads)
            || wholeReads.contains(code) && faults.has(.noWholeObjects)
    }
}
