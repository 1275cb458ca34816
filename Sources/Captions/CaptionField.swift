/// What is said about a photo in its IPTC and XMP: the fields that agencies and picture desks read.
public enum CaptionField: String, CaseIterable, Sendable {
    case title
    case headline
    case caption
    case keywords
    case creator
    case creatorTitle
    case credit
    case source
    case copyright
    case usageTerms
    case instructions
    case reference
    case writer
    case location
    case city
    case state
    case country
    case countryCode

    /// It holds a list; every other field holds one text.
    public var isList: Bool { self == .keywords }

    /// As readers know it.
    public var name: String {
        switch self {
        case .title: "title"
        case .headline: "headline"
        case .caption: "caption"
        case .keywords: "keywords"
        case .creator: "creator"
        case .creatorTitle: "creator's job title"
        case .credit: "credit"
        case .source: "source"
        case .copyright: "copyright"
        case .usageTerms: "usage terms"
        case .instructions: "instructions"
        case .reference: "job reference"
        case .writer: "caption writer"
        case .location: "location"
        case .city: "city"
        case .state: "state"
        case .country: "country"
        case .countryCode: "country code"
        }
    }
}
