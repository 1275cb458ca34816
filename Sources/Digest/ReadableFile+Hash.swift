package import Posix

extension ReadableFile {
    private static let pieceOfHash = 256 << 10

    /// Of all that it held when it was opened.
    package func sha256() throws(SystemError) -> SHA256Digest {
        let hash = SHA256()
        let memory = UnsafeMutableRawBufferPointer.allocate(byteCount: Self.pieceOfHash, alignment: 16)
        defer { memory.deallocate() }
        var done: UInt64 = 0
        while done < size {
            let piece = UnsafeMutableRawBufferPointer(
                rebasing: memory.prefix(Int(min(size - done, UInt64(memory.count)))))
            try read(into: piece, at: done)
            hash.update(UnsafeRawBufferPointer(piece))
            done += UInt64(piece.count)
        }
        return hash.finish()
    }
}
