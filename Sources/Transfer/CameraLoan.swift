import Basics
import Bridge
package import Camera

/// A piece of work that waits for the camera.
struct CameraLoan {
    let work: @Sendable (any CameraDriver) async throws -> Void
    let continuation: CheckedContinuation<Result<Void, any Error>, Never>
}

/// Why a camera could not be lent.
package struct CameraNotConnected: Error, Equatable, CustomStringConvertible {
    let place: String
    let reason: String

    package var description: String { "\(place): \(reason)" }
}

extension CameraFailure {
    /// Whether nothing more can be asked in this connection.
    package var isEndOfConnection: Bool {
        switch trouble {
        case .connectionOver, .cancelled: true
        case .notNow, .unanswered, .gone, .startOver, .never, .taker: false
        }
    }
}
