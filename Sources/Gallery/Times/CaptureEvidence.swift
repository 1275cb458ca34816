package import Basics
package import Imaging

/// All that is known of when a photo was taken, and by whom. What it means depends on the event's zone, and on what the host
/// says about the camera's clock; both may change, so this is what is kept.
package struct CaptureEvidence: Equatable, Sendable {
    package var exif: ExifTime
    /// As the uploading client says.
    package var claimed: Timestamp?
    /// By how many seconds the camera's clock was ahead of UTC, as the uploading client has measured.
    package var clockAhead: Int64?
    package var arrived: Timestamp

    package init(
        exif: ExifTime, claimed: Timestamp? = nil, clockAhead: Int64? = nil, arrived: Timestamp
    ) {
        self.exif = exif
        self.claimed = claimed
        self.clockAhead = clockAhead
        self.arrived = arrived
    }

    /// Nothing where no source gives a time. Without a zone, clocks in no zone are read as if they showed UTC. A shift is
    /// what a host adds to what the camera's clock says, and counts before everything else.
    package func time(in zone: TimeZone?, shift: Int64?) -> CaptureTime? {
        guard let moment = moment(in: zone, shift), Timestamp.writable.contains(moment.milliseconds) else {
            return nil
        }
        let shown = (zone ?? .utc).clock(at: moment)
        guard Timestamp.writable.contains(shown.milliseconds) else { return nil }
        let told = exif.provenOffset ?? exif.offset
        return CaptureTime(
            moment: moment, offset: told ?? zone.map { Int($0.offset(at: moment) / 60) }, shown: shown)
    }

    private func moment(in zone: TimeZone?, _ shift: Int64?) -> Timestamp? {
        if let shift {
            // The same for each photo of the camera, also for those that satellites say more of.
            return byClock(in: zone, offset: exif.offset).map { $0 + .seconds(shift) }
        }
        if exif.provenOffset == nil, let measured { return measured }
        return byClock(in: zone, offset: exif.provenOffset ?? exif.offset ?? claimedOffset)
    }

    private func byClock(in zone: TimeZone?, offset: Int?) -> Timestamp? {
        guard let clock = exif.clock else { return exif.satellites ?? claimed }
        if let offset { return clock + .seconds(-60 * offset) }
        return zone?.moment(ofClock: clock, arrived: arrived) ?? clock
    }

    /// Where an uploader knows the moment of what the clock shows, that is a zone.
    private var claimedOffset: Int? {
        guard let clock = exif.clock, let claimed else { return nil }
        return ExifTime.zone(ofClock: clock, at: claimed)
    }

    /// The clock's reading, without what it was wrong by. A photo cannot come before it was taken: then the clock has been
    /// set since, or the one that it was measured by is wrong.
    private var measured: Timestamp? {
        guard let clock = exif.clock, let clockAhead else { return nil }
        let moment = clock + .seconds(-clockAhead)
        return moment <= arrived + Self.clocksApart ? moment : nil
    }

    private static let clocksApart = Duration.seconds(600)

    // MARK: What it says about the event

    /// A guess at the event's zone: the better, the smaller its rank.
    package struct Hint: Equatable, Sendable {
        package let offset: Int
        package let rank: Int

        package init(offset: Int, rank: Int) {
            self.offset = offset
            self.rank = rank
        }
    }

    /// A phone that satellites have seen, a camera that says its zone; then a clock that is right somewhere; then one that is
    /// wrong, and not by more than it is from some zone.
    package var hint: Hint? {
        if let proven = exif.provenOffset { return Hint(offset: proven, rank: 1) }
        guard let clockAhead, abs(clockAhead) < 86_400 else {
            return (exif.offset ?? claimedOffset).map { Hint(offset: $0, rank: 1) }
        }
        if let told = exif.offset, abs(Int64(told) * 60 - clockAhead) <= 900 {
            return Hint(offset: told, rank: 1)
        }
        let minutes = Int((Double(clockAhead) / 900).rounded()) * 15
        guard ExifTime.zones.contains(minutes) else { return nil }
        return Hint(offset: minutes, rank: abs(Int64(minutes) * 60 - clockAhead) <= 180 ? 2 : 3)
    }
}

/// When a photo was taken, as it is shown.
package struct CaptureTime: Equatable, Sendable {
    package let moment: Timestamp
    /// By how many minutes clocks were ahead of UTC where it was taken: as its camera believed, else as in the event's zone.
    package let offset: Int?
    /// What clocks showed in the event's zone, read as if it were UTC.
    package let shown: Timestamp
}
