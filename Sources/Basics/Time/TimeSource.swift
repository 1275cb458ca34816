/// Time that only goes forward, handed in as an argument: the real clock in the programs, a clock under
/// a test's thumb in the tests. A moment is the `Duration` since an origin that means nothing.
public protocol TimeSource: Sendable {
    var now: Duration { get }

    /// Returns when `deadline` has passed. Throws when the task is cancelled before.
    func sleep(until deadline: Duration) async throws(CancellationError)
}
