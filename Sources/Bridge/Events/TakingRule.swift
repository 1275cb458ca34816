/// A span of time by one camera's own clock, in seconds without zones: photographers' clocks are wrong, and in other
/// zones, and they are what a photo's date is from.
public struct ClockSpan: Equatable, Sendable {
    /// Nothing for everything up to its end.
    public var from: Int64?
    /// The first second that is not in it any more; nothing while it has no end.
    public var until: Int64?

    public init(from: Int64? = nil, until: Int64? = nil) {
        self.from = from
        self.until = until
    }

    /// No photo is in it.
    public static let empty = ClockSpan(from: 0, until: 0)

    public func contains(_ moment: Int64) -> Bool {
        from.map { moment >= $0 } ?? true && until.map { moment < $0 } ?? true
    }
}

/// Which photos of one camera belong to an event, by the camera's own clock.
public struct TakingRule: Equatable, Sendable {
    /// Frames that were shot while no bridge ran for long.
    public struct Absence: Equatable, Sendable {
        public var span: ClockSpan
        /// The operator has said that they are not wanted; until then nothing is decided.
        public var isDeclined: Bool

        public init(_ span: ClockSpan, isDeclined: Bool) {
            self.span = span
            self.isDeclined = isDeclined
        }
    }

    public var windows: [ClockSpan]
    /// Inside the windows, and left out all the same.
    public var absences: [Absence]
    /// The event's last window has no end yet: what is shot now is taken.
    public var isOpen: Bool

    public init(windows: [ClockSpan], absences: [Absence] = [], isOpen: Bool) {
        self.windows = windows
        self.absences = absences
        self.isOpen = isOpen
    }

    /// Nothing is too old.
    public static let everything = TakingRule(windows: [ClockSpan()], isOpen: true)

    /// Everything from that second on.
    public init(since moment: Int64) {
        self.init(windows: [ClockSpan(from: moment)], isOpen: true)
    }

    /// Why a photo with this date is not taken; nothing when it is.
    public func objection(to takenAt: Int64) -> FilterRule? {
        guard windows.contains(where: { $0.contains(takenAt) }) else {
            let isOlder = windows.allSatisfy { $0.from.map { takenAt < $0 } ?? false }
            return isOlder ? .older : .outside
        }
        guard let absence = absences.first(where: { $0.span.contains(takenAt) }) else { return nil }
        return absence.isDeclined ? .declined : .unattended
    }

    /// What is said of a photo that appears while we look, whatever the camera's clock says.
    public var objectionToLive: FilterRule? { isOpen ? nil : .outside }
}
