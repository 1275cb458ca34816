public import Basics
import Synchronization

/// A small generator whose whole future follows from its seed (SplitMix64), so that a failing case is
/// named by one number.
public struct Seeded: RandomNumberGenerator, Sendable {
    private var state: UInt64

    public init(_ seed: UInt64) {
        state = seed
    }

    public mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var mixed = state
        mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
        return mixed ^ (mixed >> 31)
    }

    public mutating func chance(_ percent: Int) -> Bool {
        Int.random(in: 0..<100, using: &self) < percent
    }

    public mutating func bytes(_ count: Int) -> [UInt8] {
        (0..<count).map { _ in UInt8.random(in: .min ... .max, using: &self) }
    }
}

/// SystemRandomSource for what is tested, which follows from its seed.
public final class SeededSource: RandomSource {
    private let state: Mutex<Seeded>

    public init(_ seed: UInt64) {
        state = Mutex(Seeded(seed))
    }

    public func next() -> UInt64 { state.withLock { $0.next() } }
}
