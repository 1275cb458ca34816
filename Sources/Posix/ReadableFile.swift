import CLinux
import Glibc

/// A file that is read at any place, by any thread.
package final class ReadableFile: Sendable {
    package let path: String
    package let size: UInt64
    private let descriptor: OwnedDescriptor
    private let isPipe: Bool
    /// How long the other end of a pipe may write nothing, in milliseconds.
    private static let patience: Int32 = 30_000

    package init(path: String) throws(SystemError) {
        self.path = path
        descriptor = OwnedDescriptor(
            owning: try check("opening", on: path) { tl_openat(AT_FDCWD, path, O_RDONLY | O_CLOEXEC, 0) })
        var facts = stat()
        let number = descriptor.number
        try check("stat", on: path) { fstat(number, &facts) }
        size = UInt64(max(0, facts.st_size))
        isPipe = facts.st_mode & S_IFMT == S_IFIFO
    }

    var number: Int32 { descriptor.number }

    /// Fills all of `memory`. A file that ends before is an error: it has shrunk since it was opened.
    package func read(into memory: UnsafeMutableRawBufferPointer, at offset: UInt64) throws(SystemError) {
        var done = 0
        while done < memory.count {
            let rest = UnsafeMutableRawBufferPointer(rebasing: memory[done...])
            let count = try check("reading", on: path) {
                pread(descriptor.number, rest.baseAddress, rest.count, off_t(offset) + off_t(done))
            }
            if count == 0 {
                throw SystemError("reading past the end of a file that has shrunk", EIO, on: path)
            }
            done += count
        }
    }

    private func drained(limit: Int) throws(SystemError) -> [UInt8] {
        var bytes: [UInt8] = []
        var part = [UInt8](repeating: 0, count: 4096)
        while true {
            var request = pollfd(fd: descriptor.number, events: Int16(POLLIN), revents: 0)
            guard try check("waiting for", on: path, { poll(&request, 1, Self.patience) }) > 0 else {
                throw SystemError("reading a pipe into which nothing is written", ETIMEDOUT, on: path)
            }
            let count = try check("reading", on: path) { Glibc.read(descriptor.number, &part, part.count) }
            if count == 0 { return bytes }
            bytes += part.prefix(count)
            guard bytes.count <= limit else { throw SystemError("reading that much", EFBIG, on: path) }
        }
    }

    /// A part that fits into memory.
    package func read(_ part: Range<UInt64>) throws(SystemError) -> [UInt8] {
        var bytes = [UInt8](repeating: 0, count: part.count)
        var failure: SystemError?
        bytes.withUnsafeMutableBytes { memory in
            do throws(SystemError) {
                try read(into: memory, at: part.lowerBound)
            } catch {
                failure = error
            }
        }
        if let failure { throw failure }
        return bytes
    }

    /// Of a file that another library or program opens.
    package static func size(of path: String) throws(SystemError) -> UInt64 {
        var facts = stat()
        try check("stat", on: path) { stat(path, &facts) }
        return UInt64(max(0, facts.st_size))
    }

    /// A file of the kernel's, whose size is only known by reading it.
    package static func virtualContents(of path: String, limit: Int) throws(SystemError) -> [UInt8] {
        let file = try ReadableFile(path: path)
        var bytes = [UInt8](repeating: 0, count: limit)
        let count = try check("reading", on: path) { Glibc.read(file.descriptor.number, &bytes, limit) }
        return Array(bytes.prefix(count))
    }

    /// A whole small file, or what comes out of a pipe (`<(pass show desk)` of a shell). More than `limit` bytes are refused.
    package static func contents(of path: String, limit: Int) throws(SystemError) -> [UInt8] {
        let file = try ReadableFile(path: path)
        if file.isPipe { return try file.drained(limit: limit) }
        guard file.size <= UInt64(limit) else {
            throw SystemError("reading a file this large", EFBIG, on: path)
        }
        return try file.read(0..<file.size)
    }
}
