package import Bridge
import Posix
import Synchronization

/// The photo whose bytes are coming from a camera at this moment, for those who show it.
package struct ReceivedPhoto: Equatable, Sendable {
    package let capture: CaptureID
    /// Its path on the camera.
    package let name: String
    /// Nothing where the camera does not say it yet.
    package let size: UInt64?
    /// With what was kept from an earlier try.
    package let done: UInt64

    /// When its first byte was about to come.
    struct Beginning: Sendable {
        let capture: CaptureID
        let name: String
        let size: UInt64?
        let kept: UInt64
        /// All that had come from the body by then.
        let heard: UInt64
    }
}

extension CameraTransfer {
    /// From any thread.
    package nonisolated var receiving: ReceivedPhoto? {
        guard let beginning = receivingNow.withLock({ $0 }) else { return nil }
        let come = heard.value - min(heard.value, beginning.heard)
        return ReceivedPhoto(
            capture: beginning.capture, name: beginning.name, size: beginning.size,
            done: beginning.kept + come)
    }

    /// Nothing when it has come, or comes no more.
    nonisolated func note(receiving order: FetchOrder?, from kept: UInt64 = 0) {
        let beginning = order.map { order in
            ReceivedPhoto.Beginning(
                capture: order.capture.id, name: order.offer.identity.path,
                size: order.offer.hasFinalSize ? order.offer.identity.size : nil, kept: kept,
                heard: heard.value)
        }
        receivingNow.withLock { $0 = beginning }
    }
}
