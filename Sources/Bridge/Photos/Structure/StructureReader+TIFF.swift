/// TIFF 6.0, BigTIFF, and the raw files that are laid out like them.
extension StructureReader {
    mutating func tiff(isPanasonic: Bool = false) throws(End) -> StructureVerdict {
        let head = try bytes(8, at: 0, "head")
        var tiff = TIFFParts(isBigEndian: head[0] == UInt8(ascii: "M"), isPanasonic: isPanasonic)
        tiff.has64Bits = head.number(at: 2, 2, isBigEndian: tiff.isBigEndian) == 43
        if tiff.has64Bits {
            let offset = try bytes(8, at: 8, "head")
            guard tiff.number(head, 4, 2) == 8 else { return .unknown }
            tiff.plan(tiff.number(offset, 0, 8), isInChain: true)
        } else {
            tiff.plan(tiff.number(head, 4, 4), isInChain: true)
        }
        for _ in 0..<FileStructure.Limit.directories {
            guard let (directory, isInChain) = tiff.next() else {
                return tiff.isDoubtful ? .unknown : try verdict(endingAt: tiff.furthest)
            }
            try look(atDirectory: directory, isInChain: isInChain, &tiff)
        }
        return .unknown
    }

    private mutating func look(
        atDirectory offset: UInt64, isInChain: Bool, _ tiff: inout TIFFParts
    ) throws(End) {
        let name = "directory at byte \(offset)"
        let count = tiff.number(try bytes(tiff.countSize, at: offset, name), 0, tiff.countSize)
        // Some cameras' pointers to a directory point to something else.
        guard count > 0, count <= FileStructure.Limit.directoryEntries else { return tiff.doubt() }
        let start = offset + UInt64(tiff.countSize)
        let table = try bytes(Int(count) * tiff.entrySize, at: start, name)
        let entries = stride(from: 0, to: table.count, by: tiff.entrySize).map {
            tiff.entry(table, $0, start)
        }
        guard entries.count(where: { $0.size != nil }) * 4 >= entries.count * 3 else { return tiff.doubt() }
        let end = start + UInt64(table.count)
        if isInChain {
            let link = try bytes(tiff.linkSize, at: end, name)
            tiff.plan(tiff.number(link, 0, tiff.linkSize), isInChain: true)
        }
        tiff.reach(min(end + UInt64(tiff.linkSize), length))
        for entry in entries { try note(entry, &tiff) }
        try look(atEntries: entries, &tiff)
    }

    /// Where the values of an entry are that do not fit into it. The standard's own are needed to read a picture; in
    /// others, which no reader needs, cameras leave pointers to nowhere.
    private func note(_ entry: TIFFParts.Entry, _ tiff: inout TIFFParts) throws(End) {
        guard let size = entry.size, size > UInt64(tiff.linkSize) else { return }
        if TIFFParts.baseline.contains(entry.tag), !tiff.isPanasonic {
            let name = "values of tag 0x0\(String(entry.tag, radix: 16, uppercase: true))"
            return tiff.reach(try end(of: name, at: entry.value, size))
        }
        let (end, isTooFar) = entry.value.addingReportingOverflow(size)
        if isTooFar || end > length { tiff.doubt() } else { tiff.reach(end) }
    }

    private mutating func look(atEntries entries: [TIFFParts.Entry], _ tiff: inout TIFFParts) throws(End) {
        func entry(_ tag: UInt64) -> TIFFParts.Entry? { entries.first { $0.tag == tag } }
        for tag in [TIFFParts.subDirectories, TIFFParts.exif, TIFFParts.gps] {
            guard let pointers = entry(tag) else { continue }
            for offset in try values(of: pointers, tiff).prefix(FileStructure.Limit.subdirectories) {
                tiff.plan(offset, isInChain: false)
            }
        }
        if tiff.isPanasonic, let raw = entry(TIFFParts.panasonicRawOffset) {
            return try look(atPanasonicRaw: raw, entry(TIFFParts.stripCounts), &tiff)
        }
        for (name, offsets, counts) in TIFFParts.data {
            guard let offsets = entry(offsets) else { continue }
            try look(atData: name, offsets, entry(counts), &tiff)
        }
    }

    /// An RW2 says where its raw picture begins, and not always how long it is. The offsets of strips have no meaning in it.
    private mutating func look(
        atPanasonicRaw raw: TIFFParts.Entry, _ counts: TIFFParts.Entry?, _ tiff: inout TIFFParts
    ) throws(End) {
        let sizes = try counts.map { entry throws(End) in try values(of: entry, tiff) } ?? []
        for offset in try values(of: raw, tiff) {
            _ = try end(of: "raw picture", at: offset, 1)
            if sizes == [length - offset] { tiff.reach(length) } else { tiff.doubt() }
        }
    }

    private mutating func look(
        atData name: String, _ offsets: TIFFParts.Entry, _ counts: TIFFParts.Entry?, _ tiff: inout TIFFParts
    ) throws(End) {
        let starts = try values(of: offsets, tiff)
        let sizes = try counts.map { entry throws(End) in try values(of: entry, tiff) } ?? []
        if starts.count != sizes.count || starts.isEmpty { tiff.doubt() }
        for (start, size) in zip(starts, sizes) where start > 0 && size > 0 {
            tiff.reach(try end(of: "\(name) at byte \(start)", at: start, size))
        }
    }

    /// The numbers of an entry, or the last of them. They have to be in the file.
    private mutating func values(of entry: TIFFParts.Entry, _ tiff: TIFFParts) throws(End) -> [UInt64] {
        guard let size = entry.size, let width = entry.width, entry.isNumeric else { return [] }
        var (place, count) = (entry.place, size / width)
        if size > UInt64(tiff.linkSize) {
            _ = try end(of: "list of offsets", at: entry.value, size)
            place = entry.value
        }
        if count > FileStructure.Limit.strips {
            place += (count - UInt64(FileStructure.Limit.strips)) * width
            count = UInt64(FileStructure.Limit.strips)
        }
        let list = try bytes(Int(count * width), at: place, "list of offsets")
        return (0..<Int(count)).map { tiff.number(list, $0 * Int(width), Int(width)) }
    }
}
