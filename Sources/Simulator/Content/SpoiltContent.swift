/// An object's bytes, and zeros behind them.
struct PaddedContent: ObjectContent {
    let base: any ObjectContent
    let length: UInt64

    func fill(_ memory: UnsafeMutableRawBufferPointer, at offset: UInt64) throws {
        let left = base.length > offset ? base.length - offset : 0
        let real = Int(min(UInt64(memory.count), left))
        if real > 0 { try base.fill(UnsafeMutableRawBufferPointer(rebasing: memory[..<real]), at: offset) }
        for index in real..<memory.count { memory[index] = 0 }
    }
}

/// An object's bytes behind a beginning that is not its own.
struct OverlaidContent: ObjectContent {
    let base: any ObjectContent
    let beginning: [UInt8]

    var length: UInt64 { base.length }

    func fill(_ memory: UnsafeMutableRawBufferPointer, at offset: UInt64) throws {
        try base.fill(memory, at: offset)
        guard offset < UInt64(beginning.count) else { return }
        for (index, byte) in beginning[Int(offset)...].prefix(memory.count).enumerated() {
            memory[index] = byte
        }
    }
}

/// What an object may begin with that it should not.
enum ForeignBeginning: String, CaseIterable, Sendable {
    case zeros
    case jpeg
    case png
    case tiff
    case text

    var bytes: [UInt8] {
        switch self {
        case .zeros: [UInt8](repeating: 0, count: 16)
        case .jpeg: [0xFF, 0xD8, 0xFF, 0xE1]
        case .png: [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A]
        case .tiff: [0x49, 0x49, 0x2A, 0x00]
        case .text: Array("HTTP/1.1 404 Not Found\r\n".utf8)
        }
    }
}
