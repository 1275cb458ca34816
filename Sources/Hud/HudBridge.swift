package import Basics
package import Bridge

/// What a view asks of the bridge that it shows. None of it may block: it is asked from a thread that serves browsers.
package protocol HudBridge: Sendable {
    func status() async throws -> BridgeStatus
    /// As Prometheus reads it.
    func metrics() async throws -> String
    /// Those that were begun again.
    func retry(_ jobs: [JobID]) async throws -> [JobID]
    /// Those that were cancelled.
    func cancel(_ jobs: [JobID]) async throws -> [JobID]
    func pause(_ isPaused: Bool) async throws
    /// What is said of a photo at each gallery that it goes to, as it is known here, and what a gallery does not have yet or has
    /// not taken.
    func marks(of photo: CaptureID) async throws -> JSONValue
    /// Durable when it returns, uplink or not. Fails with ``HudMarkRefused`` where there is no gallery to say it to.
    func mark(_ photo: CaptureID, _ mark: HudMark) async throws
    /// An edit that was not taken, made again or forgotten. False where there is none of that number.
    func settle(_ edit: Int64, again: Bool) async throws -> Bool
}
