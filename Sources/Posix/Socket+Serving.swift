import Glibc

/// A listening socket that is served connection by connection.
extension Socket {
    /// Before the next try, where accepting has failed: too many files are open.
    private static let pause = Duration.milliseconds(200)

    /// Serves every peer that connects until the task is cancelled or this is closed, and then listens no more. Each
    /// connection is a task on the reactor of its own, at most `most` at a time; the others wait in the kernel.
    package func serve(
        on reactor: Reactor, atMost most: Int, _ converse: @escaping @Sendable (Socket) async -> Void
    ) async {
        await withTaskGroup(of: Void.self) { group in
            var places = most
            while let accepted = await accept(on: reactor) {
                group.addTask(executorPreference: reactor) {
                    await converse(accepted)
                    accepted.close(reset: false, reactor)
                }
                places -= 1
                if places == 0 {
                    await group.next()
                    places += 1
                }
            }
            group.cancelAll()
        }
        close(reset: false, reactor)
    }

    /// Nothing when it is over.
    private func accept(on reactor: Reactor) async -> Socket? {
        while !Task.isCancelled {
            switch accept() {
            case .accepted(let accepted):
                return accepted
            case .wouldBlock:
                switch await reactor.waitReadable(descriptor, until: nil) {
                case .ready, .deadline: break
                case .closed, .cancelled: return nil
                }
            case .closedHere:
                return nil
            case .failed(let number):
                if SystemError.ConnectionKind(number) == .connectionBroken { continue }
                do {
                    try await reactor.sleep(until: reactor.now + Self.pause)
                } catch {
                    return nil
                }
            }
        }
        return nil
    }
}
