import Basics

/// What is counted in the database for `/metrics`: once for all that ask at the same time, and left out where the database does
/// not answer soon. A reading that hangs is waited for by nothing but the next that asks.
actor RowFigures {
    struct Values: Equatable, Sendable {
        let totals: GalleryStore.Totals
        /// Nothing where nothing waits.
        let oldestArrival: Int64?

        init(_ totals: GalleryStore.Totals, oldestArrival: Int64?) {
            self.totals = totals
            self.oldestArrival = oldestArrival
        }
    }

    private var isReading = false
    private var listeners: [AsyncStream<Values>.Continuation] = []

    func values(
        within patience: Duration, of time: any TimeSource,
        _ read: @escaping @Sendable () async throws -> Values
    ) async -> Values? {
        let (answers, listener) = AsyncStream.makeStream(
            of: Values.self, bufferingPolicy: .bufferingNewest(1))
        listeners.append(listener)
        if !isReading {
            isReading = true
            Task {
                do {
                    end(with: try await read())
                } catch {
                    // That it failed is what is told.
                    end(with: nil)
                }
            }
        }
        return await withTaskGroup(of: Values?.self) { group in
            group.addTask { await answers.first { _ in true } }
            group.addTask {
                do {
                    try await time.sleep(until: time.now + patience)
                } catch {
                    // The other was first.
                    return nil
                }
                return nil
            }
            defer { group.cancelAll() }
            return await group.next() ?? nil
        }
    }

    private func end(with values: Values?) {
        isReading = false
        for listener in listeners {
            if let values { listener.yield(values) }
            listener.finish()
        }
        listeners = []
    }
}
