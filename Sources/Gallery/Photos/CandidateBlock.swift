/// A block that may hold what is looked for.
struct CandidateBlock: Equatable {
    let id: Int64
    /// The place of its latest photo.
    let last: Int64

    /// Of a list of both, eight bytes each, the latest first.
    static func all(_ list: [UInt8]) -> [CandidateBlock] {
        let numbers = list.withUnsafeBytes { memory in
            (0..<memory.count / 8).map {
                Int64(bigEndian: memory.loadUnaligned(fromByteOffset: 8 * $0, as: Int64.self))
            }
        }
        return paired(numbers)
    }

    /// The same in words.
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
        return paired(numbers)
    }

    private static func paired(_ numbers: [Int64]) -> [CandidateBlock] {
        stride(from: 0, to: numbers.count - 1, by: 2)
            .map { CandidateBlock(id: numbers[$0], last: numbers[$0 + 1]) }
            .sorted { ($0.last, $0.id) > ($1.last, $1.id) }
    }
}
