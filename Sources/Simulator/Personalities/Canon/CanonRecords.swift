import Basics
import PTP

/// The records of GetEvent as a body writes them: a size, a type, and what belongs to that.
enum CanonRecords {
    static let terminator: [UInt8] = [8, 0, 0, 0, 0, 0, 0, 0]

    static func record(_ type: UInt32, _ fields: (inout ByteWriter) -> Void) -> [UInt8] {
        var payload = ByteWriter()
        fields(&payload)
        var writer = ByteWriter()
        writer.append(UInt32(8 + payload.bytes.count))
        writer.append(type)
        writer.append(contentsOf: payload.bytes)
        return writer.bytes
    }

    static func number(_ type: UInt32, _ numbers: UInt32...) -> [UInt8] {
        record(type) { writer in for number in numbers { writer.append(number) } }
    }

    /// Which of the forms a body writes.
    enum Form {
        case narrow
        case wide
        case longNames
    }

    /// ObjectAddedEx, …Ex64, …Ex64LFN.
    static func added(_ object: CardObject, _ form: Form) -> [UInt8] {
        let group = CanonHandle(object.handle)
        switch form {
        case .narrow:
            return record(0xC181) { writer in
                head(object, &writer)
                writer.append(UInt32(clamping: object.size))
                writer.append(object.parent.rawValue)
                writer.append(group.group.rawValue)
                tail(object, &writer)
            }
        case .wide:
            return record(0xC1A7) { writer in
                head(object, &writer)
                writer.append(object.size)
                writer.append(object.parent.rawValue)
                writer.append(group.group.rawValue)
                tail(object, &writer)
            }
        case .longNames:
            // Its layout behind the handle has not been seen: nothing stands there.
            return number(0xC1B6, object.handle.rawValue, 0, 0, 0, 0, 0, 0, 0)
        }
    }

    private static func head(_ object: CardObject, _ writer: inout ByteWriter) {
        writer.append(object.handle.rawValue)
        writer.append(object.storage.rawValue)
        writer.append(UInt32(object.format.rawValue))
        writer.append(UInt32(0))
        // "Flags 0x20: new."
        writer.append(UInt32(0x20))
    }

    private static func tail(_ object: CardObject, _ writer: inout ByteWriter) {
        writer.append(contentsOf: name(object))
        writer.append(seconds(object))
    }

    /// RequestObjectTransfer, …64, …64LFN.
    static func requested(_ object: CardObject, _ form: Form) -> [UInt8] {
        let type: UInt32 =
            switch form {
            case .narrow: 0xC186
            case .wide: 0xC1A9
            case .longNames: 0xC1B8
            }
        return record(type) { writer in
            writer.append(object.handle.rawValue)
            writer.append(UInt32(object.format.rawValue))
            writer.append(UInt32(0))
            switch form {
            case .narrow:
                writer.append(UInt32(clamping: object.size))
                writer.append(UInt32(0))
                writer.append(contentsOf: name(object))
            case .wide:
                writer.append(object.size)
                writer.append(UInt32(0))
                writer.append(contentsOf: name(object))
            case .longNames:
                writer.append(object.size)
                writer.append(CanonHandle(object.handle).group.rawValue)
                writer.append(UInt64(6))
            }
        }
    }

    /// PropValueChanged, and AvailListChanged where there is a choice.
    static func property(_ code: UInt32, _ value: UInt32) -> [UInt8] { number(0xC189, code, value) }

    static func choice(_ code: UInt32, _ values: [UInt32]) -> [UInt8] {
        record(0xC18A) { writer in
            for number in [code, 3, UInt32(values.count)] + values { writer.append(number) }
        }
    }

    /// The answer to GetObjectInfoEx: "count, then per object its size and, behind that, handle +0, storage +4, format +8,
    /// flags +16, size +20, name +32, time +48".
    static func list(_ objects: [CardObject]) -> [UInt8] {
        var writer = ByteWriter()
        writer.append(UInt32(objects.count))
        for object in objects {
            writer.append(UInt32(56))
            writer.append(object.handle.rawValue)
            writer.append(object.storage.rawValue)
            writer.append(UInt32(object.format.rawValue))
            writer.append(UInt32(0))
            writer.append(UInt32(object.isProtected ? 1 : 0))
            writer.append(UInt32(clamping: object.size))
            writer.append(UInt64(0))
            writer.append(contentsOf: name(object))
            writer.append(seconds(object))
        }
        return writer.bytes
    }

    /// "Sixteen bytes, filled with NULs": one at least, or a client would read on.
    private static func name(_ object: CardObject) -> [UInt8] {
        let text = Array(object.name.utf8.prefix(15))
        return text + [UInt8](repeating: 0, count: 16 - text.count)
    }

    /// "Unix seconds in local time."
    private static func seconds(_ object: CardObject) -> UInt32 {
        CivilTime(ptp: object.date).map { UInt32(truncatingIfNeeded: $0.secondsSince1970) } ?? 0
    }
}

extension CanonHandle {
    /// What a RAW and its JPEG have in common.
    fileprivate var group: ObjectHandle {
        var group = self
        group.part = Part.group.rawValue
        return group.handle
    }
}
