import PTP

extension CameraSession {
    /// A maker's operation that takes a handle and gives 64 bits.
    func size(of object: ObjectHandle, by operation: OperationCode) async throws(CameraError) -> UInt64 {
        try await ask(operation, [object.rawValue], limit: 8, about: "object \(object)") {
            bytes throws(Malformed) in
            do throws(ReadFailure) {
                var reader = ByteReader(bytes)
                return try reader.integer("size", as: UInt64.self)
            } catch {
                throw Malformed(.dataset("\(operation)"), error, bytes: bytes)
            }
        }
    }

    func askSizes(by operation: OperationCode) { sizeOperation = operation }

    /// A number that MTP's properties say of an object, whatever its width.
    func number(_ property: ObjectPropertyCode, of object: ObjectHandle) async throws(CameraError) -> UInt64 {
        try await ask(
            .getObjectPropValue, [object.rawValue, UInt32(property.rawValue)], limit: 8,
            about: "object \(object)"
        ) { bytes throws(Malformed) in
            do throws(ReadFailure) {
                var reader = ByteReader(bytes)
                return switch bytes.count {
                case 1: UInt64(try reader.integer("value", as: UInt8.self))
                case 2: UInt64(try reader.integer("value", as: UInt16.self))
                case 4: UInt64(try reader.integer("value", as: UInt32.self))
                default: try reader.integer("value", as: UInt64.self)
                }
            } catch {
                throw Malformed(.dataset("ObjectPropValue"), error, bytes: bytes)
            }
        }
    }

    /// "PersistentUniqueObjectIdentifier: 128 bits that no other object on the device has" (MTP 1.1 B.2.31).
    func uniqueID(of object: ObjectHandle) async throws(CameraError) -> String? {
        let code = ObjectPropertyCode.persistentUniqueObjectIdentifier
        return try await ask(
            .getObjectPropValue, [object.rawValue, UInt32(code.rawValue)], limit: 16,
            about: "object \(object)"
        ) { bytes throws(Malformed) in
            do throws(ReadFailure) {
                var reader = ByteReader(bytes)
                let low: UInt64 = try reader.integer("low half")
                let high: UInt64 = try reader.integer("high half")
                // Bodies that list the property and have nothing to say write zeros.
                return low == 0 && high == 0 ? nil : Hex.digits(high, width: 16) + Hex.digits(low, width: 16)
            } catch {
                throw Malformed(.dataset("ObjectPropValue"), error, bytes: bytes)
            }
        }
    }

    /// A property of the camera that is a text.
    func text(of property: DevicePropertyCode) async throws(CameraError) -> String {
        try await ask(.getDevicePropValue, [UInt32(property.rawValue)], limit: Self.longestText) {
            bytes throws(Malformed) in
            do throws(ReadFailure) {
                var reader = ByteReader(bytes)
                return try reader.string("value")
            } catch {
                throw Malformed(.dataset("DevicePropValue"), error, bytes: bytes)
            }
        }
    }

    /// "At most 255 characters" of two bytes, and their count (PIMA 15740 §5.3.4).
    private static let longestText = 1 + 255 * 2
}
