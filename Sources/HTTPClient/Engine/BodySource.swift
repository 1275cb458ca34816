import Basics
import Posix

/// Where the bytes of a request come from, and how far they have been read.
struct BodySource {
    private enum Bytes {
        case memory([UInt8])
        case file(ReadableFile, offset: UInt64)
    }

    private let bytes: Bytes
    let count: UInt64
    private(set) var position: UInt64 = 0

    /// Opens the file, if there is one.
    init(_ body: HTTPBody) throws(DiskError) {
        count = body.count
        switch body {
        case .none: bytes = .memory([])
        case .bytes(let memory): bytes = .memory(memory)
        case .file(let slice): bytes = .file(try Self.open(slice), offset: slice.offset)
        }
    }

    private static func open(_ slice: FileSlice) throws(DiskError) -> ReadableFile {
        let file: ReadableFile
        do throws(SystemError) {
            file = try ReadableFile(path: slice.path)
        } catch {
            throw DiskError(error)
        }
        let (end, isTooFar) = slice.offset.addingReportingOverflow(slice.count)
        guard !isTooFar, end <= file.size else {
            throw DiskError(
                .other,
                "\(slice.path): has \(file.size) bytes, and \(slice.count) from byte \(slice.offset) were to be sent"
            )
        }
        return file
    }

    var remaining: UInt64 { count - position }

    /// Straight into libcurl's own buffer. At most what remains.
    mutating func read(into memory: UnsafeMutableRawBufferPointer) throws(DiskError) {
        switch bytes {
        case .memory(let all):
            memory.copyBytes(from: all[Int(position)..<Int(position) + memory.count])
        case .file(let file, let offset):
            do throws(SystemError) {
                try file.read(into: memory, at: offset + position)
            } catch {
                throw DiskError(error)
            }
        }
        position += UInt64(memory.count)
    }

    /// False for a place that there is not.
    mutating func seek(to position: Int64) -> Bool {
        guard let position = UInt64(exactly: position), position <= count else { return false }
        self.position = position
        return true
    }
}
