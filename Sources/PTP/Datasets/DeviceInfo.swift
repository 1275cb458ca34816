/// What a camera says about itself (PIMA 15740 §5.5.1).
public struct DeviceInfo: Equatable, Sendable {
    public var standardVersion: UInt16 = 100
    public var vendorExtensionID: UInt32 = 0
    public var vendorExtensionVersion: UInt16 = 0
    public var vendorExtensionDescription = ""
    public var functionalMode: UInt16 = 0
    public var operations: [OperationCode] = []
    public var events: [EventCode] = []
    public var deviceProperties: [DevicePropertyCode] = []
    public var captureFormats: [FormatCode] = []
    public var imageFormats: [FormatCode] = []
    public var manufacturer = ""
    public var model = ""
    public var deviceVersion = ""
    public var serialNumber = ""

    public init() {}

    /// What a camera can do has to be there: everything that is asked of it hangs on that. What follows may be missing,
    /// and bytes behind the last field are ignored.
    public init(decoding bytes: ArraySlice<UInt8>) throws(Malformed) {
        self = try PTP.decoding("DeviceInfo", bytes) { reader throws(ReadFailure) in
            var info = DeviceInfo()
            info.standardVersion = try reader.integer("StandardVersion")
            info.vendorExtensionID = try reader.integer("VendorExtensionID")
            info.vendorExtensionVersion = try reader.integer("VendorExtensionVersion")
            info.vendorExtensionDescription = try reader.string("VendorExtensionDesc")
            info.functionalMode = try reader.integer("FunctionalMode")
            info.operations = try reader.codes(OperationCode.self, "OperationsSupported")
            info.events = try reader.codesIfPresent(EventCode.self, "EventsSupported")
            info.deviceProperties = try reader.codesIfPresent(
                DevicePropertyCode.self, "DevicePropertiesSupported")
            info.captureFormats = try reader.codesIfPresent(FormatCode.self, "CaptureFormats")
            info.imageFormats = try reader.codesIfPresent(FormatCode.self, "ImageFormats")
            info.manufacturer = try reader.stringIfPresent("Manufacturer")
            info.model = try reader.stringIfPresent("Model")
            info.deviceVersion = try reader.stringIfPresent("DeviceVersion")
            info.serialNumber = try reader.stringIfPresent("SerialNumber")
            return info
        }
    }

    public var encoded: [UInt8] {
        var writer = ByteWriter(reserving: 512)
        writer.append(standardVersion)
        writer.append(vendorExtensionID)
        writer.append(vendorExtensionVersion)
        writer.append(vendorExtensionDescription)
        writer.append(functionalMode)
        writer.append(array: operations.map(\.rawValue))
        writer.append(array: events.map(\.rawValue))
        writer.append(array: deviceProperties.map(\.rawValue))
        writer.append(array: captureFormats.map(\.rawValue))
        writer.append(array: imageFormats.map(\.rawValue))
        for text in [manufacturer, model, deviceVersion, serialNumber] { writer.append(text) }
        return writer.bytes
    }

    public var vendor: Vendor? {
        Vendor.resolve(extensionID: vendorExtensionID, manufacturer: manufacturer, model: model)
    }

    /// Operations that a camera does not list are never sent: some bodies do not recover from one.
    public func supports(_ operation: OperationCode) -> Bool {
        operations.contains(operation)
    }
}
