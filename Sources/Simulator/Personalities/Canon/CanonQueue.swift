import PTP

/// What there is to tell, until it is asked for.
struct CanonQueue: Sendable {
    static let availableShots: UInt32 = 0xD11B
    /// Something that every EOS has, and clients look for.
    private static let liveViewOutput: UInt32 = 0xD1B0
    /// In the first answer: every setting of the body.
    private static let settings: UInt32 = 200
    /// A client that never asks costs no more than this.
    private static let mostBytes = 4 << 20
    /// What one answer brings.
    private static let mostInAnswer = 64 << 10

    private var records: [[UInt8]] = []
    private var bytes = 0

    mutating func append(_ record: [UInt8]) {
        guard bytes + record.count <= Self.mostBytes else { return }
        bytes += record.count
        records.append(record)
    }

    /// "The first answers are large: all properties."
    mutating func begin(_ destination: CanonDestination) {
        append(CanonRecords.property(CanonDestination.property, destination.rawValue))
        append(CanonRecords.choice(CanonDestination.property, [2, 4, 6]))
        append(CanonRecords.property(Self.availableShots, 1000))
        append(CanonRecords.property(Self.liveViewOutput, 0))
        for number in 0..<Self.settings { append(CanonRecords.property(0xD300 + number, number)) }
    }

    mutating func take() -> [UInt8] {
        var answer: [UInt8] = []
        var count = 0
        for record in records {
            guard answer.count + record.count <= Self.mostInAnswer else { break }
            answer += record
            count += 1
        }
        records.removeFirst(count)
        bytes -= answer.count
        return answer
    }
}
