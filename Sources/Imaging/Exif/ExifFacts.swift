/// What a camera wrote down about a photo, as far as a gallery shows it.
package struct ExifFacts: Equatable, Sendable {
    package var orientation: Orientation?
    package var time = ExifTime()
    package var make: String?
    package var model: String?
    /// Of the body, where it says so in a standard tag.
    package var serial: String?
    package var copyright: String?

    package init() {}

    /// Of the bytes of a TIFF, which need not be one.
    init(_ bytes: UnsafeRawBufferPointer) {
        self.init()
        guard let reader = TIFFReader(bytes) else { return }
        let directories = reader.directories()
        self.init(directories, gps: reader.directory(below: Tag.gps, of: directories))
    }

    /// The first directory that has a tag says it; only tags about places have a meaning of their own where they stand.
    init(_ directories: [TIFFReader.DirectoryOfTags], gps: TIFFReader.DirectoryOfTags?) {
        self.init()
        func text(_ tag: UInt16) -> String? { directories.lazy.compactMap { $0[tag] }.first?.text }
        // Only the first is about the whole file; others may describe its previews.
        orientation = directories.first?[Tag.orientation]?.number.flatMap(Orientation.init(rawValue:))
        make = text(Tag.make)
        model = text(Tag.model)
        serial = text(Tag.bodySerial) ?? text(Tag.cameraSerial)
        copyright = text(Tag.copyright) ?? text(Tag.artist)
        time = ExifTime(directories, gps: gps)
    }

    /// Many models begin with the name of their maker.
    package var camera: String? {
        guard let model else { return make }
        guard let make, let maker = make.split(separator: " ").first else { return model }
        if model.lowercased().hasPrefix(maker.lowercased()) { return model }
        return "\(make) \(model)"
    }

    /// What this does not know is taken from the other.
    func completed(by other: ExifFacts) -> ExifFacts {
        var facts = self
        facts.orientation = orientation ?? other.orientation
        facts.copyright = copyright ?? other.copyright
        if camera == nil { (facts.make, facts.model, facts.serial) = (other.make, other.model, other.serial) }
        if time.clock == nil { facts.time = other.time }
        return facts
    }
}
