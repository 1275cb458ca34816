import Synchronization

/// Jobs that wait for a worker, in order of arrival, and workers that wait for a job.
final class WorkerQueue<Job: WorkerJob>: Sendable {
    struct Order: Sendable {
        let job: Job
        let answer: CheckedContinuation<Result<Job.Answer, Job.Problem>, Never>
    }

    private struct State {
        var orders: [Order] = []
        var takers: [CheckedContinuation<Order?, Never>] = []
        var isClosed = false
    }

    private let state = Mutex(State())

    func wait(for job: Job) async throws(Job.Problem) -> Job.Answer {
        let result = await withCheckedContinuation { answer in
            let order = Order(job: job, answer: answer)
            let (taker, isClosed) = state.withLock { state -> (CheckedContinuation<Order?, Never>?, Bool) in
                if state.isClosed { return (nil, true) }
                if let taker = state.takers.popLast() { return (taker, false) }
                state.orders.append(order)
                return (nil, false)
            }
            if isClosed { answer.resume(returning: .failure(Job.problem(.stopped))) }
            taker?.resume(returning: order)
        }
        return try result.get()
    }

    /// Nothing once it is closed.
    func next() async -> Order? {
        await withCheckedContinuation { taker in
            let (order, isClosed) = state.withLock { state -> (Order?, Bool) in
                if state.isClosed { return (nil, true) }
                if !state.orders.isEmpty { return (state.orders.removeFirst(), false) }
                state.takers.append(taker)
                return (nil, false)
            }
            if order != nil || isClosed { taker.resume(returning: order) }
        }
    }

    /// What waits is told so, and what comes later.
    func close() {
        let (orders, takers) = state.withLock { state in
            defer { (state.orders, state.takers, state.isClosed) = ([], [], true) }
            return (state.orders, state.takers)
        }
        for order in orders { order.answer.resume(returning: .failure(Job.problem(.stopped))) }
        for taker in takers { taker.resume(returning: nil) }
    }
}
