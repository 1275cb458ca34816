package import Basics
package import Bridge
package import Camera
package import Digest
package import Store

/// Where photos are put while they arrive and once they are whole: the spool of a bridge, or a folder of an operator's.
/// Resuming, checking and trying again are the transfer's; only what happens to the file is the shelf's.
package protocol PhotoShelf: Sendable {
    /// What is missing for a photo of this size, in a sentence; nothing when there is room.
    func lack(ofRoomFor size: UInt64, of capture: CaptureID?) async throws(DiskError) -> String?

    /// Opens the partial file, with what of it can be gone on with.
    func open(_ capture: Capture, _ offer: Offer, mayResume: Bool) async throws(DiskError) -> IncomingPhoto

    /// Where the bytes go. `verified` is told how much of them is on the disk for certain.
    nonisolated func sink(
        _ incoming: IncomingPhoto, verified: @escaping @Sendable (UInt64) -> Void
    ) -> any PayloadSink

    /// What is kept from before goes through the hash first: the digest is of the file, not of what arrived.
    func hash(_ incoming: IncomingPhoto, into hasher: SHA256) async throws(DiskError)

    /// Some bytes of the partial file.
    func bytes(of incoming: IncomingPhoto, _ range: Range<UInt64>) async throws(DiskError) -> [UInt8]

    /// Counts, looks, makes durable and gives the final name, in this order.
    func finish(
        _ incoming: IncomingPhoto, _ order: FinishOrder, modified: Int64?
    ) async throws(DiskError) -> ShelfFinish

    /// What will not be gone on with need not take room.
    func discard(_ capture: CaptureID) async throws(DiskError)

    /// Removes a whole file that is not needed: a duplicate.
    func remove(_ file: String) async throws(DiskError)
}

extension Spool: PhotoShelf {
    package nonisolated func sink(
        _ incoming: IncomingPhoto, verified: @escaping @Sendable (UInt64) -> Void
    ) -> any PayloadSink {
        SpoolSink(incoming, verified: verified)
    }
}
