import PTP

extension VirtualBody {
    func deviceInfo(_ faults: inout Faults) -> [UInt8] {
        var info = DeviceInfo()
        info.vendorExtensionID = traits.vendorExtensionID
        info.vendorExtensionVersion = traits.vendorExtensionVersion
        info.vendorExtensionDescription = traits.vendorExtensionDescription
        info.operations = operations.offered.filter { !operations.isMissing($0, faults) }
        info.events = traits.events
        info.deviceProperties = properties.map(\.code) + traits.properties
        info.captureFormats =
            card.settings.hasRawToo ? [.exifJPEG, card.settings.style.rawFormat] : [.exifJPEG]
        info.imageFormats = [.exifJPEG, .dng, .undefined, .association]
        if faults.take(.truncateStrings) != nil {
            // Four empty strings of one byte each, left out.
            return info.encoded.dropLast(4)
        }
        info.manufacturer = card.settings.make
        info.model = card.settings.model
        info.deviceVersion = traits.deviceVersion
        info.serialNumber = card.settings.serial
        return info.encoded
    }

    func storageInfo(_ storage: StorageID) -> [UInt8] {
        var info = StorageInfo()
        info.maximumCapacity = card.settings.capacity
        info.freeSpace = card.free
        info.freeImages = UInt32(clamping: card.free / max(1, card.settings.photoSize))
        info.storageDescription = "Slot \(storage.slot)"
        info.volumeLabel = "CAMSIM\(storage.slot)"
        return info.encoded
    }

    // MARK: The camera's properties

    private var properties: [DevicePropertyDescription] {
        func number(_ code: DevicePropertyCode, _ type: DataTypeCode, _ value: UInt128, _ form: [UInt128])
            -> DevicePropertyDescription
        {
            DevicePropertyDescription(
                code: code, type: type, isWritable: false, factoryDefault: .unsigned(value),
                current: .unsigned(value), form: .enumeration(form.map { .unsigned($0) }))
        }
        let battery = DevicePropertyDescription(
            code: .batteryLevel, type: .uint8, isWritable: false, factoryDefault: .unsigned(100),
            current: .unsigned(80),
            form: .range(minimum: .unsigned(0), maximum: .unsigned(100), step: .unsigned(1)))
        let clock = DevicePropertyDescription(
            code: .dateTime, type: .string, isWritable: true, factoryDefault: .string(""),
            current: .string(
                dateTime.isEmpty ? DateTime(secondsSince1970: localSeconds()).description : dateTime))
        return [
            battery,
            number(.compressionSetting, .uint8, 2, [1, 2]),
            number(.whiteBalance, .uint16, 2, [2, 4, 5, 6]),
            number(.fNumber, .uint16, 280, [280, 400, 560]),
            number(.exposureTime, .uint32, 40, [10, 40, 100]),
            number(.exposureProgramMode, .uint16, 1, [1, 2, 3]),
            number(.exposureIndex, .uint16, 400, [100, 400, 1600]),
            DevicePropertyDescription(
                code: .exposureBiasCompensation, type: .int16, isWritable: false, factoryDefault: .signed(0),
                current: .signed(-333),
                form: .range(minimum: .signed(-3000), maximum: .signed(3000), step: .signed(333))),
            clock,
            number(.stillCaptureMode, .uint16, 1, [1, 2]),
        ]
    }

    mutating func property(_ operation: Responder.Operation) -> BodyAnswer {
        let code = DevicePropertyCode(rawValue: UInt16(truncatingIfNeeded: operation.parameters.first ?? 0))
        guard let property = properties.first(where: { $0.code == code }) else {
            return .refusal(.devicePropNotSupported)
        }
        switch operation.code {
        case .getDevicePropDesc:
            return .dataset(property.encoded)
        case .getDevicePropValue:
            var value = ByteWriter()
            value.append(property.current, as: property.type)
            return .dataset(value.bytes)
        default:
            guard property.isWritable else { return .refusal(.invalidDevicePropValue) }
            var reader = ByteReader(operation.data)
            do throws(ReadFailure) {
                guard case .string(let text) = try reader.value(of: property.type, "DateTime"),
                    DateTime(text) != nil
                else { return .refusal(.invalidDevicePropValue) }
                dateTime = text
                return BodyAnswer(code: .ok)
            } catch {
                return .refusal(.invalidDevicePropFormat)
            }
        }
    }

    // MARK: Properties of objects

    private static let objectProperties: [(code: ObjectPropertyCode, type: DataTypeCode)] = [
        (.storageID, .uint32), (.objectFormat, .uint16), (.protectionStatus, .uint16), (.objectSize, .uint64),
        (.objectFileName, .string), (.dateCreated, .string), (.parentObject, .uint32), (.rating, .uint16),
        (.persistentUniqueObjectIdentifier, .uint128),
    ]

    private static func objectProperties(
        _ faults: Faults
    ) -> [(code: ObjectPropertyCode, type: DataTypeCode)] {
        faults.has(.noStableIDs)
            ? objectProperties.filter { $0.code != .persistentUniqueObjectIdentifier } : objectProperties
    }

    func objectProperty(_ operation: Responder.Operation, _ faults: Faults) -> BodyAnswer {
        let parameters = operation.parameters + [0, 0, 0, 0, 0]
        let properties = Self.objectProperties(faults)
        switch operation.code {
        case .getObjectPropsSupported:
            return .dataset(CodeList(properties.map(\.code)).encoded)
        case .getObjectPropDesc:
            let code = ObjectPropertyCode(rawValue: UInt16(truncatingIfNeeded: parameters[0]))
            guard let (_, type) = properties.first(where: { $0.code == code }) else {
                return .refusal(.objectPropNotSupported)
            }
            let empty: PropertyValue = type == .string ? .string("") : .unsigned(0)
            return .dataset(ObjectPropertyDescription(code: code, type: type, defaultValue: empty).encoded)
        case .getObjectPropValue:
            guard let object = card[ObjectHandle(rawValue: parameters[0])] else {
                return .refusal(.invalidObjectHandle)
            }
            let code = ObjectPropertyCode(rawValue: UInt16(truncatingIfNeeded: parameters[1]))
            guard let (_, type) = properties.first(where: { $0.code == code }) else {
                return .refusal(.objectPropNotSupported)
            }
            var value = ByteWriter()
            value.append(self.value(of: code, object), as: type)
            return .dataset(value.bytes)
        default:
            return propertyList(parameters, properties)
        }
    }

    /// One object, or all: handle 0 or 0xFFFFFFFF. Property 0xFFFFFFFF is all of them.
    private func propertyList(
        _ parameters: [UInt32], _ properties: [(code: ObjectPropertyCode, type: DataTypeCode)]
    ) -> BodyAnswer {
        let isAll = parameters[0] == 0 || parameters[0] == 0xFFFF_FFFF
        let chosen = isAll ? card.objects : card[ObjectHandle(rawValue: parameters[0])].map { [$0] } ?? []
        guard isAll || !chosen.isEmpty else { return .refusal(.invalidObjectHandle) }
        let rows = chosen.flatMap { object in
            properties
                .filter { parameters[2] == 0xFFFF_FFFF || UInt32($0.code.rawValue) == parameters[2] }
                .map {
                    ObjectPropertyList.Row(
                        object: object.handle, property: $0.code, type: $0.type,
                        value: value(of: $0.code, object))
                }
        }
        return .dataset(ObjectPropertyList(rows).encoded)
    }

    private func value(of code: ObjectPropertyCode, _ object: CardObject) -> PropertyValue {
        switch code {
        case .storageID: .unsigned(UInt128(object.storage.rawValue))
        case .objectFormat: .unsigned(UInt128(object.format.rawValue))
        case .protectionStatus: .unsigned(object.isProtected ? 1 : 0)
        case .objectSize: .unsigned(UInt128(object.size))
        case .objectFileName: .string(object.name)
        case .dateCreated: .string(object.date)
        // The photographer gives stars in turn: 0 to 5, by the count of shots.
        case .rating: .unsigned(UInt128(object.sequence % 6))
        case .persistentUniqueObjectIdentifier: .unsigned(card.uniqueID(of: object))
        default: .unsigned(UInt128(object.parent.rawValue))
        }
    }
}
