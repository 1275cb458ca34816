import CZlib

/// Bytes in gzip's format (RFC 1952), in one piece.
package enum Gzip {
    /// Higher ones take twice as long for one byte in a hundred.
    private static let level: Int32 = 6
    /// "Add 16 to windowBits to write a simple gzip header and trailer" (zlib.h).
    private static let windowBits: Int32 = 15 + 16
    private static let memoryLevel: Int32 = 8

    /// Nothing where they would not be fewer, or there is no memory for it.
    package static func compressed(_ bytes: [UInt8]) -> [UInt8]? {
        guard let count = UInt32(exactly: bytes.count) else { return nil }
        var stream = z_stream()
        // The library notes where the stream lies, which has to be one place for all calls.
        return withUnsafeMutablePointer(to: &stream) { stream in
            let begun = deflateInit2_(
                stream, level, Z_DEFLATED, windowBits, memoryLevel, Z_DEFAULT_STRATEGY, ZLIB_VERSION,
                Int32(MemoryLayout<z_stream>.size))
            guard begun == Z_OK else { return nil }
            defer { deflateEnd(stream) }
            return bytes.withUnsafeBytes { source in
                // It is only read.
                stream.pointee.next_in = UnsafeMutablePointer(
                    mutating: source.bindMemory(to: UInt8.self).baseAddress)
                stream.pointee.avail_in = count
                let written = [UInt8](unsafeUninitializedCapacity: bytes.count) { room, initialized in
                    stream.pointee.next_out = room.baseAddress
                    stream.pointee.avail_out = count
                    initialized =
                        deflate(stream, Z_FINISH) == Z_STREAM_END ? Int(stream.pointee.total_out) : 0
                }
                return written.isEmpty ? nil : written
            }
        }
    }
}
