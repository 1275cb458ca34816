import Glibc
import Posix

/// A whole file as memory, read where it is looked at.
///
/// If another process truncates the file meanwhile, reading what is gone kills this one; so only a process that may die does
/// this.
final class MappedFile {
    let bytes: UnsafeRawBufferPointer

    /// More than `limit` bytes are refused before anything is mapped.
    init(path: String, limit: UInt64) throws {
        let number = try check("opening", on: path) { open(path, O_RDONLY | O_CLOEXEC) }
        defer { close(number) }
        var facts = stat()
        try check("stat", on: path) { fstat(number, &facts) }
        let size = UInt64(max(0, facts.st_size))
        guard size <= limit else {
            throw PictureRefusal(
                .tooLarge, "the file has \(size) bytes, and more than \(limit) are not looked at")
        }
        guard size > 0 else {
            bytes = UnsafeRawBufferPointer(start: nil, count: 0)
            return
        }
        let memory = mmap(nil, Int(size), PROT_READ, MAP_PRIVATE, number, 0)
        guard let memory, memory != MAP_FAILED else { throw SystemError("mmap", errno, on: path) }
        madvise(memory, Int(size), MADV_SEQUENTIAL)
        bytes = UnsafeRawBufferPointer(start: memory, count: Int(size))
    }

    deinit {
        guard let start = bytes.baseAddress else { return }
        munmap(UnsafeMutableRawPointer(mutating: start), bytes.count)
    }
}
