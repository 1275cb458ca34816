package import Bridge
import Synchronization

/// How far each delivery is that sends bytes at this moment. Told from the threads that send, read from any.
package final class PhotosUnderWay: Sendable {
    package struct Delivery: Equatable, Sendable {
        package let job: Job
        /// Bytes of this try; what was sent twice is in it twice.
        package var sent: UInt64
    }

    private struct State {
        var deliveries: [JobID: Delivery] = [:]
        var total: UInt64 = 0
    }

    private let state = Mutex(State())

    package init() {}

    func begin(_ job: Job) {
        state.withLock { $0.deliveries[job.id] = Delivery(job: job, sent: 0) }
    }

    package func moved(_ count: UInt64, of job: JobID) {
        state.withLock { state in
            state.total &+= count
            state.deliveries[job]?.sent &+= count
        }
    }

    func end(_ job: JobID) {
        state.withLock { $0.deliveries[job] = nil }
    }

    /// In the order of their jobs.
    package var all: [Delivery] {
        state.withLock { $0.deliveries.values.sorted { $0.job.id < $1.job.id } }
    }

    /// Bytes of all deliveries, also of those that have ended.
    package var total: UInt64 { state.withLock { $0.total } }
}
