import Arguments
import Basics
import Posix
import Synchronization

/// Reads the signals that end a program, which are blocked for all of it, on a thread of its own: the command's may stand in a
/// call to a database that does not answer.
final class SignalWatch: Sendable {
    private let signals: TerminationSignals
    private let reactor: Reactor
    private let reading: Task<Int32?, Never>

    /// What a command is at has so long to come to its end. What it changes is a transaction, or a file that gets its name when
    /// it is whole, so that nothing is left half done where it is cut.
    static let grace = Duration.seconds(2)

    /// What takes away again what a command has written, where it is cut.
    final class Undoing: Sendable {
        private let work = Mutex<(@Sendable () throws -> Void)?>(nil)

        func set(_ work: @escaping @Sendable () throws -> Void) { self.work.withLock { $0 = work } }

        fileprivate func run() {
            do {
                try work.withLock(\.self)?()
            } catch {
                printError("gallery: what was written until then is still there: \(error)")
            }
        }
    }

    /// The process ends when a signal has come and its time is over, or with the next signal.
    init(
        _ signals: TerminationSignals, grace: Duration = SignalWatch.grace, _ undoing: Undoing = Undoing(),
        onSignal: @escaping @Sendable () -> Void = {}
    ) throws(SystemError) {
        let reactor = try Reactor(name: "signals")
        (self.signals, self.reactor) = (signals, reactor)
        reading = Task(executorPreference: reactor) {
            guard let number = await signals.next(on: reactor) else { return nil }
            onSignal()
            await Self.wait(grace, or: signals, on: reactor)
            if !Task.isCancelled { Self.cut(undoing) }
            return number
        }
    }

    deinit { reactor.shutDown() }

    /// From now on it ends nothing. The signal that has come before; nothing where none has.
    @discardableResult
    func end() async -> Int32? {
        reading.cancel()
        return await reading.value
    }

    /// The next signal, or the one that has come already, for a command that ends in an order of its own.
    func next(on other: Reactor) async -> Int32? {
        if let number = await end() { return number }
        return await signals.next(on: other)
    }

    private static func wait(_ span: Duration, or signals: TerminationSignals, on reactor: Reactor) async {
        await withTaskGroup { group in
            group.addTask { _ = await signals.next(on: reactor) }
            group.addTask {
                do throws(CancellationError) {
                    try await reactor.sleep(until: reactor.now + span)
                } catch {
                    // The command has come to its end.
                    return
                }
            }
            await group.next()
            group.cancelAll()
        }
    }

    private static func cut(_ undoing: Undoing) -> Never {
        undoing.run()
        say()
        Program.end(with: ExitCode.interrupted.rawValue)
    }

    private static func say() { printError("gallery: interrupted") }

    /// A command until its end or a signal's, which cancels it.
    static func race(
        _ signals: TerminationSignals, on reactor: Reactor, _ undoing: Undoing,
        _ body: @escaping @Sendable () async throws -> Void
    ) async throws -> ExitCode {
        let work = Task(executorPreference: reactor) { try await body() }
        let watch = try SignalWatch(signals, undoing) { work.cancel() }
        let result = await work.result
        let isInterrupted = await watch.end() != nil
        if case .failure(let error) = result {
            guard isInterrupted else { throw error }
            say()
            return .interrupted
        }
        return .success
    }
}
