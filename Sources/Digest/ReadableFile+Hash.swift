package import Posix

/// What a file is told from others by, and what an archive says of it.
package struct FileChecksums: Equatable, Sendable {
    package let sha256: SHA256Digest
    package let crc32: UInt32
}

extension ReadableFile {
    private static let pieceOfHash = 256 << 10

    /// Of all that it held when it was opened.
    package func sha256() throws(SystemError) -> SHA256Digest {
        let hash = SHA256()
        try eachPiece { hash.update($0) }
        return hash.finish()
    }

    /// The same.
    package func crc32() throws(SystemError) -> UInt32 {
        var crc = CRC32()
        try eachPiece { crc.update($0) }
        return crc.value
    }

    /// Both, and the file is read once.
    package func checksums() throws(SystemError) -> FileChecksums {
        let hash = SHA256()
        var crc = CRC32()
        try eachPiece { piece in
            hash.update(piece)
            crc.update(piece)
        }
        return FileChecksums(sha256: hash.finish(), crc32: crc.value)
    }

    private func eachPiece(_ body: (UnsafeRawBufferPointer) -> Void) throws(SystemError) {
        let memory = UnsafeMutableRawBufferPointer.allocate(byteCount: Self.pieceOfHash, alignment: 16)
        defer { memory.deallocate() }
        var done: UInt64 = 0
        while done < size {
            let piece = UnsafeMutableRawBufferPointer(
                rebasing: memory.prefix(Int(min(size - done, UInt64(memory.count)))))
            try read(into: piece, at: done)
            body(UnsafeRawBufferPointer(piece))
            done += UInt64(piece.count)
        }
    }
}
