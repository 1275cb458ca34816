/// The chunks of a PNG as they lie in its bytes (PNG specification, section 5).
struct PNGLayout {
    private(set) var exif: UnsafeRawBufferPointer?
    private(set) var isWhole = false
    /// As the header promises; nothing when it is not there.
    private(set) var size: (width: Int, height: Int)?
    /// Chunks about colours by their names: name, content, and checksum.
    private(set) var colours: [String: UnsafeRawBufferPointer] = [:]

    private static let signature = 8
    /// Of a chunk, beside what it holds: its length, its name, its checksum.
    private static let frame = 12
    private static let namesOfColours: Set = ["cICP", "iCCP", "sRGB", "gAMA", "cHRM"]

    init(_ bytes: UnsafeRawBufferPointer) {
        let words = TIFFReader.Words(bytes: bytes, isLittle: false)
        if let width = words.long(16), let height = words.long(20) { size = (Int(width), Int(height)) }
        var position = Self.signature
        var hasBegun = false
        while let length = words.long(position).map(Int.init) {
            guard position + Self.frame + length <= bytes.count else { return }
            let name = bytes[(position + 4)..<(position + 8)]
            if name.elementsEqual("IEND".utf8) {
                isWhole = true
                return
            }
            if exif == nil, name.elementsEqual("eXIf".utf8) {
                exif = UnsafeRawBufferPointer(rebasing: bytes[(position + 8)..<(position + 8 + length)])
            }
            let text = String(decoding: name, as: UTF8.self)
            // "Shall come before the first IDAT."
            hasBegun = hasBegun || text == "IDAT"
            if !hasBegun, Self.namesOfColours.contains(text), colours[text] == nil {
                let end = position + Self.frame + length
                colours[text] = UnsafeRawBufferPointer(rebasing: bytes[(position + 4)..<end])
            }
            position += Self.frame + length
        }
    }
}
