/// A block that may hold what is looked for, and what tells it from what was made of the same photos before.
struct CandidateBlock: Hashable {
    let id: Int64
    /// The place of its latest photo.
    let last: Int64
    /// Which made it. A file's blocks are not told apart: nothing of them is kept.
    var transaction: UInt32 = 0
    /// The server's. What a primary of before had done and its standby had not, the new one does differently.
    var timeline: Int64 = 0

    /// How many bytes a list has for each.
    private static let length = 8 + 8 + 4

    /// Of a list of the first three of each, the latest first.
    static func all(_ list: [UInt8], timeline: Int64) -> [CandidateBlock] {
        let blocks = list.withUnsafeBytes { memory in
            (0..<memory.count / length).map { number in
                func read<Number: FixedWidthInteger>(_ offset: Int, _: Number.Type) -> Number {
                    let place = number * length + offset
                    return Number(bigEndian: memory.loadUnaligned(fromByteOffset: place, as: Number.self))
                }
                return CandidateBlock(
                    id: read(0, Int64.self), last: read(8, Int64.self), transaction: read(16, UInt32.self),
                    timeline: timeline)
            }
        }
        return sorted(blocks)
    }

    /// Of a list of the first two of each, in words.
    static func all(_ list: String) -> [CandidateBlock] {
        var numbers: [Int64] = []
        var (number, isNegative): (Int64?, Bool) = (nil, false)
        func end() {
            if let number { numbers.append(isNegative ? 0 &- number : number) }
            (number, isNegative) = (nil, false)
        }
        for byte in list.utf8 {
            switch byte {
            case UInt8(ascii: "0")...UInt8(ascii: "9"):
                number = (number ?? 0) &* 10 &+ Int64(byte - UInt8(ascii: "0"))
            case UInt8(ascii: "-"): isNegative = true
            default: end()
            }
        }
        end()
        return sorted(
            stride(from: 0, to: numbers.count - 1, by: 2).map {
                CandidateBlock(id: numbers[$0], last: numbers[$0 + 1])
            })
    }

    private static func sorted(_ blocks: [CandidateBlock]) -> [CandidateBlock] {
        blocks.sorted { ($0.last, $0.id) > ($1.last, $1.id) }
    }
}
