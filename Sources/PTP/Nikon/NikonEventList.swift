/// What a Nikon has to tell when it is asked: the answer to GetEvent (0x90C7) or GetEventEx (0x941C).
public struct NikonEventList: Equatable, Sendable {
    public struct Record: Equatable, Sendable {
        public var code: EventCode
        public var parameters: [UInt32]

        public init(_ code: EventCode, _ parameters: [UInt32] = []) {
            self.code = code
            self.parameters = parameters
        }
    }

    public enum Layout: Equatable, Sendable {
        /// GetEvent: a count of 16 bits, then a code and one parameter each.
        case short
        /// GetEventEx: a count, then a code, a count of parameters, and these.
        case extended
    }

    public var records: [Record]
    /// What stands between the count and the first event of an ``Layout/extended`` list: zero in every list that is known.
    public private(set) var gap: UInt16 = 0

    /// More than a body has to tell between two questions: what claims more is no list of events.
    public static let mostRecords = 2048
    /// "PTP events have five parameters at the most."
    public static let mostParameters = 5
    /// A list of the longest kind.
    public static let mostBytes = 4 + mostRecords * (4 + 4 * mostParameters)

    public init(_ records: [Record] = []) {
        self.records = records
    }

    /// A list that claims more than there is tells nothing. A body may leave out the data where there is nothing to tell.
    public init(decoding bytes: ArraySlice<UInt8>, _ layout: Layout) throws(Malformed) {
        guard !bytes.isEmpty else {
            records = []
            return
        }
        (records, gap) =
            switch layout {
            case .short:
                try PTP.decoding("Nikon GetEvent", bytes) { reader throws(ReadFailure) in
                    (try Self.short(&reader), 0)
                }
            case .extended:
                try PTP.decoding("Nikon GetEventEx", bytes) { reader throws(ReadFailure) in
                    try Self.extended(&reader)
                }
            }
    }

    private static func short(_ reader: inout ByteReader) throws(ReadFailure) -> [Record] {
        let count = try count(&reader, each: 6)
        var records: [Record] = []
        records.reserveCapacity(count)
        for _ in 0..<count {
            let code: UInt16 = try reader.integer("EventCode")
            records.append(Record(EventCode(rawValue: code), [try reader.integer("EventParameter")]))
        }
        return records
    }

    private static func extended(_ reader: inout ByteReader) throws(ReadFailure) -> ([Record], gap: UInt16) {
        let count = try count(&reader, each: 4)
        // Whether the count has 16 bits and a gap behind it, or 32: below 65,536 it is the same.
        let gap: UInt16 = reader.isAtEnd ? 0 : try reader.integer("gap")
        var records: [Record] = []
        records.reserveCapacity(count)
        for _ in 0..<count {
            let code: UInt16 = try reader.integer("EventCode")
            let offset = reader.offset
            let parameters: UInt16 = try reader.integer("ParameterCount")
            guard parameters <= mostParameters else {
                throw ReadFailure(
                    field: "ParameterCount", offset: offset,
                    problem: .tooMany(count: UInt64(parameters), limit: UInt64(mostParameters)))
            }
            var record = Record(EventCode(rawValue: code))
            for _ in 0..<parameters { record.parameters.append(try reader.integer("EventParameter")) }
            records.append(record)
        }
        return (records, gap)
    }

    private static func count(_ reader: inout ByteReader, each: Int) throws(ReadFailure) -> Int {
        let offset = reader.offset
        let count: UInt16 = try reader.integer("EventCount")
        let limit = min(mostRecords, reader.remaining / each)
        guard count <= limit else {
            throw ReadFailure(
                field: "EventCount", offset: offset,
                problem: .tooMany(count: UInt64(count), limit: UInt64(limit)))
        }
        return Int(count)
    }

    public func encoded(_ layout: Layout) -> [UInt8] {
        let records = records.prefix(Self.mostRecords)
        var writer = ByteWriter(reserving: 4 + 8 * records.count)
        writer.append(UInt16(records.count))
        if layout == .extended { writer.append(gap) }
        for record in records {
            writer.append(record.code.rawValue)
            switch layout {
            case .short: writer.append(record.parameters.first ?? 0)
            case .extended:
                let parameters = record.parameters.prefix(Self.mostParameters)
                writer.append(UInt16(parameters.count))
                for parameter in parameters { writer.append(parameter) }
            }
        }
        return writer.bytes
    }
}
