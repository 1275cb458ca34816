/// Random bytes that cost nothing to read: one block, made once from a seed, looked into at many places.
///
/// Every photo fills itself up with a different stretch of it, so that photos are distinct and do not
/// compress, can be computed at any offset, and are copied at the speed of memory.
package final class Noise: Sendable {
    /// Larger than any stretch by far, and small enough to stay in a cache.
    static let size = 1 << 20

    private let bytes: [UInt8]

    /// What may be asked for in one go.
    static let longestStretch = 64 << 10

    package init(seed: UInt64) {
        var mixer = Mixer(seed)
        bytes = [UInt8](unsafeUninitializedCapacity: Noise.size + Noise.longestStretch) { memory, count in
            var raw = UnsafeMutableRawBufferPointer(memory)
            while raw.count >= 8 {
                raw.storeBytes(of: mixer.next(), as: UInt64.self)
                raw = UnsafeMutableRawBufferPointer(rebasing: raw[8...])
            }
            count = memory.count
        }
    }

    /// Fills `memory` with the part from `offset` on of the stretch that belongs to `key`.
    func fill(_ memory: UnsafeMutableRawBufferPointer, key: UInt64, at offset: Int) {
        let start = Int(truncatingIfNeeded: Mixer.mix(key) % UInt64(Noise.size))
        bytes.withUnsafeBytes {
            memory.copyMemory(
                from: UnsafeRawBufferPointer(rebasing: $0[(start + offset)...].prefix(memory.count)))
        }
    }
}

/// SplitMix64: numbers that follow from a seed alone.
public struct Mixer: RandomNumberGenerator, Sendable {
    private var state: UInt64

    public init(_ seed: UInt64) {
        state = seed
    }

    public mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        return Mixer.mix(state)
    }

    static func mix(_ value: UInt64) -> UInt64 {
        var mixed = value
        mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
        return mixed ^ (mixed >> 31)
    }
}
