/// One at a time, in order of arrival. Belongs to an actor and is used only on it.
final class AsyncLock {
    private var isTaken = false
    private var waiting: [CheckedContinuation<Void, Never>] = []

    /// Looks and lies down in one step: awaiting may let others run on the actor first, before anything is registered.
    func enter() async {
        await withCheckedContinuation { continuation in
            if isTaken {
                waiting.append(continuation)
            } else {
                isTaken = true
                continuation.resume()
            }
        }
    }

    /// The lock goes straight to the task that waited longest, so that no other slips in between.
    func leave() {
        if waiting.isEmpty {
            isTaken = false
        } else {
            waiting.removeFirst().resume()
        }
    }
}
