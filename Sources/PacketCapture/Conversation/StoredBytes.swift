import Glibc
import Posix

/// Payload out of a capture: small pieces in memory, large ones in a temporary file, and holes where the capture
/// holds nothing.
public struct StoredBytes: Sendable {
    enum Part: Sendable {
        case memory([UInt8])
        case file(PayloadStore, offset: UInt64, length: Int)
        case missing(Int, isLost: Bool)

        var length: Int {
            switch self {
            case .memory(let bytes): bytes.count
            case .file(_, _, let length), .missing(let length, _): length
            }
        }
    }

    private(set) var parts: [Part] = []
    public private(set) var length: UInt64 = 0

    init() {}

    public init(_ bytes: [UInt8]) {
        append(.memory(bytes))
    }

    mutating func append(_ part: Part) {
        guard part.length > 0 else { return }
        length += UInt64(part.length)
        // Data that came in order lies in the file in order: one part for all of it.
        if case .file(let store, let offset, let count) = part,
            case .file(_, let lastOffset, let lastCount)? = parts.last,
            lastOffset + UInt64(lastCount) == offset
        {
            parts[parts.count - 1] = .file(store, offset: lastOffset, length: lastCount + count)
            return
        }
        parts.append(part)
    }

    mutating func append(_ other: StoredBytes) {
        for part in other.parts { append(part) }
    }

    /// Whether every byte is there.
    public var isComplete: Bool { holes.isEmpty }

    /// Bytes that were on the wire and are not here.
    public var missing: UInt64 { holes.reduce(0) { $0 + UInt64($1.length) } }

    /// Whether the recorder left them out, rather than the capture having lost them.
    var isLeftOut: Bool {
        holes.contains { part in
            if case .missing(_, isLost: false) = part { true } else { false }
        }
    }

    private var holes: [Part] {
        parts.filter { part in
            if case .missing = part { true } else { false }
        }
    }

    /// Fills all of `memory` from `offset` on; holes are zeros. The caller stays within ``length``.
    public func fill(_ memory: UnsafeMutableRawBufferPointer, at offset: UInt64) throws {
        var start: UInt64 = 0
        for part in parts {
            let end = start + UInt64(part.length)
            let from = max(start, offset)
            let to = min(end, offset + UInt64(memory.count))
            if from < to {
                let place = UnsafeMutableRawBufferPointer(
                    rebasing: memory[Int(from - offset)..<Int(to - offset)])
                switch part {
                case .memory(let bytes): place.copyBytes(from: bytes[Int(from - start)..<Int(to - start)])
                case .file(let store, let base, _): try store.read(into: place, at: base + (from - start))
                case .missing: place.initializeMemory(as: UInt8.self, repeating: 0)
                }
            }
            start = end
        }
    }

    /// A part as an array, for small things.
    public func bytes(upTo limit: Int = .max) throws -> [UInt8] {
        let count = Int(min(length, UInt64(limit)))
        var bytes = [UInt8](repeating: 0, count: count)
        try bytes.withUnsafeMutableBytes { try fill($0, at: 0) }
        return bytes
    }
}

/// A temporary file without a name that holds the payload of a capture, so that memory does not.
final class PayloadStore: Sendable {
    private let file: TemporaryFile

    /// The payload of smaller packets stays in memory.
    static let smallPacket = 4 << 10

    init() throws(SystemError) {
        file = try TemporaryFile()
    }

    func keep(_ bytes: ArraySlice<UInt8>, ofPacket length: Int) throws(SystemError) -> StoredBytes.Part {
        guard length > Self.smallPacket else { return .memory(Array(bytes)) }
        return .file(self, offset: try file.append(bytes), length: bytes.count)
    }

    func read(into memory: UnsafeMutableRawBufferPointer, at offset: UInt64) throws(SystemError) {
        try file.read(into: memory, at: offset)
    }
}
