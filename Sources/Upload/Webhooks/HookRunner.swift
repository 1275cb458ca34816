package import Basics
package import Bridge
package import Posix
import Synchronization

/// Runs the operator's programs when something has happened to a photo: so many at a time, each for so long, never
/// through a shell.
///
/// What is told here is told at most once: it is not in the ledger, and what is queued when the bridge ends is not told.
/// For programs that must not miss anything there are webhooks.
package actor HookRunner {
    package nonisolated var unownedExecutor: UnownedSerialExecutor { reactor.asUnownedSerialExecutor() }

    package struct Settings: Equatable, Sendable {
        /// Absolute paths of programs.
        package var programs: [PhotoEvent: String] = [:]
        package var atMost = 2
        package var within = Duration.seconds(60)

        package init() {}
    }

    package enum Event: Equatable, Sendable {
        case failed(program: String, capture: CaptureID, String)
        /// So many did not fit into the queue.
        case dropped(Int)
        /// So many had not been run when the bridge ended.
        case notRun(Int)
    }

    package typealias Facts = @Sendable (CaptureID) async throws -> [(key: String, value: JSONValue)]?

    private let settings: Settings
    private nonisolated let reactor: Reactor
    private let spool: String
    private let inherited: [String: String]
    private let facts: Facts
    private let onEnd: @Sendable () -> Void
    private let report: @Sendable (Event) -> Void
    private nonisolated let queue = Mutex(Queue())
    private let signal = Signal()
    private var underWay = 0

    private struct Entry: Sendable {
        let program: String
        let happening: PhotoEvent
        let capture: CaptureID
    }

    private struct Queue {
        var waiting: [Entry] = []
        /// How many of each photo wait or run.
        var open: [CaptureID: Int] = [:]
        var dropped = 0
        var isOver = false
    }

    /// What happens faster than programs end is queued up to here.
    package static let mostWaiting = 1000
    /// What is kept of a program's complaints, for their last line.
    private static let complaints = 4096

    /// `spool` is the absolute path of the folder with the events' folders in it. `onEnd` is told whenever a photo may
    /// not be needed any more: ``needs(_:)``.
    package init(
        settings: Settings, reactor: Reactor, spool: String, inherited: [String: String],
        facts: @escaping Facts, onEnd: @escaping @Sendable () -> Void = {},
        report: @escaping @Sendable (Event) -> Void
    ) {
        self.settings = settings
        self.reactor = reactor
        self.spool = spool
        self.inherited = inherited
        self.facts = facts
        self.onEnd = onEnd
        self.report = report
    }

    /// Returns at once.
    package nonisolated func post(_ happening: PhotoEvent, of capture: CaptureID) {
        guard let program = settings.programs[happening] else { return }
        queue.withLock { queue in
            guard !queue.isOver, queue.waiting.count < Self.mostWaiting else {
                queue.dropped += 1
                return
            }
            queue.waiting.append(Entry(program: program, happening: happening, capture: capture))
            queue.open[capture, default: 0] += 1
        }
        signal.fire()
    }

    /// Whether a program that waits or runs may still read the photo.
    package nonisolated func needs(_ capture: CaptureID) -> Bool {
        queue.withLock { $0.open[capture] != nil }
    }

    /// Whether nothing waits and nothing runs.
    package nonisolated var isIdle: Bool { queue.withLock { $0.open.isEmpty } }

    /// Until the task is cancelled. What runs then is ended, with all that it has started.
    package func run() async {
        await withDiscardingTaskGroup { group in
            while !Task.isCancelled {
                while underWay < settings.atMost, let entry = next() {
                    underWay += 1
                    group.addTask(executorPreference: reactor) {
                        await self.run(entry)
                        await self.ended(entry)
                    }
                }
                reportDropped()
                await signal.waitUnlessCancelled()
            }
        }
        let rest = queue.withLock { queue in
            queue.isOver = true
            defer { (queue.waiting, queue.open) = ([], [:]) }
            return queue.waiting.count
        }
        reportDropped()
        if rest > 0 { report(.notRun(rest)) }
    }

    private nonisolated func next() -> Entry? {
        queue.withLock { $0.waiting.isEmpty ? nil : $0.waiting.removeFirst() }
    }

    private nonisolated func reportDropped() {
        let dropped = queue.withLock { queue in
            defer { queue.dropped = 0 }
            return queue.dropped
        }
        if dropped > 0 { report(.dropped(dropped)) }
    }

    private func ended(_ entry: Entry) {
        underWay -= 1
        queue.withLock { queue in
            let left = (queue.open[entry.capture] ?? 1) - 1
            queue.open[entry.capture] = left > 0 ? left : nil
        }
        onEnd()
        signal.fire()
    }

    private func run(_ entry: Entry) async {
        do {
            guard let facts = try await facts(entry.capture) else { return }
            var child = ChildProcess(
                entry.program,
                environment: HookFacts.environment(
                    entry.happening, facts, spool: spool, inherited: inherited))
            child.within = settings.within
            child.errors = .last(Self.complaints)
            let ending = try await child.run(on: reactor)
            guard let problem = ending.problem(within: settings.within, owner: "the bridge") else { return }
            report(.failed(program: entry.program, capture: entry.capture, problem))
        } catch {
            report(.failed(program: entry.program, capture: entry.capture, "\(error)"))
        }
    }
}

extension HookRunner.Event: CustomStringConvertible {
    /// A sentence for the operator and the journal.
    package var description: String {
        switch self {
        case .failed(let program, let capture, let problem): "\(program) for photo \(capture) \(problem)"
        case .dropped(let count):
            "\(count) runs of hooks were dropped, because \(HookRunner.mostWaiting) wait already; make the programs "
                + "faster, or let more of them run at a time (hooks.atMost)"
        case .notRun(let count): "the bridge ended before \(count) hooks were run; they are not run later"
        }
    }
}
