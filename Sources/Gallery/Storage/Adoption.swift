import Glibc
import Posix

extension ObjectFolder {
    /// Takes a file of ours into `incoming` under that name, with its bytes on the disk.
    func adopt(_ file: String, as name: String) throws(SystemError) {
        let target = "\(incomingPath)/\(name)"
        do throws(SystemError) {
            try check("renaming to \(target)", on: file) { rename(file, target) }
        } catch {
            // On another file system; only its bytes can come here.
            guard error.number == EXDEV else { throw error }
            try copy(file, as: name)
            try check("removing", on: file) { unlink(file) }
        }
        let whole = try StagedFile(in: incoming, reading: name)
        try whole.makeReadOnly()
        try whole.sync()
    }

    private func copy(_ file: String, as name: String) throws(SystemError) {
        let source = try ReadableFile(path: file)
        let target = try StagedFile(in: incoming, partialName: name, mode: 0o600)
        let memory = UnsafeMutableRawBufferPointer.allocate(byteCount: 1 << 20, alignment: 16)
        defer { memory.deallocate() }
        var done: UInt64 = 0
        while done < source.size {
            let piece = UnsafeMutableRawBufferPointer(
                rebasing: memory.prefix(Int(min(source.size - done, UInt64(memory.count)))))
            try source.read(into: piece, at: done)
            try target.write(UnsafeRawBufferPointer(piece), at: done)
            done += UInt64(piece.count)
        }
    }
}
