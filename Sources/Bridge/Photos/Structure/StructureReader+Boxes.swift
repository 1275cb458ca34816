/// ISO/IEC 14496-12, and QuickTime before it: boxes, one behind the other, each with its size.
extension StructureReader {
    mutating func boxes() throws(End) -> StructureVerdict {
        var position: UInt64 = 0
        var seen: Set<String> = []
        for _ in 0..<FileStructure.Limit.boxes {
            guard length - position >= 8 else {
                guard try isPadding(to: length, from: position) else {
                    return .cutShort("it ends inside the head of a box at byte \(position)")
                }
                return verdict(onBoxes: seen)
            }
            let head = try bytes(8, at: position, "chain of boxes")
            if head == [UInt8](repeating: 0, count: 8) {
                return try isPadding(to: length, from: position) ? verdict(onBoxes: seen) : .unknown
            }
            guard isType(head[4...]) else { return .unknown }
            let name = String(decoding: head[4...], as: UTF8.self)
            var size = head.number(at: 0, 4, isBigEndian: true)
            var headLength: UInt64 = 8
            // "To the end of the file", wherever that is.
            if size == 0 { return .unknown }
            if size == 1 {
                size = try bytes(8, at: position + 8, "box '\(name)'").number(at: 0, 8, isBigEndian: true)
                headLength = 16
            }
            guard size >= headLength else { return .unknown }
            // What is appended to a film that has all its parts may only look like a box.
            if isComplete(seen), !Self.boxNames.contains(name), length - position < size { return .unknown }
            position = try end(of: "box '\(name)'", at: position, size)
            seen.insert(name)
        }
        return .unknown
    }

    /// What may stand at the top of a file; `uuid` is for makers' own.
    private static var boxNames: Set<String> {
        [
            "ftyp", "moov", "mdat", "meta", "moof", "mfra", "sidx", "free", "skip", "wide", "pnot", "uuid",
            "udta",
        ]
    }

    private func isType(_ bytes: ArraySlice<UInt8>) -> Bool {
        bytes.allSatisfy { (0x20...0x7E).contains($0) || $0 == 0xA9 }
    }

    private func isPadding(to end: UInt64, from start: UInt64) throws(End) -> Bool {
        guard let rest = try tail(from: start) else { return false }
        return isPadding(rest[...])
    }

    private func isComplete(_ boxes: Set<String>) -> Bool {
        boxes.contains("mdat") && (boxes.contains("moov") || boxes.contains("meta"))
    }

    /// All boxes end where the file ends. A cut between two of them took the last ones.
    private func verdict(onBoxes boxes: Set<String>) -> StructureVerdict {
        if isComplete(boxes) { return .whole }
        // Pieces of a stream come without the index, and a picture may lie inside `meta`.
        if boxes.contains("moof") || boxes.contains("meta") { return .unknown }
        if boxes.contains("moov") { return .cutShort("it has no box of data ('mdat')") }
        return .cutShort("it has no box that says what is in it ('moov' or 'meta')")
    }
}
