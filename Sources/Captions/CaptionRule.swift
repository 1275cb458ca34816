import Bridge

/// What captions say where its conditions hold: of one event, one camera, a time.
public struct CaptionRule: Equatable, Sendable {
    /// A name; `*` stands for any characters.
    public var event: String?
    /// A model or a serial number, in the same way.
    public var camera: String?
    public var from: CaptionMoment?
    public var until: CaptionMoment?
    public var fields: [CaptionField: [CaptionTemplate]]

    public init(
        event: String? = nil, camera: String? = nil, from: CaptionMoment? = nil, until: CaptionMoment? = nil,
        fields: [CaptionField: [CaptionTemplate]] = [:]
    ) {
        self.event = event
        self.camera = camera
        self.from = from
        self.until = until
        self.fields = fields
    }

    func holds(for facts: CaptionFacts) -> Bool {
        if let event, !Self.matches(facts.photo.event, event) { return false }
        if let camera, !Self.matches(facts.photo.camera, camera), !Self.matches(facts.photo.serial, camera) {
            return false
        }
        return CaptionMoment.holds(from: from, until: until, facts.digits)
    }

    /// Whether a text is what a pattern says, whatever its case.
    static func matches(_ text: String, _ pattern: String) -> Bool {
        let text = Array(text.lowercased().unicodeScalars)
        let pattern = Array(pattern.lowercased().unicodeScalars)
        // The last star may stand for one more character each time what follows it does not fit.
        var (at, place) = (0, 0)
        var retry: (at: Int, place: Int)?
        while at < text.count {
            if place < pattern.count, pattern[place] == "*" {
                retry = (at, place + 1)
                place += 1
            } else if place < pattern.count, pattern[place] == text[at] {
                at += 1
                place += 1
            } else if let last = retry {
                retry = (last.at + 1, last.place)
                (at, place) = (last.at + 1, last.place)
            } else {
                return false
            }
        }
        return pattern[place...].allSatisfy { $0 == "*" }
    }
}

/// A time by the camera's clock: `18:30` of every day, or `2026-11-21T18:30`.
public struct CaptionMoment: Equatable, Sendable {
    private let digits: String

    private static let ofDay = 6

    /// Nothing for what is neither.
    public init?(_ text: String) {
        let parts = text.split(separator: "T", maxSplits: 1, omittingEmptySubsequences: false)
        guard let clock = parts.last, parts.count == 1 || Self.isDate(parts[0]) else { return nil }
        let numbers = clock.split(separator: ":", omittingEmptySubsequences: false)
        guard numbers.count == 2 || numbers.count == 3, numbers.allSatisfy({ $0.utf8.count == 2 }),
            numbers.allSatisfy({ $0.utf8.allSatisfy(\.isDigit) }),
            zip(numbers, ["24", "60", "60"]).allSatisfy({ $0 < $1 })
        else { return nil }
        let seconds = numbers.count == 3 ? "" : "00"
        digits = (parts.count == 2 ? parts[0].filter { $0 != "-" } : "") + numbers.joined() + seconds
    }

    private static func isDate(_ text: Substring) -> Bool {
        let parts = text.split(separator: "-", omittingEmptySubsequences: false)
        return parts.map(\.utf8.count) == [4, 2, 2] && parts.allSatisfy { $0.utf8.allSatisfy(\.isDigit) }
            && ("01"..."12").contains(parts[1]) && ("01"..."31").contains(parts[2])
    }

    private var isOfDay: Bool { digits.utf8.count == Self.ofDay }

    /// From the first moment on, and before the second. Of two times of day the later may be the next morning's.
    static func holds(from: CaptionMoment?, until: CaptionMoment?, _ taken: String?) -> Bool {
        guard from != nil || until != nil else { return true }
        guard let taken else { return false }
        func isPast(_ moment: CaptionMoment) -> Bool {
            moment.digits <= (moment.isOfDay ? String(taken.suffix(ofDay)) : taken)
        }
        let (begun, ended) = (from.map(isPast) ?? true, until.map(isPast) ?? false)
        if let from, let until, from.isOfDay, until.isOfDay, until.digits < from.digits {
            return begun || !ended
        }
        return begun && !ended
    }
}
