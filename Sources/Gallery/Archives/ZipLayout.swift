import Basics
import Bridge
import Digest
import Synchronization

/// CRCs that were made since a list was read, for all archives of that list and of parts of it.
final class LearnedCRCs: Sendable {
    let table = Mutex<[PackedKey: UInt32]>([:])
}

/// Where everything of an archive stands, before any of it is made: the same files give the same bytes, and what stands at
/// any place is known without what stands before it.
final class ZipLayout: Sendable {
    enum Piece: Equatable {
        /// The header of that file, from its byte on.
        case header(Int, from: Int)
        /// Bytes of that file.
        case part(Int, Range<UInt64>)
        /// That file's line in the directory, from its byte on.
        case line(Int, from: Int)
        /// What stands after the directory, from its byte on.
        case end(from: Int)
    }

    let files: [ZipEntry]
    /// Of each file's header; behind the last, where the directory begins.
    private let starts: [UInt64]
    /// Of each file's line; behind the last, where the directory ends.
    private let lines: [UInt64]
    /// What stands after the directory.
    let ending: [UInt8]
    let length: UInt64
    /// A strong one: another list, another name or other bytes make another.
    let etag: String
    private let learned: LearnedCRCs

    init(_ entries: [ZipEntry], _ learned: LearnedCRCs = LearnedCRCs()) {
        self.learned = learned
        files = Self.distinct(entries)
        var place: UInt64 = 0
        var starts: [UInt64] = []
        starts.reserveCapacity(files.count + 1)
        for file in files {
            starts.append(place)
            place += ZipBytes.headerLength(file) + file.size
        }
        starts.append(place)
        let directory = place
        var lines: [UInt64] = []
        lines.reserveCapacity(files.count + 1)
        for (file, start) in zip(files, starts) {
            lines.append(place)
            place += ZipBytes.lineLength(file, at: start)
        }
        lines.append(place)
        ending = ZipBytes.end(files: files.count, directory: directory..<place)
        length = place + UInt64(ending.count)
        etag = Self.etag(files)
        self.starts = starts
        self.lines = lines
    }

    /// Two files of one name would be one when they are unpacked. Who came first keeps the name: whatever comes later
    /// changes no other's.
    private static func distinct(_ entries: [ZipEntry]) -> [ZipEntry] {
        var files = entries
        var taken: Set<String> = []
        // A thousand phones send a thousand files of one name, each of which is not to try all numbers.
        var numbers: [String: Int] = [:]
        for index in files.indices.sorted(by: { files[$0].sequence < files[$1].sequence }) {
            let wanted = files[index].name
            let key = SafeName.collisionKey(wanted)
            var number = numbers[key, default: 1]
            var name = SafeName.numbered(wanted, number)
            while !taken.insert(SafeName.collisionKey(name)).inserted {
                number += 1
                name = SafeName.numbered(wanted, number)
            }
            numbers[key] = number + 1
            files[index].name = name
        }
        return files
    }

    /// Of the way in which archives are made here; another number when that makes other bytes.
    private static let form = "zip 2"

    private static func etag(_ files: [ZipEntry]) -> String {
        let hash = SHA256()
        hash.update(Array(form.utf8))
        // What lies under a key never changes.
        for file in files {
            hash.update(Array("\n\(file.key) \(file.size) \(file.dosTime) \(file.name)".utf8))
        }
        return "\"\(Hexadecimal.text(Array(hash.finish().bytes.prefix(16))))\""
    }

    /// A part of the ETag that no other archive has.
    var digest: String { String(etag.dropFirst().prefix(Self.digestLength)) }
    private static let digestLength = 16

    /// The same without some files.
    func only(_ isKept: (ZipEntry) -> Bool) -> ZipLayout {
        ZipLayout(files.filter(isKept), learned)
    }

    // MARK: CRCs

    /// Nothing where it has to be made first.
    func crc(of file: Int) -> UInt32? {
        files[file].crc ?? learned.table.withLock { $0[files[file].object] }
    }

    func learn(_ crc: UInt32, of file: Int) { learned.table.withLock { $0[files[file].object] = crc } }

    // MARK: Places

    /// Where that file's header stands.
    func start(of file: Int) -> UInt64 { starts[file] }

    /// The files whose headers begin within these bytes: each is in one of the parts that a download comes in.
    func files(begunIn part: Range<UInt64>) -> ArraySlice<ZipEntry> {
        files[firstFile(from: part.lowerBound)..<firstFile(from: part.upperBound)]
    }

    private func firstFile(from place: UInt64) -> Int {
        var (low, high) = (0, files.count)
        while low < high {
            let middle = (low + high) / 2
            if starts[middle] >= place { high = middle } else { low = middle + 1 }
        }
        return low
    }

    /// What stands there. The place is within the archive.
    func piece(at place: UInt64) -> Piece {
        precondition(place < length, "nothing stands behind the end")
        if let directory = starts.last, place < directory {
            let index = Self.last(in: starts, notBehind: place)
            let within = place - starts[index]
            let header = ZipBytes.headerLength(files[index])
            return within < header
                ? .header(index, from: Int(within)) : .part(index, within - header..<files[index].size)
        }
        let index = Self.last(in: lines, notBehind: place)
        let within = Int(place - lines[index])
        return index < files.count ? .line(index, from: within) : .end(from: within)
    }

    private static func last(in places: [UInt64], notBehind place: UInt64) -> Int {
        var (low, high) = (0, places.count)
        while high - low > 1 {
            let middle = (low + high) / 2
            if places[middle] <= place { low = middle } else { high = middle }
        }
        return low
    }
}
