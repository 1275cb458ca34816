import Posix

/// A real file, read where it lies. Its size is the one it had when the card was read.
struct FileContent: ObjectContent {
    let file: ReadableFile

    var length: UInt64 { file.size }

    func fill(_ memory: UnsafeMutableRawBufferPointer, at offset: UInt64) throws {
        try file.read(into: memory, at: offset)
    }
}
