public import Basics

/// What becomes of a photo in the spool once every destination has it.
public enum Retention: Equatable, Sendable {
    /// It goes as soon as nothing of it is open.
    case atOnce
    /// It goes so long after that.
    case after(Duration)
    /// It stays until the disk is short of room; then the oldest go first.
    case untilSpaceIsShort
    case always

    public static let longest = Duration.seconds(3650 * 86_400)

    /// `delete`, `keep 7d`, `keep-until-full` or `keep`. A time is in s, min, h or d, up to ten years.
    public init?(_ text: String) {
        let words = text.split(separator: " ")
        switch words.count {
        case 1 where words[0] == "delete": self = .atOnce
        case 1 where words[0] == "keep-until-full": self = .untilSpaceIsShort
        case 1 where words[0] == "keep": self = .always
        case 2 where words[0] == "keep":
            guard let span = Self.span(words[1]) else { return nil }
            self = .after(span)
        default: return nil
        }
    }

    private static func span(_ text: Substring) -> Duration? {
        let digits = text.prefix { $0.isASCII && $0.isWholeNumber }
        let units: [Substring: Int64] = ["s": 1, "min": 60, "h": 3600, "d": 86_400]
        guard let number = Int64(digits), let unit = units[text.dropFirst(digits.count)] else { return nil }
        let (seconds, isTooLong) = number.multipliedReportingOverflow(by: unit)
        guard !isTooLong, Duration.seconds(seconds) <= longest else { return nil }
        return .seconds(seconds)
    }
}

extension Retention: CustomStringConvertible {
    public var description: String {
        switch self {
        case .atOnce: "delete"
        case .untilSpaceIsShort: "keep-until-full"
        case .always: "keep"
        case .after(let span):
            "keep \(span.components.seconds)s"
        }
    }
}

/// A whole file in the spool of which nothing is open any more.
public struct DeliveredPhoto: Equatable, Sendable {
    public let capture: CaptureID
    public let event: String
    public let file: String
    public let size: UInt64
    public let settledAt: Timestamp

    public init(capture: CaptureID, event: String, file: String, size: UInt64, settledAt: Timestamp) {
        self.capture = capture
        self.event = event
        self.file = file
        self.size = size
        self.settledAt = settledAt
    }
}

extension Retention {
    /// What is free, and what should be.
    public struct Room: Equatable, Sendable {
        public var free: UInt64
        /// For the rest of the machine.
        public var reserve: UInt64
        /// The next photo needs so much beside it.
        public var wanted: UInt64

        public init(free: UInt64, reserve: UInt64, wanted: UInt64) {
            self.free = free
            self.reserve = reserve
            self.wanted = wanted
        }

        public var isShort: Bool {
            let (needed, isTooMuch) = reserve.addingReportingOverflow(wanted)
            return isTooMuch || free < needed
        }
    }

    /// Of photos in the order in which they were delivered: how many of the first may go now.
    ///
    /// A photo that was delivered in the future was delivered before the clock was set back. How long ago is unknown,
    /// so it stays; the ledger lets its time begin anew.
    public func going(_ photos: [DeliveredPhoto], at now: Timestamp, room: Room) -> Int {
        switch self {
        case .atOnce: return photos.count
        case .always: return 0
        case .after(let span):
            return photos.prefix { $0.settledAt <= now && now - $0.settledAt >= span }.count
        case .untilSpaceIsShort:
            var room = room
            return photos.prefix { photo in
                guard room.isShort else { return false }
                room.free = room.free.addingReportingOverflow(photo.size).partialValue
                return true
            }.count
        }
    }

    /// When the first of those that stay may go by its time; nothing when no time decides.
    public func next(after photo: DeliveredPhoto) -> Timestamp? {
        guard case .after(let span) = self else { return nil }
        return photo.settledAt + span
    }

    /// By how much a time may be ahead before the clock is taken to have been set back: clocks are corrected a little
    /// all the time.
    public static let slack = Duration.seconds(1)
}
