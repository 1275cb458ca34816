import Basics
import Bridge
import Digest

/// One file of an archive.
struct ZipEntry: Equatable, Sendable {
    let key: String
    let name: String
    let size: UInt64
    /// In hexadecimal.
    let sha256: String
    let at: Timestamp
}

/// An archive as it goes out: says what comes next, and is told what the files hold as that passes.
struct ZipAssembler {
    enum Step: Equatable {
        case bytes([UInt8])
        /// This part of a file, and then ``passed(_:)``.
        case part(ZipEntry, Range<UInt64>)
        case end
    }

    struct Damaged: Error, CustomStringConvertible {
        let entry: ZipEntry

        var description: String {
            "'\(entry.name)' (object \(entry.key)) is not what was uploaded; put it back from a backup, or delete the photo"
        }
    }

    /// A file that is passing.
    private struct Passing {
        let entry: ZipEntry
        var done: UInt64 = 0
        var crc = CRC32()
        let hash = SHA256()
    }

    private let entries: [ZipEntry]
    private let piece: UInt64
    private var writer = ZipWriter()
    private var begun = 0
    private var file: Passing?
    private var line = 0
    private var directorySize: UInt64 = 0
    private var isFinished = false

    /// Files are asked for in pieces no larger than that.
    init(_ entries: [ZipEntry], piece: UInt64) {
        self.entries = Self.distinct(entries)
        self.piece = piece
    }

    /// Two files of one name would be one when they are unpacked.
    private static func distinct(_ entries: [ZipEntry]) -> [ZipEntry] {
        var taken: Set<String> = []
        return entries.map { entry in
            var number = 1
            var name = entry.name
            while !taken.insert(SafeName.collisionKey(name)).inserted {
                number += 1
                name = SafeName.numbered(entry.name, number)
            }
            return ZipEntry(
                key: entry.key, name: name, size: entry.size, sha256: entry.sha256, at: entry.at)
        }
    }

    /// Of all of it, before any of it is made.
    var length: UInt64 {
        entries.reduce(ZipWriter.lengthOfEnd) { sum, entry in
            sum + ZipWriter.lengthAround(entry.name) + entry.size
        }
    }

    mutating func next() throws(Damaged) -> Step {
        if let file {
            let entry = file.entry
            if file.done < entry.size {
                return .part(entry, file.done..<min(entry.size, file.done + piece))
            }
            // The CRC is that of what has passed, whatever it was, so that a damaged file would pass every later check.
            guard "\(file.hash.finish())" == entry.sha256 else { throw Damaged(entry: entry) }
            self.file = nil
            return .bytes(writer.end(crc: file.crc.value))
        }
        if begun < entries.count {
            let entry = entries[begun]
            begun += 1
            file = Passing(entry: entry)
            return .bytes(writer.begin(entry.name, size: entry.size, dosTime: Self.dosTime(entry.at)))
        }
        if line < writer.entries.count {
            let bytes = ZipWriter.line(writer.entries[line])
            directorySize += UInt64(bytes.count)
            line += 1
            return .bytes(bytes)
        }
        if isFinished { return .end }
        isFinished = true
        return .bytes(writer.finish(directorySize: directorySize))
    }

    /// The part that was asked for.
    mutating func passed(_ bytes: [UInt8]) {
        bytes.withUnsafeBytes { file?.crc.update($0) }
        file?.hash.update(bytes)
        file?.done += UInt64(bytes.count)
    }

    /// Two seconds are its finest, 1980 its first year.
    private static func dosTime(_ moment: Timestamp) -> UInt32 {
        let time = CivilTime(secondsSince1970: max(moment.seconds, 315_532_800))
        let date = UInt32(time.year - 1980) << 25 | UInt32(time.month) << 21 | UInt32(time.day) << 16
        return date | UInt32(time.hour) << 11 | UInt32(time.minute) << 5 | UInt32(time.second / 2)
    }
}
