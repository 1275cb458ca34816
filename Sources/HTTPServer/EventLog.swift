/// The messages of a feed, each under a number of its own: those that are remembered for clients that come back, and those
/// that a listener has yet to get.
struct EventLog {
    private struct Entry {
        let id: UInt64
        let subject: String?
        var bytes: [UInt8]
        var isTakenBack = false
        /// Of all messages before it.
        let bytesBefore: UInt64
    }

    /// How far a reader has come.
    struct Place: Equatable {
        /// The number of the message that comes next.
        var entry: UInt64
        /// So much of it has been sent.
        var offset = 0
    }

    /// What a reader gets next.
    enum Next: Equatable {
        case nothing
        case bytes(Portion)
        /// It is too far behind, or what it has half of was taken back.
        case lost
    }

    struct Portion: Equatable {
        let count: Int
        /// Where a reader stands that has sent all of it.
        let end: Place
        /// What the log was like.
        let version: Int
    }

    private var entries: [Entry] = []
    private var takenBack = 0
    private var bytes: UInt64 = 0
    private var version = 0
    /// The number of the first that is here.
    private(set) var first: UInt64 = 0
    /// Every message up to this id is known to a client that has it, or is here.
    private(set) var forgottenUpTo: UInt64
    private(set) var last: UInt64

    init(behind last: UInt64) {
        forgottenUpTo = last
        self.last = last
    }

    /// A client that knows what came up to that id misses nothing either; one that knows less may.
    mutating func begin(behind id: UInt64) {
        forgottenUpTo = max(forgottenUpTo, id)
        last = max(last, id)
    }

    var count: Int { entries.count - takenBack }
    /// The number of the message that will come next.
    var end: UInt64 { first + UInt64(entries.count) }

    mutating func append(_ event: ServerEvent) {
        precondition(event.id > last, "the ids of a feed only grow")
        let wire = event.wire
        entries.append(Entry(id: event.id, subject: event.subject, bytes: wire, bytesBefore: bytes))
        bytes += UInt64(wire.count)
        last = event.id
    }

    /// No reader gets them from now on.
    mutating func takeBack(_ subject: String) {
        version += 1
        for index in entries.indices where entries[index].subject == subject && !entries[index].isTakenBack {
            entries[index].bytes = []
            entries[index].isTakenBack = true
            takenBack += 1
        }
    }

    /// The oldest ones, but for those from `unread` on.
    mutating func forget(butFor remembered: Int, unread: UInt64) {
        var gone = 0
        var left = count
        while gone < entries.count, first + UInt64(gone) < unread,
            entries[gone].isTakenBack || left > remembered
        {
            if entries[gone].isTakenBack { takenBack -= 1 } else { left -= 1 }
            gone += 1
        }
        guard gone > 0 else { return }
        forgottenUpTo = entries[gone - 1].id
        entries.removeFirst(gone)
        first += UInt64(gone)
    }

    // MARK: Reading

    /// The number of the first message that a client with that id has not got; nothing where it may have missed some.
    func entry(after id: UInt64) -> UInt64? {
        guard id >= forgottenUpTo, id <= last else { return nil }
        // They are in the order of their ids, and most clients have missed few.
        var index = entries.count
        while index > 0, entries[index - 1].id > id { index -= 1 }
        return first + UInt64(index)
    }

    /// How much has yet to be sent from there; nothing where that is not here any more.
    func bytesWaiting(from place: Place) -> Int? {
        guard place.entry >= first else { return nil }
        guard place.entry < end else { return 0 }
        return Int(bytes - entries[Int(place.entry - first)].bytesBefore) - place.offset
    }

    /// Fills memory with what follows a place, up to a message that is no part of it.
    func read(
        from place: Place, to stop: UInt64?, mostWaiting: Int, into memory: UnsafeMutableRawBufferPointer
    ) -> Next {
        guard let waiting = bytesWaiting(from: place), waiting <= mostWaiting else { return .lost }
        let stop = min(stop ?? end, end)
        var place = place
        var filled = 0
        while place.entry < stop, filled < memory.count {
            let entry = entries[Int(place.entry - first)]
            if place.offset > 0, entry.isTakenBack { return .lost }
            let count = min(memory.count - filled, entry.bytes.count - place.offset)
            entry.bytes.withUnsafeBytes { bytes in
                memory[filled..<filled + count].copyBytes(from: bytes[place.offset..<place.offset + count])
            }
            filled += count
            place.offset += count
            if place.offset == entry.bytes.count { place = Place(entry: place.entry + 1) }
        }
        return filled == 0 ? .nothing : .bytes(Portion(count: filled, end: place, version: version))
    }

    /// Where a reader stands that has sent so much of what it read there. Nothing where that cannot be told, because
    /// messages were taken back meanwhile.
    func place(after count: Int, of portion: Portion, from place: Place) -> Place? {
        if count == portion.count { return portion.end }
        guard version == portion.version, place.entry >= first else { return nil }
        var place = place
        var left = count
        while left > 0 {
            let size = entries[Int(place.entry - first)].bytes.count
            guard left >= size - place.offset else {
                place.offset += left
                return place
            }
            left -= size - place.offset
            place = Place(entry: place.entry + 1)
        }
        return place
    }
}
