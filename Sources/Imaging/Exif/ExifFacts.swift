package import Bridge

/// What a camera wrote down about a photo, as far as a gallery shows it.
package struct ExifFacts: Equatable, Sendable {
    package var orientation: Orientation?
    package var capturedAt: Timestamp?
    /// Whether the camera said how far its clock is from UTC. Otherwise the time is taken as if it were UTC.
    package var knowsZone = false
    package var camera: String?
    package var copyright: String?

    package init() {}

    /// Of the bytes of a TIFF, which need not be one.
    init(_ bytes: UnsafeRawBufferPointer) {
        self.init()
        guard let directories = TIFFReader(bytes)?.directories() else { return }
        self.init(directories)
    }

    /// The first directory that has a tag says it.
    init(_ directories: [TIFFReader.DirectoryOfTags]) {
        self.init()
        func entry(_ tag: UInt16) -> TIFFReader.Entry? { directories.lazy.compactMap { $0[tag] }.first }
        // Only the first is about the whole file; others may describe its previews.
        orientation = directories.first?[Tag.orientation]?.number.flatMap(Orientation.init(rawValue:))
        camera = Self.camera(make: entry(Tag.make)?.text, model: entry(Tag.model)?.text)
        copyright = entry(Tag.copyright)?.text ?? entry(Tag.artist)?.text
        guard let text = entry(Tag.dateTimeOriginal)?.text ?? entry(Tag.dateTime)?.text,
            let civil = Self.civil(text)
        else { return }
        let zone = entry(Tag.offsetTimeOriginal)?.text.flatMap(Self.zone)
        let fraction = Self.milliseconds(entry(Tag.subSecTimeOriginal)?.text ?? "")
        knowsZone = zone != nil
        capturedAt = Timestamp(
            milliseconds: (civil.secondsSince1970 - Int64(zone ?? 0)) * 1000 + fraction)
    }

    /// Many models begin with the name of their maker.
    static func camera(make: String?, model: String?) -> String? {
        guard let model else { return make }
        guard let make, let maker = make.split(separator: " ").first else { return model }
        if model.lowercased().hasPrefix(maker.lowercased()) { return model }
        return "\(make) \(model)"
    }

    /// "YYYY:MM:DD HH:MM:SS"; a clock that was never set says zeros or blanks.
    private static func civil(_ text: String) -> CivilTime? {
        let digits = text.utf8.filter { (48...57).contains($0) }
        guard digits.count == 14, text.utf8.count == 19 else { return nil }
        let all = String(decoding: digits, as: UTF8.self)
        // Years of four digits in whatever zone, for galleries write it down so.
        return CivilTime(ptp: "\(all.prefix(8))T\(all.dropFirst(8))").flatMap {
            (2...9998).contains($0.year) ? $0 : nil
        }
    }

    /// "±HH:MM", in seconds.
    private static func zone(_ text: String) -> Int? {
        if text == "Z" { return 0 }
        let parts = text.dropFirst().split(separator: ":")
        guard parts.count == 2, let hours = Int(parts[0]), let minutes = Int(parts[1]),
            (0...14).contains(hours), (0..<60).contains(minutes)
        else { return nil }
        switch text.first {
        case "+": return hours * 3600 + minutes * 60
        case "-": return -(hours * 3600 + minutes * 60)
        default: return nil
        }
    }

    /// Decimals of a second, as many as the camera has.
    private static func milliseconds(_ text: String) -> Int64 {
        let digits = text.utf8.prefix { (48...57).contains($0) }.prefix(3)
        return zip(digits, [100, 10, 1]).reduce(0) { $0 + Int64($1.0 - 48) * Int64($1.1) }
    }

    /// What this does not know, somebody else may.
    func completed(by other: ExifFacts) -> ExifFacts {
        var facts = self
        facts.orientation = orientation ?? other.orientation
        facts.camera = camera ?? other.camera
        facts.copyright = copyright ?? other.copyright
        if capturedAt == nil {
            facts.capturedAt = other.capturedAt
            facts.knowsZone = other.knowsZone
        }
        return facts
    }
}
