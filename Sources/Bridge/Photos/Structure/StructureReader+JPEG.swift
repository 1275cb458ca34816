/// ITU T.81, Annex B: segments, the first scan, and an end marker; behind it, what cameras append.
extension StructureReader {
    mutating func jpeg() throws(End) -> StructureVerdict {
        guard let scan = try firstScan() else { return .unknown }
        return try verdict(onEndOfScansFrom: scan)
    }

    /// Where the first scan's data begin, by the lengths of all segments in front of it.
    private mutating func firstScan() throws(End) -> UInt64? {
        var position: UInt64 = 2
        for _ in 0..<FileStructure.Limit.segments {
            let marker = try bytes(2, at: position, "chain of segments")
            guard marker[0] == 0xFF else { return nil }
            switch marker[1] {
            case 0xFF:
                // Any marker may have fill bytes in front of it.
                position += 1
            case 0x01, 0xD0...0xD8:
                // These stand alone.
                position += 2
            case 0xC0...0xFE where marker[1] != 0xD9:
                let name = "segment FF\(String(marker[1], radix: 16, uppercase: true))"
                let size = try bytes(2, at: position + 2, name).number(at: 0, 2, isBigEndian: true)
                guard size >= 2 else { return nil }
                let end = try end(of: name, at: position, size + 2)
                if marker[1] == 0xE2 { try checkPictures(inSegmentFrom: position + 4, to: end) }
                if marker[1] == 0xDA { return end }
                position = end
            default:
                return nil
            }
        }
        return nil
    }

    /// CIPA DC-007: the index of a Multi-Picture file is a TIFF directory in a segment, and names offset and size of each
    /// picture behind the first one.
    private mutating func checkPictures(inSegmentFrom start: UInt64, to end: UInt64) throws(End) {
        guard end - start >= 14 else { return }
        let head = try bytes(12, at: start, "index of pictures")
        guard head.starts(with: "MPF\0".utf8) else { return }
        let isBig = head[4] == UInt8(ascii: "M")
        let base = start + 4
        let directory = base + head.number(at: 8, 4, isBigEndian: isBig)
        guard directory + 2 <= end else { return }
        let count = try bytes(2, at: directory, "index of pictures").number(at: 0, 2, isBigEndian: isBig)
        guard directory + 2 + count * 12 <= end else { return }
        let entries = try bytes(Int(count) * 12, at: directory + 2, "index of pictures")
        for entry in stride(from: 0, to: entries.count, by: 12)
        where entries.number(at: entry, 2, isBigEndian: isBig) == 0xB002 {
            let size = min(
                entries.number(at: entry + 4, 4, isBigEndian: isBig),
                UInt64(FileStructure.Limit.pictures * 16))
            let list = base + entries.number(at: entry + 8, 4, isBigEndian: isBig)
            guard size % 16 == 0, list + size <= end else { return }
            try checkPictures(try bytes(Int(size), at: list, "index of pictures"), from: base, isBig)
        }
    }

    private func checkPictures(_ list: [UInt8], from base: UInt64, _ isBig: Bool) throws(End) {
        for entry in stride(from: 0, to: list.count, by: 16) {
            let size = list.number(at: entry + 4, 4, isBigEndian: isBig)
            let offset = list.number(at: entry + 8, 4, isBigEndian: isBig)
            // The first picture's offset is zero; what is not there has neither.
            guard size > 0, offset > 0 else { continue }
            _ = try end(of: "picture \(entry / 16 + 1)", at: base + offset, size)
        }
    }

    /// A scan's data hold no end marker: FF in them is followed by a zero or a restart marker. So the last one in the
    /// file ends a picture, its first or one that was appended.
    private func verdict(onEndOfScansFrom scan: UInt64) throws(End) -> StructureVerdict {
        let start = max(scan, length - min(length, UInt64(FileStructure.Limit.tail)))
        guard let tail = try tail(from: start) else { return .unknown }
        let marks = tail.indices.dropLast().filter { tail[$0] == 0xFF && tail[$0 + 1] == 0xD9 }
        guard let last = marks.last else {
            // In a small file all of it was looked at. Otherwise what is appended may be longer than what was.
            let isCut = start == scan || isPadding(tail[...]) || looksLikeScan(tail)
            return isCut ? .cutShort("its end marker (EOI) is missing") : .unknown
        }
        let rest = tail[(last + 2)...]
        if isPadding(rest) { return .whole }
        // Samsung's trailer ends with its own mark.
        if rest.suffix(4).elementsEqual("SEFT".utf8) { return .whole }
        if rest.drop(while: { $0 == 0 }).starts(with: [0xFF, 0xD8, 0xFF]) {
            return .cutShort("the end marker (EOI) of the picture behind its first is missing")
        }
        return .unknown
    }

    /// Whether these may be a scan's data: every FF in it is followed by a zero, or by one of a few markers. Of a film or
    /// anything else that is appended, most are not.
    private func looksLikeScan(_ bytes: [UInt8]) -> Bool {
        let next = bytes.indices.dropLast().filter { bytes[$0] == 0xFF }.map { bytes[$0 + 1] }
        // Restart markers, fill bytes, and what may stand between two scans, of which tables may hold a few others.
        let isPossible: (UInt8) -> Bool = { next in
            (0xD0...0xD7).contains(next) || [0, 0xFF, 0xC4, 0xDA, 0xDB, 0xDC, 0xDD, 0xFE].contains(next)
        }
        return next.contains(0) && next.count(where: { !isPossible($0) }) <= 4
    }
}
