/// One record of what a Canon tells when it is asked with GetEvent (0x9116).
public enum CanonEvent: Equatable, Sendable {
    /// A file is on a card (0xC181, 0xC1A7, 0xC1B6).
    case objectAdded(CanonObject)
    /// An image is in the body's memory and waits to be fetched by the host (0xC186, 0xC1A9, 0xC1B8).
    case transferRequested(CanonObject)
    /// The body takes that back (0xC18F, 0xC191).
    case transferWithdrawn(ObjectHandle)
    case objectRemoved(ObjectHandle)
    case objectInfoChanged(ObjectHandle)
    case objectContentChanged(ObjectHandle)
    case storeAdded(StorageID)
    case storeRemoved(StorageID)
    /// A setting has changed. The value is the record's first 32 bits of it, where there are as many.
    case propertyChanged(code: UInt32, value: UInt32?)
    /// The body will switch itself off, or its timer for that has changed (0xC18D, 0xC18E).
    case shutdownTimer
    /// Nothing that concerns photos, or of a kind that is not known: skipped by its size.
    case other
    /// Too short for what it says it is.
    case tooShort
}

/// What a record says of a file. Records with long file names say less; then the file itself has to be asked about.
public struct CanonObject: Equatable, Sendable {
    public var handle: ObjectHandle
    public var storage: StorageID?
    public var format: FormatCode?
    public var size: UInt64?
    /// What a RAW and its JPEG have in common.
    public var group: ObjectHandle?
    public var name: String?

    public init(
        handle: ObjectHandle, storage: StorageID? = nil, format: FormatCode? = nil, size: UInt64? = nil,
        group: ObjectHandle? = nil, name: String? = nil
    ) {
        self.handle = handle
        self.storage = storage
        self.format = format
        self.size = size
        self.group = group
        self.name = name
    }
}

extension CanonEvent {
    /// `record` is the whole record, its eight bytes of size and type included.
    init(type: UInt32, record: ArraySlice<UInt8>) {
        self = Self.object(type, record) ?? Self.small(type, record) ?? .other
    }

    private static func object(_ type: UInt32, _ record: ArraySlice<UInt8>) -> CanonEvent? {
        let fields = Fields(record)
        guard [0xC181, 0xC1A7, 0xC1B6, 0xC186, 0xC1A9, 0xC1B8].contains(type) else { return nil }
        guard var object = fields.handle(0x08).map({ CanonObject(handle: $0) }) else { return .tooShort }
        switch type {
        case 0xC181:
            object.describe(fields, size: fields.u32(0x1C).map(UInt64.init), group: 0x24, name: 0x28)
        case 0xC1A7:
            object.describe(fields, size: fields.u64(0x1C), group: 0x28, name: 0x2C)
        case 0xC186:
            object.format = fields.format(0x0C)
            object.size = fields.u32(0x14).map(UInt64.init)
            object.name = fields.name(0x1C, 16)
        case 0xC1A9:
            // Where the name stands has not been seen: the body is asked for it.
            object.format = fields.format(0x0C)
            object.size = fields.u32(0x14).map(UInt64.init)
        case 0xC1B8:
            object.format = fields.format(0x0C)
            object.size = fields.u64(0x14)
            object.group = fields.handle(0x1C)
        default: break
        }
        return [0xC186, 0xC1A9, 0xC1B8].contains(type) ? .transferRequested(object) : .objectAdded(object)
    }

    private static func small(_ type: UInt32, _ record: ArraySlice<UInt8>) -> CanonEvent? {
        let fields = Fields(record)
        let first = fields.handle(0x08)
        switch type {
        case 0xC182: return first.map { .objectRemoved($0) } ?? .tooShort
        case 0xC187, 0xC1A8, 0xC1B7: return first.map { .objectInfoChanged($0) } ?? .tooShort
        case 0xC188: return first.map { .objectContentChanged($0) } ?? .tooShort
        case 0xC18F, 0xC191: return first.map { .transferWithdrawn($0) } ?? .tooShort
        case 0xC192: return first.map { .storeAdded(StorageID(rawValue: $0.rawValue)) } ?? .tooShort
        case 0xC193: return first.map { .storeRemoved(StorageID(rawValue: $0.rawValue)) } ?? .tooShort
        case 0xC189:
            guard let code = fields.u32(0x08) else { return .tooShort }
            return .propertyChanged(code: code, value: fields.u32(0x0C))
        case 0xC18D, 0xC18E: return .shutdownTimer
        default: return nil
        }
    }
}

extension CanonObject {
    /// "handle 0x08, storage 0x0C, format u32 0x10, flags 0x18", and what stands elsewhere in the wider record.
    fileprivate mutating func describe(_ fields: Fields, size: UInt64?, group: Int, name: Int) {
        storage = fields.u32(0x0C).map { StorageID(rawValue: $0) }
        format = fields.format(0x10)
        self.size = size
        self.group = fields.handle(group)
        self.name = fields.name(name, 16)
    }
}

/// Numbers at fixed places of a record; nothing where it ends before them.
private struct Fields {
    private let record: ArraySlice<UInt8>

    init(_ record: ArraySlice<UInt8>) { self.record = record }

    func u32(_ offset: Int) -> UInt32? { number(offset, 4).map { UInt32(truncatingIfNeeded: $0) } }
    func u64(_ offset: Int) -> UInt64? { number(offset, 8) }
    func handle(_ offset: Int) -> ObjectHandle? { u32(offset).map { ObjectHandle(rawValue: $0) } }
    func format(_ offset: Int) -> FormatCode? {
        u32(offset).map { FormatCode(rawValue: UInt16(truncatingIfNeeded: $0)) }
    }

    private func number(_ offset: Int, _ count: Int) -> UInt64? {
        let bytes = record.dropFirst(offset).prefix(count)
        guard bytes.count == count else { return nil }
        return bytes.reversed().reduce(0) { $0 << 8 | UInt64($1) }
    }

    /// ASCII, filled with NULs.
    func name(_ offset: Int, _ most: Int) -> String? {
        let bytes = record.dropFirst(offset).prefix(most).prefix { $0 != 0 }
        return bytes.isEmpty ? nil : String(decoding: bytes, as: UTF8.self)
    }
}
