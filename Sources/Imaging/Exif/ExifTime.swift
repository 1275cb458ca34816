package import Basics

/// When a photo was taken, as far as its file tells: what a clock in a camera showed, and perhaps how far that clock is from
/// UTC.
package struct ExifTime: Equatable, Sendable {
    /// What the camera's clock showed, read as if it were UTC.
    package var clock: Timestamp?
    /// By how many minutes the camera believed its clock to be ahead of UTC.
    package var offset: Int?
    /// When satellites told the camera where it was.
    package var satellites: Timestamp?

    package init(clock: Timestamp? = nil, offset: Int? = nil, satellites: Timestamp? = nil) {
        self.clock = clock
        self.offset = offset
        self.satellites = satellites
    }

    /// By how many minutes the clock was ahead of UTC, where satellites prove it: a clock that is right in some zone is a
    /// whole number of quarter hours away from theirs.
    package var provenOffset: Int? {
        guard let clock, let satellites else { return nil }
        return Self.zone(ofClock: clock, at: satellites)
    }

    /// As far as the file alone tells: in UTC, or by a clock in no zone.
    package var moment: Timestamp? {
        clock.map { $0 + .seconds(-60 * (provenOffset ?? offset ?? 0)) } ?? satellites
    }

    /// In minutes; nothing where no zone explains the difference, as with a wrong clock, or with a place that a camera has
    /// remembered for hours.
    package static func zone(ofClock clock: Timestamp, at moment: Timestamp) -> Int? {
        let ahead = clock.milliseconds - moment.milliseconds
        guard abs(ahead) < 86_400_000 else { return nil }
        let quarters = (Double(ahead) / 900_000).rounded()
        let minutes = Int(quarters) * 15
        guard zones.contains(minutes), abs(ahead - Int64(quarters) * 900_000) <= closeEnough else {
            return nil
        }
        return minutes
    }

    /// From Baker Island to Kiritimati.
    package static let zones = -12 * 60...14 * 60
    /// In milliseconds. A wrong clock has no more than one chance in fifteen to pass for a right one elsewhere.
    private static let closeEnough: Int64 = 30_000
}

extension ExifTime {
    /// The time of the shutter; without one, when the picture was made into a file; without that, when the file was changed.
    init(_ directories: [TIFFReader.DirectoryOfTags], gps: TIFFReader.DirectoryOfTags?) {
        func text(_ tag: UInt16) -> String? { directories.lazy.compactMap { $0[tag]?.text }.first }
        satellites = gps.flatMap(Self.satellites)
        let told = Tag.times.map { (date: text($0.date), fraction: text($0.fraction), zone: text($0.zone)) }
        guard let index = told.firstIndex(where: { $0.date.flatMap(Self.civil) != nil }),
            let date = told[index].date, let civil = Self.civil(date)
        else { return }
        clock = Timestamp(
            milliseconds: civil.secondsSince1970 * 1000 + Self.milliseconds(told[index].fraction ?? ""))
        // What is said of another time holds for this one where both are the same, and where it can be of no other.
        let zones = [told[index]] + told.filter { $0.date == date || $0.date == nil }
        offset = zones.lazy.compactMap { $0.zone.flatMap(Self.zone) }.first
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

    /// "±HH:MM", in minutes.
    static func zone(_ text: String) -> Int? {
        if text == "Z" { return 0 }
        let digits = text.dropFirst().utf8.filter { $0 != UInt8(ascii: ":") }
        guard digits.count == 4, digits.allSatisfy({ (48...57).contains($0) }), text.utf8.count <= 6,
            let number = Int(String(decoding: digits, as: UTF8.self)), number % 100 < 60
        else { return nil }
        let minutes = number / 100 * 60 + number % 100
        switch text.first {
        case "+": return zones.contains(minutes) ? minutes : nil
        case "-": return zones.contains(-minutes) ? -minutes : nil
        default: return nil
        }
    }

    /// Decimals of a second, as many as the camera has.
    private static func milliseconds(_ text: String) -> Int64 {
        let digits = text.utf8.prefix { (48...57).contains($0) }.prefix(3)
        return zip(digits, [100, 10, 1]).reduce(0) { $0 + Int64($1.0 - 48) * Int64($1.1) }
    }

    /// "The time as UTC", in hours, minutes and seconds, beside "YYYY:MM:DD". A time without its date says nothing.
    private static func satellites(_ gps: TIFFReader.DirectoryOfTags) -> Timestamp? {
        guard let parts = gps[Tag.GPS.time]?.rationals(limit: 3), parts.count == 3,
            parts.allSatisfy({ (0...60).contains($0) }), parts[0] < 24,
            let date = gps[Tag.GPS.date]?.text, let civil = civil("\(date) 00:00:00")
        else { return nil }
        let seconds = parts[0] * 3600 + parts[1] * 60 + parts[2]
        return Timestamp(
            milliseconds: civil.secondsSince1970 * 1000 + Int64((seconds * 1000).rounded()))
    }
}
