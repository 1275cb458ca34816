/// The answer to GetEvent: records, one behind the other, up to one of eight bytes that says nothing.
///
/// Never fails. "A size below 8 or beyond the data: stop. Unknown types: skip by size. Extra bytes after the terminator
/// exist; accept a missing data phase too."
public struct CanonEventList: Equatable, Sendable {
    /// One of them, with its number for people.
    public struct Record: Equatable, Sendable {
        public let type: UInt32
        public let event: CanonEvent
        /// Of the whole record, for people.
        public let length: Int
        /// The first numbers behind its head, for people.
        public let parameters: [UInt32]
    }

    public private(set) var records: [Record] = []
    /// Why what is behind the last record was not read, where that was not its end.
    public private(set) var problem: String?

    /// "GetEvent: at most some MiB." The first answers of a session hold every setting of the body.
    public static let longest = 2 << 20
    /// As many as fit into that, if each had eight bytes, are a quarter of a million; no body has told a hundredth of it.
    public static let mostRecords = 65_536
    private static let shownParameters = 5

    public init(decoding bytes: ArraySlice<UInt8>) {
        var records: [Record] = []
        problem = Self.read(bytes) { records.append($0) }
        self.records = records
    }

    /// One record after the other, for who need not have all of them at once. Gives why what is behind the last one was not
    /// read.
    public static func read(_ bytes: ArraySlice<UInt8>, _ each: (Record) -> Void) -> String? {
        var rest = bytes
        var count = 0
        while rest.count >= 8 {
            let size = Int(number(rest))
            let type = number(rest.dropFirst(4))
            if size == 8, type == 0 { return nil }
            guard size >= 8, size <= rest.count else {
                return "a record says that it has \(size) bytes, and \(rest.count) are left"
            }
            guard count < mostRecords else { return "there are more than \(mostRecords) records" }
            count += 1
            let record = rest.prefix(size)
            each(
                Record(
                    type: type, event: CanonEvent(type: type, record: record), length: size,
                    parameters: parameters(record.dropFirst(8))))
            rest = rest.dropFirst(size)
        }
        return nil
    }

    public var events: [CanonEvent] { records.map(\.event) }

    private static func parameters(_ payload: ArraySlice<UInt8>) -> [UInt32] {
        (0..<min(payload.count / 4, shownParameters)).map { number(payload.dropFirst(4 * $0)) }
    }

    private static func number(_ bytes: ArraySlice<UInt8>) -> UInt32 {
        bytes.prefix(4).reversed().reduce(0) { $0 << 8 | UInt32($1) }
    }
}
