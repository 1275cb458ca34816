import Posix
import Synchronization

/// The thread that libcurl runs on, and the way to it.
final class CurlThread: Sendable {
    let reactor: Reactor
    private let inbox: Inbox
    private let life: Task<Void, Never>

    init(name: String) throws(SystemError) {
        let inbox = Inbox()
        self.inbox = inbox
        let end = Signal()
        reactor = try Reactor(name: name, guest: CurlLoop(inbox, end: end))
        life = Task(executorPreference: reactor) { await end.wait() }
        // It ends when the loop does.
        reactor.shutDown()
    }

    deinit {
        post(.end)
    }

    func perform(_ order: Order) async -> TransferResult {
        let claim = CancellationHandle()
        return await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let ticket = QueuedOrder(order: order, claim: claim, continuation: continuation)
                if !post(.begin(ticket)) { ticket.end(TransferResult(cause: .cancelled)) }
            }
        } onCancel: {
            claim.takeBack()
            post(.takeBack(claim))
        }
    }

    /// False when the thread has ended.
    @discardableResult
    func post(_ command: Inbox.Command) -> Bool {
        guard inbox.post(command) else { return false }
        reactor.call()
        return true
    }

    /// Everything that runs is taken back; returns when the thread is over.
    func shutDown() async {
        post(.end)
        await life.value
    }
}

/// What is asked of the thread, from any other.
final class Inbox: Sendable {
    enum Command: Sendable {
        case begin(QueuedOrder)
        case takeBack(CancellationHandle)
        case setRate(UInt64?, path: String)
        case forgetConnections
        case end
    }

    private struct State {
        var commands: [Command] = []
        var isClosed = false
    }

    private let state = Mutex(State())

    /// False when the thread has ended.
    func post(_ command: Command) -> Bool {
        state.withLock { state in
            if state.isClosed { return false }
            state.commands.append(command)
            return true
        }
    }

    func takeAll() -> [Command] {
        state.withLock { state in
            defer { state.commands.removeAll(keepingCapacity: true) }
            return state.commands
        }
    }

    /// Gives the orders that were not begun.
    func close() -> [QueuedOrder] {
        state.withLock { state in
            state.isClosed = true
            return state.commands.compactMap { if case .begin(let ticket) = $0 { ticket } else { nil } }
        }
    }
}
