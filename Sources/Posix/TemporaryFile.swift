import CLinux
import Glibc
import Synchronization

/// A file without a name, gone when its owner lets go of it, even when the process is killed.
package final class TemporaryFile: Sendable {
    private let descriptor: OwnedDescriptor
    private let length = Mutex<UInt64>(0)
    private let path: String

    /// In `$TMPDIR`, or where the system keeps such things.
    package convenience init() throws(SystemError) {
        try self.init(in: Program.environment("TMPDIR") ?? "/tmp")
    }

    package init(in folder: String) throws(SystemError) {
        var template = Array("\(folder)/tetherline-XXXXXX".utf8CString)
        let number = try check("making a temporary file", on: folder) { tl_temporary_file(&template) }
        descriptor = OwnedDescriptor(owning: number)
        path = folder
        unlink(template)
    }

    /// Where the bytes are now.
    package func append(_ bytes: ArraySlice<UInt8>) throws(SystemError) -> UInt64 {
        let offset = length.withLock { length in
            defer { length += UInt64(bytes.count) }
            return length
        }
        var done = 0
        while done < bytes.count {
            done += try check("writing a temporary file", on: path) {
                bytes.dropFirst(done).withUnsafeBytes {
                    pwrite(descriptor.number, $0.baseAddress, $0.count, off_t(offset) + off_t(done))
                }
            }
        }
        return offset
    }

    /// Its bytes are on the disk after this.
    package func sync() throws(SystemError) {
        try check("fsync of a temporary file", on: path) { fsync(descriptor.number) }
    }

    package func read(into memory: UnsafeMutableRawBufferPointer, at offset: UInt64) throws(SystemError) {
        var done = 0
        while done < memory.count {
            let count = try check("reading a temporary file", on: path) {
                pread(
                    descriptor.number, memory.baseAddress?.advanced(by: done), memory.count - done,
                    off_t(offset) + off_t(done))
            }
            guard count > 0 else { throw SystemError("reading a temporary file", EIO, on: path) }
            done += count
        }
    }
}
