/// Reads a message from the front. Every count and length is checked before anything is made of it.
struct DNSReader {
    private let bytes: [UInt8]
    private var position = 0

    init(_ bytes: [UInt8]) throws(DNSMessage.Malformed) {
        guard bytes.count <= DNSMessage.largest else {
            throw DNSMessage.Malformed(
                description: "its \(bytes.count) bytes are more than a message may have")
        }
        self.bytes = bytes
    }

    mutating func message() throws(DNSMessage.Malformed) -> (
        isResponse: Bool, questions: [DNSMessage.Question], records: [DNSMessage.Record]
    ) {
        _ = try number()
        let flags = try number()
        // "messages received with non-zero opcodes … and non-zero response codes MUST be silently ignored"
        // (RFC 6762 §18.3, §18.11): for us such a message is none.
        guard flags & 0x780F == 0 else { throw malformed("it is neither a query nor an answer") }
        var counts: [Int] = []
        for _ in 0..<4 { counts.append(Int(try number())) }
        let count = counts.reduce(0, +)
        guard count <= DNSMessage.mostEntries else { throw malformed("it says that it has \(count) entries") }
        var questions: [DNSMessage.Question] = []
        for _ in 0..<counts[0] {
            let question = DNSMessage.Question(try name(), try number())
            _ = try number()
            questions.append(question)
        }
        var records: [DNSMessage.Record] = []
        for (section, count) in counts.enumerated().dropFirst() {
            for _ in 0..<count {
                guard let record = try self.record(), section != Self.authority else { continue }
                records.append(record)
            }
        }
        return (flags & 0x8000 != 0, questions, records)
    }

    private static let authority = 2

    /// Nothing for a record of another class than the internet's.
    private mutating func record() throws(DNSMessage.Malformed) -> DNSMessage.Record? {
        let owner = try name()
        let type = try number()
        // The top bit says that others are to forget what they had (RFC 6762 §10.2).
        let classNumber = try number() & 0x7FFF
        let timeToLive = UInt32(try number()) << 16 | UInt32(try number())
        let size = Int(try number())
        guard size <= bytes.count - position else { throw malformed("a record ends behind the message") }
        let end = position + size
        let data = try self.data(type, end)
        guard position <= end else { throw malformed("a name goes on behind its record") }
        position = end
        guard classNumber == DNSMessage.internet else { return nil }
        return DNSMessage.Record(name: owner, timeToLive: timeToLive, data: data)
    }

    private mutating func data(_ type: UInt16, _ end: Int) throws(DNSMessage.Malformed) -> DNSMessage.Data {
        switch type {
        case DNSMessage.pointerType:
            return .pointer(try name())
        case DNSMessage.serviceType:
            // Priority and weight: one camera is one server.
            _ = try number()
            _ = try number()
            let port = try number()
            return .service(host: try name(), port: port)
        case DNSMessage.addressType:
            guard end - position == 4 else { throw malformed("an address has \(end - position) bytes") }
            return .address(Array(bytes[position..<end]))
        default:
            return .other(type: type)
        }
    }

    /// A pointer of the compression leads to "a prior occurrence" (RFC 1035 §4.1.4): in front of everything that has
    /// been read of this name, so that it cannot come back.
    private mutating func name() throws(DNSMessage.Malformed) -> DNSName {
        var labels: [[UInt8]] = []
        var size = 1
        var index = position
        var lowest = position
        var end: Int?
        while true {
            guard index < bytes.count else { throw malformed("a name does not end") }
            let length = Int(bytes[index])
            switch length {
            case 0:
                position = end ?? index + 1
                guard let name = DNSName(labels: labels) else { throw malformed("a name is too long") }
                return name
            case 1...DNSName.longestLabel:
                size += length + 1
                guard size <= DNSName.longest else { throw malformed("a name is too long") }
                guard index + 1 + length <= bytes.count else { throw malformed("a name does not end") }
                labels.append(Array(bytes[(index + 1)..<(index + 1 + length)]))
                index += length + 1
            case 0xC0...:
                guard index + 1 < bytes.count else { throw malformed("a name does not end") }
                let target = (length & 0x3F) << 8 | Int(bytes[index + 1])
                guard target < lowest else { throw malformed("a name's pointer does not lead backwards") }
                end = end ?? index + 2
                lowest = target
                index = target
            default:
                throw malformed("a label is of a kind that there is not")
            }
        }
    }

    private mutating func number() throws(DNSMessage.Malformed) -> UInt16 {
        guard position + 2 <= bytes.count else { throw malformed("it ends too early") }
        defer { position += 2 }
        return UInt16(bytes[position]) << 8 | UInt16(bytes[position + 1])
    }

    private func malformed(_ why: String) -> DNSMessage.Malformed {
        DNSMessage.Malformed(description: "a message of mDNS makes no sense at byte \(position): \(why)")
    }
}
