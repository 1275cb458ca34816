import Basics

/// All photos that guests see of an event, the latest first, with no more of each than a page needs to lay it out: some
/// twenty bytes. What changes is applied to it, so that an event of 50,000 photos is read once.
struct Timeline: Sendable {
    struct Entry: Equatable, Sendable {
        /// As a list is in order of it; see ``PhotoCursor``.
        let moment: Int64
        let sequence: Int64
        /// Since 1970, on the event's clock.
        let hour: Int64?
        /// In twelfths; see ``PagePhoto/shape(width:height:)``.
        let shape: UInt8

        func isBefore(_ other: Entry) -> Bool {
            (moment, sequence) > (other.moment, other.sequence)
        }
    }

    /// A photo as it is after a change.
    struct Change: Sendable {
        let sequence: Int64
        /// Nothing when guests do not see it.
        let entry: Entry?
    }

    private(set) var entries: [Entry] = []

    /// As they were read, in their order.
    mutating func append(_ more: [Entry]) { entries += more }

    /// Those of these changes that are about what is in it, or comes into it.
    func affecting(_ changes: [Change]) -> [Change] {
        guard changes.contains(where: { $0.entry == nil }) else { return changes }
        let known = Set(entries.map(\.sequence))
        return changes.filter { $0.entry != nil || known.contains($0.sequence) }
    }

    mutating func apply(_ changes: [Change]) {
        guard !changes.isEmpty else { return }
        let changed = Set(changes.map(\.sequence))
        let added = changes.compactMap(\.entry).sorted { $0.isBefore($1) }
        var merged: [Entry] = []
        merged.reserveCapacity(entries.count + added.count)
        var next = added[...]
        for entry in entries where !changed.contains(entry.sequence) {
            while let first = next.first, first.isBefore(entry) {
                merged.append(first)
                next.removeFirst()
            }
            merged.append(entry)
        }
        entries = merged + next
    }

    // MARK: As the page asks for it

    /// The page asks for so many photos at once: some screens of a phone, one of a large one.
    static let piece = 100
    /// An event that spans more hours than this has cameras whose clocks are wrong; the last has all that is left.
    static let mostHours = 5000

    /// `last` is the sequence of the last photo that had come when it was read.
    func json(last: Int64) -> JSONValue {
        let ends = stride(from: 0, to: entries.count, by: Self.piece).map { start in
            position(min(start + Self.piece, entries.count) - 1)
        }
        let shapes = entries.map { Self.letters[Int($0.shape) - PagePhoto.shapes.lowerBound] }
        var hours = HourRuns()
        for entry in entries { hours.add(hour: entry.hour) }
        return [
            "count": .integer(Int64(entries.count)), "last": .integer(last),
            "hours": .array(hours.runs.map { json($0) }), "piece": .integer(Int64(Self.piece)),
            "ends": .array(ends), "shapes": .string(String(decoding: shapes, as: UTF8.self)),
        ]
    }

    private func json(_ run: HourRun) -> JSONValue {
        let first = run.photos.lowerBound
        return [
            "hour": run.text.json, "count": .integer(Int64(run.photos.count)),
            "cursor": first == 0 ? .null : position(first - 1),
        ]
    }

    private func position(_ place: Int) -> JSONValue {
        let entry = entries[place]
        return .string(PhotoCursor(Timestamp(milliseconds: entry.moment), entry.sequence).text)
    }

    /// One for each shape, as numbers of base 36 are written.
    private static let letters = Array("0123456789abcdefghijklmnopqrstu".utf8)
}

/// Photos that stand one after the other in a list and were taken in one hour.
struct HourRun: Equatable, Sendable {
    /// Since 1970, on the event's clock; nothing above the first photo that has a time.
    let hour: Int64?
    var photos: Range<Int>

    /// "2026-11-21T21:00".
    var text: String? {
        hour.map { String(CivilTime.rfc3339(milliseconds: $0 * 3_600_000).prefix { $0 != "Z" }.dropLast(7)) }
    }
}

/// A list, the latest first, cut where an earlier hour begins.
///
/// Hours only go back: a photo without a time, or one that a clock shows later than those above it (as where clocks were set
/// back, or cameras were in different zones), belongs to the hour that it stands in. So there is one heading for an hour.
struct HourRuns: Sendable {
    private(set) var runs: [HourRun] = []

    mutating func add(hour: Int64?) {
        let place = runs.last?.photos.upperBound ?? 0
        if let last = runs.indices.last, !begins(hour, below: runs[last].hour) {
            runs[last].photos = runs[last].photos.lowerBound..<place + 1
        } else {
            runs.append(HourRun(hour: hour, photos: place..<place + 1))
        }
    }

    private func begins(_ hour: Int64?, below last: Int64?) -> Bool {
        guard let hour, runs.count < Timeline.mostHours else { return false }
        return last.map { hour < $0 } ?? true
    }
}

extension Timestamp {
    /// Since 1970, of what a clock showed; before that, rounded down as well.
    var hours: Int64 {
        let (whole, rest) = milliseconds.quotientAndRemainder(dividingBy: 3_600_000)
        return rest < 0 ? whole - 1 : whole
    }
}
