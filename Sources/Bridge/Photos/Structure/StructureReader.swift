/// Why looking at a file ends early.
enum StructureEnd<Failure: Error>: Error {
    case verdict(StructureVerdict)
    /// It could not be read.
    case failed(Failure)
}

/// A file as its structure sees it: parts at offsets, which have to lie inside it, and which are read in small pieces.
struct StructureReader<Failure: Error> {
    typealias Read = (_ offset: UInt64, _ count: Int) throws(Failure) -> [UInt8]
    typealias End = StructureEnd<Failure>

    let length: UInt64
    private let read: Read
    private var bytesLeft = FileStructure.Limit.bytes

    init(length: UInt64, read: @escaping Read) {
        self.length = length
        self.read = read
    }

    mutating func verdict() throws(End) -> StructureVerdict {
        let first = try bytes(Int(min(length, UInt64(MagicBytes.length))), at: 0, "beginning")
        switch FileKind(of: first) {
        case .jpeg: return try jpeg()
        case .tiff, .bigTIFF, .olympusRaw: return try tiff()
        case .panasonicRaw: return try tiff(isPanasonic: true)
        case .fujifilmRaw: return try raf()
        case .canonRaw, .heif, .mp4, .quickTime: return try boxes()
        case .png: return try png()
        case .avi, .wav, .riff: return try riff()
        case .gif, .bmp, nil: return .unknown
        }
    }

    /// Where a part ends that the structure has at this offset. Parts that reach past the end of the file end it all.
    func end(of part: @autoclosure () -> String, at offset: UInt64, _ count: UInt64) throws(End) -> UInt64 {
        let (end, isTooFar) = offset.addingReportingOverflow(count)
        guard !isTooFar, end <= length else {
            let place = isTooFar ? "beyond any file" : "to byte \(end)"
            throw .verdict(.cutShort("its \(part()) reaches \(place), and it has \(length)"))
        }
        return end
    }

    /// The bytes of such a part.
    mutating func bytes(
        _ count: Int, at offset: UInt64, _ part: @autoclosure () -> String
    ) throws(End) -> [UInt8] {
        _ = try end(of: part(), at: offset, UInt64(count))
        guard count <= bytesLeft else { throw .verdict(.unknown) }
        bytesLeft -= count
        return try piece(count, at: offset)
    }

    /// From there to the file's end, if that is not too much.
    func tail(from offset: UInt64) throws(End) -> [UInt8]? {
        guard offset <= length, length - offset <= UInt64(FileStructure.Limit.tail) else { return nil }
        return try piece(Int(length - offset), at: offset)
    }

    private func piece(_ count: Int, at offset: UInt64) throws(End) -> [UInt8] {
        guard count > 0 else { return [] }
        let bytes: [UInt8]
        do throws(Failure) {
            bytes = try read(offset, count)
        } catch {
            throw .failed(error)
        }
        guard bytes.count == count else {
            let end = offset + UInt64(bytes.count)
            throw .verdict(.cutShort("nothing can be read behind byte \(end), and it should have \(length)"))
        }
        return bytes
    }

    /// The structure ends here: does the file?
    func verdict(endingAt end: UInt64) throws(End) -> StructureVerdict {
        guard let rest = try tail(from: end) else { return .unknown }
        return isPadding(rest[...]) ? .whole : .unknown
    }

    /// Cameras fill files up to the next block of the card.
    func isPadding(_ bytes: ArraySlice<UInt8>) -> Bool {
        bytes.allSatisfy { $0 == 0 || $0 == 0xFF }
    }
}

extension [UInt8] {
    /// The number in so many bytes from there.
    func number(at offset: Int, _ count: Int, isBigEndian: Bool) -> UInt64 {
        let bytes = self[offset..<offset + count]
        return isBigEndian
            ? bytes.reduce(0) { $0 << 8 | UInt64($1) } : bytes.reversed().reduce(0) { $0 << 8 | UInt64($1) }
    }
}
