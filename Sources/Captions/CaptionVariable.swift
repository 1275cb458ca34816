public import Bridge

/// What is known of a photo, as far as a caption may say it.
public struct CaptionFacts: Equatable, Sendable {
    public var photo: NameTemplate.Facts
    /// By how many seconds the camera's clock was ahead of UTC, where its body tells its time.
    public var clockAhead: Int64?

    public init(_ photo: NameTemplate.Facts, clockAhead: Int64? = nil) {
        self.photo = photo
        self.clockAhead = clockAhead
    }

    /// When it was taken by the camera's clock, as `YYYYMMDDhhmmss`; nothing where its text is no time.
    var digits: String? {
        let digits = photo.date.filter { $0 != "-" } + photo.time
        return digits.utf8.count == 14 && digits.utf8.allSatisfy(\.isDigit) ? digits : nil
    }

    /// Hours and minutes east of UTC that the camera's clock shows, to the quarter of an hour: zones are multiples of it,
    /// and clocks are set by hand.
    var zone: (sign: String, hours: Int64, minutes: Int64)? {
        guard let clockAhead else { return nil }
        let quarters = (Double(clockAhead) / 900).rounded()
        guard abs(quarters * 900 - Double(clockAhead)) <= Self.mostOff, abs(quarters) <= 14 * 4 else {
            return nil
        }
        let minutes = Int64(abs(quarters)) * 15
        return (quarters < 0 ? "-" : "+", minutes / 60, minutes % 60)
    }

    /// A clock that is further off shows no zone.
    private static let mostOff = 120.0
}

extension UInt8 {
    var isDigit: Bool { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(self) }
}

/// What a template may say in braces.
public enum CaptionVariable: String, CaseIterable, Sendable {
    case event
    case camera
    case serial
    case name
    case stem
    case ext
    case seq
    case date
    case time
    case year
    case month
    case monthName
    case day
    case hour
    case minute
    case second

    func value(in facts: CaptionFacts) -> String {
        let photo = facts.photo
        func part(_ range: Range<Int>) -> String {
            guard let digits = facts.digits else { return "" }
            return String(digits.dropFirst(range.lowerBound).prefix(range.count))
        }
        switch self {
        case .event: return photo.event
        case .camera: return photo.camera
        case .serial: return photo.serial
        case .name: return photo.name
        case .stem: return photo.nameParts.stem
        case .ext: return photo.nameParts.ext
        case .seq: return photo.paddedSequence
        case .date: return photo.date
        case .time: return [part(8..<10), part(10..<12)].filter { !$0.isEmpty }.joined(separator: ":")
        case .year: return part(0..<4)
        case .month: return part(4..<6)
        case .monthName:
            guard let number = Int(part(4..<6)), (1...12).contains(number) else { return "" }
            return Self.months[number - 1]
        case .day: return part(6..<8)
        case .hour: return part(8..<10)
        case .minute: return part(10..<12)
        case .second: return part(12..<14)
        }
    }

    /// As English captions have them.
    private static let months = [
        "January", "February", "March", "April", "May", "June", "July", "August", "September", "October",
        "November", "December",
    ]
}
