/// Datasets as lines for people.
public enum DatasetPrinter {
    /// Longer lists are cut in the text of a conversation.
    private static let longestList = 24

    /// What the data of an operation says, where it is a dataset that is known; what is wrong with it, where it
    /// cannot be read. Texts of the camera's stand in them as they came: a program that shows them takes care of its terminal.
    public static func lines(
        for operation: OperationCode, _ parameters: [UInt32], vendor: Vendor?, data: [UInt8]
    ) -> [String] {
        do throws(Malformed) {
            return try known(operation, vendor, data[...])
        } catch {
            return ["\(error)"]
        }
    }

    private static func known(
        _ operation: OperationCode, _ vendor: Vendor?, _ data: ArraySlice<UInt8>
    ) throws(Malformed) -> [String] {
        switch operation {
        case .getDeviceInfo: lines(try DeviceInfo(decoding: data))
        case .getStorageIDs: ["storages: \(list(try StorageIDList(decoding: data).ids.map(\.description)))"]
        case .getStorageInfo: lines(try StorageInfo(decoding: data))
        case .getObjectHandles:
            ["objects: \(list(try HandleList(decoding: data).handles.map(\.description)))"]
        case .getObjectInfo: lines(try ObjectInfo(decoding: data, vendor: vendor), vendor)
        case .getDevicePropDesc: lines(try DevicePropertyDescription(decoding: data))
        case .getObjectPropList: lines(try ObjectPropertyList(decoding: data))
        case .getObjectPropsSupported:
            ["properties: \(list(try CodeList<ObjectPropertyCode>(decoding: data).codes.map(\.description)))"]
        default: []
        }
    }

    private static func list(_ items: [String]) -> String {
        guard items.count > longestList else { return items.isEmpty ? "none" : items.joined(separator: " ") }
        return items.prefix(longestList).joined(separator: " ") + " … (\(items.count) in all)"
    }

    private static func lines(_ info: DeviceInfo) -> [String] {
        let vendor = info.vendor
        return [
            "DeviceInfo: \(info.manufacturer) \(info.model), version \(info.deviceVersion), serial \(info.serialNumber)",
            "extension \(Hex.code(info.vendorExtensionID)) \"\(info.vendorExtensionDescription)\"",
            "operations: \(list(info.operations.map { $0.described(for: vendor) }))",
            "events: \(list(info.events.map { $0.described(for: vendor) }))",
            "properties: \(list(info.deviceProperties.map { $0.described(for: vendor) }))",
            "formats: \(list(info.imageFormats.map { $0.described(for: vendor) }))",
        ]
    }

    private static func lines(_ info: StorageInfo) -> [String] {
        let capacity = info.knownCapacity.map(String.init) ?? "unknown"
        let free = info.knownFreeSpace.map(String.init) ?? "unknown"
        return [
            "StorageInfo: \"\(info.storageDescription)\" \"\(info.volumeLabel)\", \(free) of \(capacity) bytes free"
        ]
    }

    private static func lines(_ info: ObjectInfo, _ vendor: Vendor?) -> [String] {
        [
            "ObjectInfo: \"\(info.fileName)\" \(info.format.described(for: vendor)), \(info.compressedSize) bytes,"
                + " \(info.imageWidth)×\(info.imageHeight), taken \(info.captureDate.isEmpty ? "?" : info.captureDate)",
            "storage \(info.storage), parent \(info.parent), sequence \(info.sequenceNumber)"
                + (info.isProtected ? ", protected" : ""),
        ]
    }

    private static func lines(_ property: DevicePropertyDescription) -> [String] {
        [
            "\(property.code): \(property.current) (\(property.type)\(property.isWritable ? ", writable" : ""))"
        ]
    }

    private static func lines(_ properties: ObjectPropertyList) -> [String] {
        let rows = properties.rows.prefix(longestList).map { "\($0.object) \($0.property) = \($0.value)" }
        let left = properties.rows.count - rows.count
        return rows + (left > 0 ? ["… (\(properties.rows.count) in all)"] : [])
    }
}
