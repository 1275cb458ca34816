import PTP

/// How a camera cuts the data of a transaction into packets.
public enum Packetisation: Equatable, Sendable {
    /// Everything in one End Data, tens of megabytes included: Nikon.
    case oneEnd
    /// Data packets and an empty End Data: Canon, Sony.
    case dataThenEmptyEnd
    /// Data packets, and the last bytes in End Data: Theta.
    case dataThenEnd
    /// The same with packets of so many bytes.
    case bytes(Int)

    /// "64 KiB-class Data packets".
    static let usualSize = 64 << 10

    static let choices = "one-end|data-then-empty-end|data-then-end|BYTES"
    static let meaning =
        "one-end, data-then-empty-end, data-then-end or a number of bytes from 1 to 1073741824"

    public init?(_ text: String) {
        switch text {
        case "one-end": self = .oneEnd
        case "data-then-empty-end": self = .dataThenEmptyEnd
        case "data-then-end": self = .dataThenEnd
        default:
            guard let size = Int(text), (1...1 << 30).contains(size) else { return nil }
            self = .bytes(size)
        }
    }

    /// As a recorded camera did it; nothing where the recording does not say.
    init?(like lengths: [UInt32]) {
        guard let longest = lengths.max(), let last = lengths.last, longest > 0 else { return nil }
        if lengths.count == 1 {
            self = .oneEnd
        } else if last == 0 {
            self = .dataThenEmptyEnd
        } else {
            self = .bytes(Int(longest))
        }
    }

    /// One packet of the plan.
    package struct Part: Equatable, Sendable {
        package let length: Int
        package let isEnd: Bool
    }

    /// The packet that comes next when `left` bytes are left to send. End Data always comes last, once.
    package func next(left: UInt64) -> Part {
        switch self {
        case .oneEnd:
            // A packet's length field has 32 bits; more than that takes Data packets in front.
            let most = UInt64(PayloadHeader.longestPayload)
            return left > most ? Part(length: Int(most), isEnd: false) : Part(length: Int(left), isEnd: true)
        case .dataThenEmptyEnd:
            return left == 0
                ? Part(length: 0, isEnd: true)
                : Part(length: Int(min(left, UInt64(Self.usualSize))), isEnd: false)
        case .dataThenEnd:
            return Self.ending(left, Self.usualSize)
        case .bytes(let size):
            return Self.ending(left, size)
        }
    }

    private static func ending(_ left: UInt64, _ size: Int) -> Part {
        left > UInt64(size) ? Part(length: size, isEnd: false) : Part(length: Int(left), isEnd: true)
    }
}
