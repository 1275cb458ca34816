/// What a body can do beyond its DeviceInfo (0x9202): its answer is empty until it is ready.
public struct SonyExtendedDeviceInfo: Equatable, Sendable {
    public var version: SonyVersion
    public var properties: [DevicePropertyCode]
    public var controls: [DevicePropertyCode]

    public init(
        version: SonyVersion, properties: [DevicePropertyCode] = [], controls: [DevicePropertyCode] = []
    ) {
        self.version = version
        self.properties = properties
        self.controls = controls
    }

    /// Lists that end early are taken as far as they go: only the version decides anything.
    public init(decoding bytes: ArraySlice<UInt8>) throws(Malformed) {
        self = try PTP.decoding("SonyExtendedDeviceInfo", bytes) { reader throws(ReadFailure) in
            let version = SonyVersion(rawValue: try reader.integer("Version"))
            let properties = try reader.codesIfPresent(DevicePropertyCode.self, "Properties")
            let controls = try reader.codesIfPresent(DevicePropertyCode.self, "Controls")
            return SonyExtendedDeviceInfo(version: version, properties: properties, controls: controls)
        }
    }

    public var encoded: [UInt8] {
        var writer = ByteWriter()
        writer.append(version.rawValue)
        writer.append(array: properties.map(\.rawValue))
        writer.append(array: controls.map(\.rawValue))
        return writer.bytes
    }
}

/// One property of a body, as 0x9209 tells it.
public struct SonyProperty: Equatable, Sendable {
    public enum Form: Equatable, Sendable {
        case none
        case range(minimum: PropertyValue, maximum: PropertyValue, step: PropertyValue)
        /// What it may be set to, and what it may turn out to be. Older bodies have one list for both.
        case enumeration(settable: [PropertyValue], gettable: [PropertyValue])
    }

    /// Whether its value means anything now.
    public enum Validity: UInt8, Equatable, Sendable {
        case invalid = 0
        case valid = 1
        case displayOnly = 2
    }

    public var code: DevicePropertyCode
    public var type: DataTypeCode
    public var isWritable: Bool
    public var validity: Validity
    public var factoryDefault: PropertyValue
    public var current: PropertyValue
    public var form: Form

    public init(
        code: DevicePropertyCode, type: DataTypeCode, isWritable: Bool = false, validity: Validity = .valid,
        factoryDefault: PropertyValue, current: PropertyValue, form: Form = .none
    ) {
        self.code = code
        self.type = type
        self.isWritable = isWritable
        self.validity = validity
        self.factoryDefault = factoryDefault
        self.current = current
        self.form = form
    }

    /// Its value as a number; nothing for texts and lists.
    public var number: UInt64? {
        if case .unsigned(let number) = current { UInt64(exactly: number) } else { nil }
    }
}

/// All properties of a body, or those that have changed (0x9209).
public struct SonyPropertyList: Equatable, Sendable {
    public var properties: [SonyProperty]
    /// What makes no sense in the answer: ``properties`` are those before it. Nothing where all of it was understood.
    public private(set) var problem: Malformed?
    /// All of it was understood, and by other rules than the version's.
    public private(set) var followsOtherRules = false

    public init(_ properties: [SonyProperty]) {
        self.properties = properties
    }

    /// As far as it is understood: behind a value of an unknown type no other can be found.
    ///
    /// A body that follows other rules than its version says is read by those: what is wrong by the one is hardly ever
    /// right by the other. A body that has nothing to tell may leave out the data altogether.
    public init(reading bytes: ArraySlice<UInt8>, version: SonyVersion) {
        self.init([])
        guard !bytes.isEmpty else { return }
        read(bytes, enumeratesTwice: version.enumeratesTwice)
        guard problem != nil else { return }
        var other = Self([])
        other.read(bytes, enumeratesTwice: !version.enumeratesTwice)
        other.followsOtherRules = other.problem == nil
        if other.followsOtherRules || other.properties.count > properties.count { self = other }
    }

    /// All of it, or nothing.
    public init(decoding bytes: ArraySlice<UInt8>, version: SonyVersion) throws(Malformed) {
        self.init(reading: bytes, version: version)
        if let problem { throw problem }
    }

    public subscript(code: DevicePropertyCode) -> SonyProperty? {
        properties.first { $0.code == code }
    }

    // MARK: Bytes

    private mutating func read(_ bytes: ArraySlice<UInt8>, enumeratesTwice: Bool) {
        do throws(Malformed) {
            try PTP.decoding("SonyAllProperties", bytes) { reader throws(ReadFailure) in
                let at = reader.offset
                let count: UInt64 = try reader.integer("NumberOfProperties")
                let possible = min(DatasetLimits.sonyProperties, reader.remaining / SonyProperty.shortest)
                guard count <= possible else {
                    throw ReadFailure(
                        field: "NumberOfProperties", offset: at,
                        problem: .tooMany(count: count, limit: UInt64(possible)))
                }
                for _ in 0..<count {
                    properties.append(
                        try SonyProperty(reading: &reader, enumeratesTwice: enumeratesTwice))
                }
            }
        } catch {
            problem = error
        }
    }

    public func encoded(for version: SonyVersion) -> [UInt8] {
        var writer = ByteWriter()
        writer.append(UInt64(properties.count))
        for property in properties { property.write(to: &writer, enumeratesTwice: version.enumeratesTwice) }
        return writer.bytes
    }
}

extension SonyProperty {
    /// Code, type, get or set, validity, two values of a byte each and the form.
    static let shortest = 2 + 2 + 1 + 1 + 1 + 1 + 1

    init(reading reader: inout ByteReader, enumeratesTwice: Bool) throws(ReadFailure) {
        code = DevicePropertyCode(rawValue: try reader.integer("PropertyCode"))
        type = DataTypeCode(rawValue: try reader.integer("DataType"))
        isWritable = try reader.integer("GetSet", as: UInt8.self) == 1
        validity = Validity(rawValue: try reader.integer("IsEnabled")) ?? .invalid
        factoryDefault = try reader.value(of: type, "DefaultValue")
        current = try reader.value(of: type, "CurrentValue")
        let at = reader.offset
        switch try reader.integer("FormFlag", as: UInt8.self) {
        case 0:
            form = .none
        case 1:
            form = .range(
                minimum: try reader.value(of: type, "MinimumValue"),
                maximum: try reader.value(of: type, "MaximumValue"),
                step: try reader.value(of: type, "StepSize"))
        case 2:
            let settable = try reader.values(of: type, "Value")
            form = .enumeration(
                settable: settable,
                gettable: enumeratesTwice ? try reader.values(of: type, "Value") : settable)
        case let other:
            // Where the next property begins is not known any more.
            throw ReadFailure(field: "FormFlag", offset: at, problem: .unexpected(value: UInt64(other)))
        }
    }

    func write(to writer: inout ByteWriter, enumeratesTwice: Bool) {
        writer.append(code.rawValue)
        writer.append(type.rawValue)
        writer.append(UInt8(isWritable ? 1 : 0))
        writer.append(validity.rawValue)
        writer.append(factoryDefault, as: type)
        writer.append(current, as: type)
        switch form {
        case .none:
            writer.append(UInt8(0))
        case .range(let minimum, let maximum, let step):
            writer.append(UInt8(1))
            for value in [minimum, maximum, step] { writer.append(value, as: type) }
        case .enumeration(let settable, let gettable):
            writer.append(UInt8(2))
            for values in enumeratesTwice ? [settable, gettable] : [gettable] {
                writer.append(values, eachAs: type)
            }
        }
    }
}

extension DatasetLimits {
    /// An RX100 M7 has 78 properties in 3.5 KiB; codes are 16 bits, and Sony's begin at 0xD000.
    public static let sonyProperties = 8192
    public static let sonyPropertiesBytes = 256 << 10
    public static let sonyDeviceInfoBytes = 64 << 10
    /// "8-byte data, ignore."
    public static let sonyConnectBytes = 64
    public static let sonyStatusBytes = 4 << 10
}
