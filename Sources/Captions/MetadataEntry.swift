/// One property as exiv2 names it, with all that it holds.
public struct MetadataEntry: Equatable, Sendable {
    public let key: String
    public let values: [String]

    public init(_ key: String, _ values: [String]) {
        self.key = key
        self.values = values
    }
}

extension CaptionField {
    /// Where it stands in XMP, by the IPTC Photo Metadata Standard 2019.1, 'IPTC Core'.
    var xmp: String {
        switch self {
        case .title: "Xmp.dc.title"
        case .headline: "Xmp.photoshop.Headline"
        case .caption: "Xmp.dc.description"
        case .keywords: "Xmp.dc.subject"
        case .creator: "Xmp.dc.creator"
        case .creatorTitle: "Xmp.photoshop.AuthorsPosition"
        case .credit: "Xmp.photoshop.Credit"
        case .source: "Xmp.photoshop.Source"
        case .copyright: "Xmp.dc.rights"
        case .usageTerms: "Xmp.xmpRights.UsageTerms"
        case .instructions: "Xmp.photoshop.Instructions"
        case .reference: "Xmp.photoshop.TransmissionReference"
        case .writer: "Xmp.photoshop.CaptionWriter"
        case .location: "Xmp.iptc.Location"
        case .city: "Xmp.photoshop.City"
        case .state: "Xmp.photoshop.State"
        case .country: "Xmp.photoshop.Country"
        case .countryCode: "Xmp.iptc.CountryCode"
        }
    }

    /// Where it stands in IPTC-IIM, and how many bytes it may have there: IIM 4.2, chapter 6. Nothing where the older
    /// format has no place for it.
    var iim: (key: String, most: Int)? {
        switch self {
        case .title: ("Iptc.Application2.ObjectName", 64)
        case .headline: ("Iptc.Application2.Headline", 256)
        case .caption: ("Iptc.Application2.Caption", 2000)
        case .keywords: ("Iptc.Application2.Keywords", 64)
        case .creator: ("Iptc.Application2.Byline", 32)
        case .creatorTitle: ("Iptc.Application2.BylineTitle", 32)
        case .credit: ("Iptc.Application2.Credit", 32)
        case .source: ("Iptc.Application2.Source", 32)
        case .copyright: ("Iptc.Application2.Copyright", 128)
        case .usageTerms: nil
        case .instructions: ("Iptc.Application2.SpecialInstructions", 256)
        case .reference: ("Iptc.Application2.TransmissionReference", 32)
        case .writer: ("Iptc.Application2.Writer", 32)
        case .location: ("Iptc.Application2.SubLocation", 32)
        case .city: ("Iptc.Application2.City", 32)
        case .state: ("Iptc.Application2.ProvinceState", 32)
        case .country: ("Iptc.Application2.CountryName", 64)
        case .countryCode: ("Iptc.Application2.CountryCode", 3)
        }
    }
}

extension PhotoCaption {
    /// As it is written: XMP has every text whole; IIM, which older programs read, as much as it has room for.
    public var entries: [MetadataEntry] {
        var entries: [MetadataEntry] = []
        for field in CaptionField.allCases {
            guard let texts = texts[field] else { continue }
            entries.append(MetadataEntry(field.xmp, texts))
            guard let (key, most) = field.iim else { continue }
            entries.append(MetadataEntry(key, texts.map { Self.cut($0, to: most) }))
        }
        guard let taken else { return entries }
        let zone = taken.zone ?? ""
        entries.append(
            MetadataEntry("Xmp.photoshop.DateCreated", ["\(taken.date)T\(taken.time)\(zone)"]))
        entries.append(MetadataEntry("Iptc.Application2.DateCreated", [taken.date]))
        // IIM knows no time without its zone.
        if !zone.isEmpty {
            entries.append(MetadataEntry("Iptc.Application2.TimeCreated", ["\(taken.time)\(zone)"]))
        }
        return entries
    }

    /// Fields whose texts IIM has no room for.
    public var shortened: [CaptionField] {
        CaptionField.allCases.filter { field in
            guard let most = field.iim?.most else { return false }
            return texts[field]?.contains { $0.utf8.count > most } ?? false
        }
    }

    /// The longest beginning that fits and ends with a whole character.
    static func cut(_ text: String, to most: Int) -> String {
        guard text.utf8.count > most else { return text }
        var kept = ""
        var count = 0
        for character in text {
            count += character.utf8.count
            guard count <= most else { break }
            kept.append(character)
        }
        return kept
    }
}
