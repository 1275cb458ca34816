/// The chunks of a PNG as they lie in its bytes (PNG specification, section 5).
struct PNGLayout {
    private(set) var exif: UnsafeRawBufferPointer?
    private(set) var isWhole = false

    private static let signature = 8
    /// Of a chunk, beside what it holds: its length, its name, its checksum.
    private static let frame = 12

    init(_ bytes: UnsafeRawBufferPointer) {
        var position = Self.signature
        while position + Self.frame <= bytes.count {
            let length = Int(
                UInt32(bigEndian: bytes.loadUnaligned(fromByteOffset: position, as: UInt32.self)))
            guard position + Self.frame + length <= bytes.count else { return }
            let name = bytes[(position + 4)..<(position + 8)]
            if name.elementsEqual("IEND".utf8) {
                isWhole = true
                return
            }
            if exif == nil, name.elementsEqual("eXIf".utf8) {
                exif = UnsafeRawBufferPointer(rebasing: bytes[(position + 8)..<(position + 8 + length)])
            }
            position += Self.frame + length
        }
    }
}
