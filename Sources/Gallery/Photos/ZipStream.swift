import Bridge
import HTTPServer
import Posix
import Synchronization

/// One file of an archive.
struct ZipEntry: Equatable, Sendable {
    let key: String
    let name: String
    let size: UInt64
    let at: Timestamp
}

/// An archive that is made while it is sent: nothing of it is ever on a disk, and little in memory.
final class ZipStream: BodySource {
    private struct State: ~Copyable {
        var writer = ZipWriter()
        /// What is to go out before anything else.
        var pending: [UInt8] = []
        var sent = 0
        var next = 0
        var line = 0
        var directorySize: UInt64 = 0
        var file: ReadableFile?
        var offset: UInt64 = 0
        var crc = CRC32()
        var isFinished = false
    }

    private let entries: [ZipEntry]
    private let open: @Sendable (ZipEntry) throws -> String
    private let state = Mutex(State())

    /// `open` says where a file's bytes lie on this machine.
    init(_ entries: [ZipEntry], open: @escaping @Sendable (ZipEntry) throws -> String) {
        self.entries = Self.distinct(entries)
        self.open = open
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
            return ZipEntry(key: entry.key, name: name, size: entry.size, at: entry.at)
        }
    }

    func read(into memory: UnsafeMutableRawBufferPointer) throws -> Int {
        try state.withLock { state in
            while true {
                let rest = state.pending.count - state.sent
                if rest > 0 {
                    let count = min(rest, memory.count)
                    memory.copyBytes(from: state.pending[state.sent..<state.sent + count])
                    state.sent += count
                    return count
                }
                state.pending = []
                state.sent = 0
                if state.file != nil {
                    let count = try readFile(&state, into: memory)
                    if count > 0 { return count }
                    continue
                }
                if state.isFinished { return 0 }
                try prepare(&state)
            }
        }
    }

    private func readFile(_ state: inout State, into memory: UnsafeMutableRawBufferPointer) throws -> Int {
        let entry = entries[state.next - 1]
        let count = Int(min(entry.size - state.offset, UInt64(memory.count)))
        guard count > 0 else {
            state.file = nil
            state.pending = state.writer.end(crc: state.crc.value)
            return 0
        }
        let part = UnsafeMutableRawBufferPointer(rebasing: memory[..<count])
        try state.file?.read(into: part, at: state.offset)
        state.crc.update(UnsafeRawBufferPointer(part))
        state.offset += UInt64(count)
        return count
    }

    /// The next file's beginning, or the next line of the directory, or the end.
    private func prepare(_ state: inout State) throws {
        if state.next < entries.count {
            let entry = entries[state.next]
            state.file = try ReadableFile(path: try open(entry))
            state.offset = 0
            state.crc = CRC32()
            state.pending = state.writer.begin(entry.name, size: entry.size, dosTime: Self.dosTime(entry.at))
            state.next += 1
        } else if state.line < state.writer.entries.count {
            state.pending = ZipWriter.line(state.writer.entries[state.line])
            state.directorySize += UInt64(state.pending.count)
            state.line += 1
        } else {
            state.pending = state.writer.finish(directorySize: state.directorySize)
            state.isFinished = true
        }
    }

    /// Two seconds are its finest, 1980 its first year.
    private static func dosTime(_ moment: Timestamp) -> UInt32 {
        let time = CivilTime(secondsSince1970: max(moment.seconds, 315_532_800))
        let date = UInt32(time.year - 1980) << 25 | UInt32(time.month) << 21 | UInt32(time.day) << 16
        return date | UInt32(time.hour) << 11 | UInt32(time.minute) << 5 | UInt32(time.second / 2)
    }

    func close() {
        state.withLock { $0.file = nil }
    }
}
