import Synchronization

/// A queue from any number of tasks to one reader, which waits for more.
///
/// Its length is the poster's business: what is posted here answers something that was bounded before.
package final class Mailbox<Element: Sendable>: Sendable {
    private struct State {
        var elements: [Element] = []
        var isClosed = false
    }

    private let state = Mutex(State())
    private let signal = Signal()

    package init() {}

    /// What is posted after the end goes nowhere.
    package func post(_ element: Element) {
        state.withLock { state in
            if !state.isClosed { state.elements.append(element) }
        }
        signal.fire()
    }

    /// What is still inside is not read any more.
    package func close() {
        state.withLock { state in
            state.isClosed = true
            state.elements.removeAll()
        }
        signal.fire()
    }

    /// Everything that has been posted, without waiting.
    package func takeAll() -> [Element] {
        state.withLock { state in
            defer { state.elements.removeAll(keepingCapacity: true) }
            return state.elements
        }
    }

    /// The next things posted, as soon as there are any; nothing once it is closed.
    package func next() async -> [Element]? {
        while true {
            let (elements, isClosed) = state.withLock { state -> ([Element], Bool) in
                defer { state.elements.removeAll(keepingCapacity: true) }
                return (state.elements, state.isClosed)
            }
            if isClosed { return nil }
            if !elements.isEmpty { return elements }
            await signal.wait()
        }
    }
}
