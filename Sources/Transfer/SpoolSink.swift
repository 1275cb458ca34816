import Basics
import Camera
import Store
import Synchronization

/// The end of a fetch: a partial file in the spool, which is brought to the disk every so often, so that a power cut
/// in the middle of a video does not cost all of it.
final class SpoolSink: PayloadSink {
    /// Written between two syncs. Most photos are smaller and are synced once, when they are whole.
    static let interval: UInt64 = 16 << 20

    private let file: any DiskFile
    private let verified: @Sendable (UInt64) -> Void
    private let unsynced = Mutex<UInt64>(0)

    /// `verified` is told how much of the file is on the disk for certain.
    init(_ incoming: IncomingPhoto, verified: @escaping @Sendable (UInt64) -> Void) {
        file = incoming.file
        self.verified = verified
    }

    func write(_ bytes: UnsafeRawBufferPointer, at offset: UInt64) throws {
        try file.write(bytes.bytes, at: offset)
        let isDue = unsynced.withLock { unsynced in
            unsynced += UInt64(bytes.count)
            guard unsynced >= Self.interval else { return false }
            unsynced = 0
            return true
        }
        guard isDue else { return }
        try file.syncData()
        verified(offset + UInt64(bytes.count))
    }
}
