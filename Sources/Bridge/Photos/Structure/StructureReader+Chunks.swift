/// PNG and RIFF: chunks, one behind the other, each with its size.
extension StructureReader {
    /// ISO/IEC 15948, 5: a signature, and chunks of which the last is IEND.
    mutating func png() throws(End) -> StructureVerdict {
        var position: UInt64 = 8
        for _ in 0..<FileStructure.Limit.chunks {
            let head = try bytes(8, at: position, "chain of chunks")
            let isName = head[4...].allSatisfy {
                (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains($0)
                    || (UInt8(ascii: "a")...UInt8(ascii: "z")).contains($0)
            }
            guard isName else { return .unknown }
            let name = String(decoding: head[4...], as: UTF8.self)
            // Size, name and checksum are not counted in the size.
            let size = head.number(at: 0, 4, isBigEndian: true) + 12
            position = try end(of: "chunk '\(name)'", at: position, size)
            if name == "IEND" { return try verdict(endingAt: position) }
        }
        return .unknown
    }

    /// One RIFF, or several in an AVI of more than a gigabyte (OpenDML).
    mutating func riff() throws(End) -> StructureVerdict {
        var position: UInt64 = 0
        for _ in 0..<FileStructure.Limit.chunks {
            let head = try bytes(8, at: position, "head")
            guard head.starts(with: "RIFF".utf8) else { return try verdict(endingAt: position) }
            let size = head.number(at: 4, 4, isBigEndian: false)
            // A recording that was never finished has no size. Some writers give the size of the whole file.
            guard size > 0, size != 0xFFFF_FFFF, size != length else { return .unknown }
            let end = try end(of: "RIFF", at: position, size + 8)
            // Chunks begin at even offsets.
            position = min(end + size % 2, length)
            if length - position < 8 { return try verdict(endingAt: position) }
        }
        return .unknown
    }

    /// Fujifilm's raw file has a head of a fixed layout with offset and length of three parts.
    mutating func raf() throws(End) -> StructureVerdict {
        let head = try bytes(108, at: 0, "head")
        var furthest: UInt64 = 108
        for (name, place) in [("preview", 84), ("head of the raw picture", 92), ("raw picture", 100)] {
            let offset = head.number(at: place, 4, isBigEndian: true)
            let size = head.number(at: place + 4, 4, isBigEndian: true)
            furthest = max(furthest, try end(of: name, at: offset, size))
        }
        return try verdict(endingAt: furthest)
    }
}
