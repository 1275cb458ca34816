/// What a property of the camera is and may become (PIMA 15740 §13).
public struct DevicePropertyDescription: Equatable, Sendable {
    public enum Form: Equatable, Sendable {
        case none
        case range(minimum: PropertyValue, maximum: PropertyValue, step: PropertyValue)
        case enumeration([PropertyValue])
        /// A form that no specification describes; what follows it was not read.
        case unknown(UInt8)
    }

    public var code: DevicePropertyCode
    public var type: DataTypeCode
    public var isWritable: Bool
    public var factoryDefault: PropertyValue
    public var current: PropertyValue
    public var form: Form

    public init(
        code: DevicePropertyCode, type: DataTypeCode, isWritable: Bool, factoryDefault: PropertyValue,
        current: PropertyValue, form: Form = .none
    ) {
        self.code = code
        self.type = type
        self.isWritable = isWritable
        self.factoryDefault = factoryDefault
        self.current = current
        self.form = form
    }

    public init(decoding bytes: ArraySlice<UInt8>) throws(Malformed) {
        self = try PTP.decoding("DevicePropDesc", bytes) { reader throws(ReadFailure) in
            let code = DevicePropertyCode(rawValue: try reader.integer("DevicePropertyCode"))
            let type = DataTypeCode(rawValue: try reader.integer("DataType"))
            let isWritable = try reader.integer("GetSet", as: UInt8.self) == 1
            let factoryDefault = try reader.value(of: type, "FactoryDefaultValue")
            let current = try reader.value(of: type, "CurrentValue")
            return DevicePropertyDescription(
                code: code, type: type, isWritable: isWritable, factoryDefault: factoryDefault,
                current: current,
                form: try Self.form(&reader, type))
        }
    }

    private static func form(_ reader: inout ByteReader, _ type: DataTypeCode) throws(ReadFailure) -> Form {
        guard !reader.isAtEnd else { return .none }
        switch try reader.integer("FormFlag", as: UInt8.self) {
        case 0:
            return .none
        case 1:
            return .range(
                minimum: try reader.value(of: type, "MinimumValue"),
                maximum: try reader.value(of: type, "MaximumValue"),
                step: try reader.value(of: type, "StepSize"))
        case 2:
            return .enumeration(try reader.values(of: type, "SupportedValue"))
        case let other:
            return .unknown(other)
        }
    }

    public var encoded: [UInt8] {
        var writer = ByteWriter()
        writer.append(code.rawValue)
        writer.append(type.rawValue)
        writer.append(UInt8(isWritable ? 1 : 0))
        writer.append(factoryDefault, as: type)
        writer.append(current, as: type)
        switch form {
        case .none:
            writer.append(UInt8(0))
        case .range(let minimum, let maximum, let step):
            writer.append(UInt8(1))
            for value in [minimum, maximum, step] { writer.append(value, as: type) }
        case .enumeration(let values):
            writer.append(UInt8(2))
            writer.append(values, eachAs: type)
        case .unknown(let flag):
            writer.append(flag)
        }
        return writer.bytes
    }
}

/// What a property of objects of one format is (MTP's GetObjectPropDesc).
public struct ObjectPropertyDescription: Equatable, Sendable {
    public var code: ObjectPropertyCode
    public var type: DataTypeCode
    public var isWritable: Bool
    public var defaultValue: PropertyValue
    public var group: UInt32
    public var formFlag: UInt8

    public init(
        code: ObjectPropertyCode, type: DataTypeCode, isWritable: Bool = false, defaultValue: PropertyValue,
        group: UInt32 = 0, formFlag: UInt8 = 0
    ) {
        self.code = code
        self.type = type
        self.isWritable = isWritable
        self.defaultValue = defaultValue
        self.group = group
        self.formFlag = formFlag
    }

    /// What the form flag announces is not read: nothing here depends on it.
    public init(decoding bytes: ArraySlice<UInt8>) throws(Malformed) {
        self = try PTP.decoding("ObjectPropDesc", bytes) { reader throws(ReadFailure) in
            let code = ObjectPropertyCode(rawValue: try reader.integer("PropertyCode"))
            let type = DataTypeCode(rawValue: try reader.integer("DataType"))
            let isWritable = try reader.integer("GetSet", as: UInt8.self) == 1
            let value = try reader.value(of: type, "DefaultValue")
            let group: UInt32 = try reader.integer("GroupCode")
            return ObjectPropertyDescription(
                code: code, type: type, isWritable: isWritable, defaultValue: value, group: group,
                formFlag: reader.isAtEnd ? 0 : try reader.integer("FormFlag"))
        }
    }

    public var encoded: [UInt8] {
        var writer = ByteWriter()
        writer.append(code.rawValue)
        writer.append(type.rawValue)
        writer.append(UInt8(isWritable ? 1 : 0))
        writer.append(defaultValue, as: type)
        writer.append(group)
        writer.append(formFlag)
        return writer.bytes
    }
}

/// Properties of many objects at once (MTP's GetObjectPropList).
public struct ObjectPropertyList: Equatable, Sendable {
    public struct Row: Equatable, Sendable {
        public var object: ObjectHandle
        public var property: ObjectPropertyCode
        public var type: DataTypeCode
        public var value: PropertyValue

        public init(
            object: ObjectHandle, property: ObjectPropertyCode, type: DataTypeCode, value: PropertyValue
        ) {
            self.object = object
            self.property = property
            self.type = type
            self.value = value
        }

        /// Handle, property, type and the shortest value, an empty string.
        static let shortest = 4 + 2 + 2 + 1
    }

    public var rows: [Row]

    public init(_ rows: [Row]) {
        self.rows = rows
    }

    public init(decoding bytes: ArraySlice<UInt8>) throws(Malformed) {
        rows = try PTP.decoding("ObjectPropList", bytes) { reader throws(ReadFailure) in
            let count = try reader.count(
                "NumberOfElements", limit: DatasetLimits.propertyListRows, elementLength: Row.shortest)
            var rows: [Row] = []
            for _ in 0..<count {
                let object = ObjectHandle(rawValue: try reader.integer("ObjectHandle"))
                let property = ObjectPropertyCode(rawValue: try reader.integer("PropertyCode"))
                let type = DataTypeCode(rawValue: try reader.integer("DataType"))
                let value = try reader.value(of: type, "Value")
                rows.append(Row(object: object, property: property, type: type, value: value))
            }
            return rows
        }
    }

    public var encoded: [UInt8] {
        var writer = ByteWriter()
        writer.append(UInt32(rows.count))
        for row in rows {
            writer.append(row.object.rawValue)
            writer.append(row.property.rawValue)
            writer.append(row.type.rawValue)
            writer.append(row.value, as: row.type)
        }
        return writer.bytes
    }
}
