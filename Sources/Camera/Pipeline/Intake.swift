import Link

/// The producer's end of a ``BufferRing``: gathers a photo's bytes into whole buffers, across packets and
/// across transactions. Belongs to the session and is used only on its executor.
final class Intake {
    let ring: BufferRing
    private let onMoved: @Sendable (UInt64) -> Void
    private var buffer: Buffer?
    private var used = 0
    /// Where in the object the buffer under way begins.
    private var offset: UInt64

    init(_ ring: BufferRing, from offset: UInt64, onMoved: @escaping @Sendable (UInt64) -> Void) {
        self.ring = ring
        self.offset = offset
        self.onMoved = onMoved
    }

    /// Where in the object the next byte belongs.
    var position: UInt64 { offset + UInt64(used) }

    /// Whether there is room now, or never will be.
    var isDecided: Bool { buffer != nil || ring.hasFree }

    func waitForRoom() async {
        if buffer == nil { await ring.waitForFree() }
    }

    /// The part of a buffer where the next bytes go. Nothing when a consumer has failed.
    func room() -> (buffer: Buffer, range: Range<Int>)? {
        if buffer == nil { buffer = ring.takeFree() }
        return buffer.map { ($0, used..<$0.capacity) }
    }

    /// `count` bytes have been put where ``room()`` said.
    func advance(_ count: Int) {
        used += count
        onMoved(UInt64(count))
        if used == buffer?.capacity { flush() }
    }

    /// Hands on what has been gathered, full or not.
    func flush() {
        guard let buffer, used > 0 else { return }
        ring.put(BufferRing.Load(buffer: buffer, count: used, offset: offset))
        offset += UInt64(used)
        used = 0
        self.buffer = nil
    }
}
