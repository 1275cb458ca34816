/// Colours as cameras write them down without a profile ("Design rule for Camera File system 2.0", optional files).
enum ExifColour {
    static func claim(_ exif: UnsafeRawBufferPointer) -> ColourClaim? {
        guard let reader = TIFFReader(exif) else { return nil }
        return claim(reader, reader.directories())
    }

    /// Nothing for sRGB, and where nothing is said.
    static func claim(_ reader: TIFFReader, _ directories: [TIFFReader.DirectoryOfTags]) -> ColourClaim? {
        let space = directories.lazy.compactMap { $0[Tag.colourSpace]?.number }.first
        // Not in the standard, and written by some.
        if space == 2 { return .space(.adobeRGB) }
        // "1 = sRGB"; optional files say that they are uncalibrated, and more in another directory.
        guard space != 1,
            let rules = reader.directory(below: Tag.interoperability, of: directories),
            rules[Tag.Interoperability.index]?.text == "R03"
        else { return nil }
        return .space(.adobeRGB)
    }
}
