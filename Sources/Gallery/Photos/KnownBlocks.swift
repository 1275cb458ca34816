import Synchronization

/// Blocks of photos as searches have read them from a server of PostgreSQL, which would take longer to send them again than the
/// rest of a search takes. What is found here is right: a block that is made anew has another ``CandidateBlock``.
final class KnownBlocks: Sendable {
    private struct State {
        /// Those that were read or asked for lately, and those that were so before them: the older half goes first.
        var young: [CandidateBlock: [UInt8]] = [:]
        var old: [CandidateBlock: [UInt8]] = [:]
        /// Of the young ones.
        var size = 0

        mutating func keep(_ bytes: [UInt8], of block: CandidateBlock, half: Int) {
            guard bytes.count <= half else { return }
            if size + bytes.count > half { (old, young, size) = (young, [:], 0) }
            if young.updateValue(bytes, forKey: block) == nil { size += bytes.count }
        }
    }

    private let state = Mutex(State())
    private let half: Int

    /// In bytes: the blocks of some 350,000 photos.
    static let most = 32 << 20

    init(most: Int = KnownBlocks.most) { half = most / 2 }

    /// In their order; nothing for those that have to be read.
    func find(_ blocks: some Sequence<CandidateBlock>) -> [(block: CandidateBlock, bytes: [UInt8]?)] {
        state.withLock { state in
            blocks.map { block in
                if let bytes = state.young[block] { return (block, bytes) }
                guard let bytes = state.old[block] else { return (block, nil) }
                state.keep(bytes, of: block, half: half)
                return (block, bytes)
            }
        }
    }

    func keep(_ bytes: [UInt8], of block: CandidateBlock) {
        state.withLock { $0.keep(bytes, of: block, half: half) }
    }
}
