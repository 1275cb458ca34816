package import Basics
package import Bridge
package import Posix
package import Store

/// How a bridge is, live: folds what happens and what the ledger holds into one `BridgeStatus`, for any number of
/// readers.
///
/// Those to whom something happens say so from any thread and go on; nothing here makes them wait. The ledger is read
/// over one connection, opened when the status is wanted for the first time and kept.
package actor StatusBoard {
    package nonisolated let executor: any SerialExecutor & TaskExecutor
    package nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }

    private let event: BridgeEvent
    private let openReader: @Sendable () throws -> LedgerReader
    private let space: @Sendable () throws -> BridgeStatus.Disk
    private let sending: @Sendable () -> [String: Int]
    private let underWay: @Sendable () -> BridgeStatus.UnderWay
    private let edits: @Sendable () -> [String: BridgeStatus.Destination.Edits]
    private let wall: any WallTime
    private var reader: LedgerReader?
    private var fold: StatusFold
    private var readers: [NewsSubscription] = []
    private var milestone: (progress: Int, signal: Signal)?
    private let incoming = Mailbox<(BridgeNews, at: Timestamp)>()
    private var isOver = false
    private var alerts: [BridgeStatus.Alert] = []

    package init(
        event: BridgeEvent, cameras: [String], destinations: [BridgeStatus.Destination],
        executor: any SerialExecutor & TaskExecutor,
        openReader: @escaping @Sendable () throws -> LedgerReader,
        space: @escaping @Sendable () throws -> BridgeStatus.Disk,
        sending: @escaping @Sendable () -> [String: Int],
        underWay: @escaping @Sendable () -> BridgeStatus.UnderWay = { BridgeStatus.UnderWay() },
        edits: @escaping @Sendable () -> [String: BridgeStatus.Destination.Edits] = { [:] },
        wall: any WallTime
    ) {
        self.event = event
        self.executor = executor
        self.openReader = openReader
        self.space = space
        self.sending = sending
        self.underWay = underWay
        self.edits = edits
        self.wall = wall
        fold = StatusFold(event: event, cameras: cameras, destinations: destinations)
    }

    /// Something has happened. From any thread; takes no time.
    package nonisolated func tell(_ news: BridgeNews) {
        incoming.post((news, at: wall.wallNow))
    }

    /// Folds until ``finish()``.
    package func run() async {
        while !isOver, let batch = await incoming.next() { take(batch) }
    }

    private func take(_ batch: [(BridgeNews, at: Timestamp)]) {
        for (news, moment) in batch {
            fold.apply(news, at: moment)
            for reader in readers { reader.put(news) }
        }
        guard let (progress, signal) = milestone, progress <= fold.progress else { return }
        milestone = nil
        signal.fire()
    }

    /// What was told is folded and handed on; readers come to their ends.
    package func finish() {
        take(incoming.takeAll())
        isOver = true
        incoming.close()
        for reader in readers { reader.finish() }
        readers = []
    }

    // MARK: Readers

    /// Everything that happens from now on, in order.
    package func subscribe() -> NewsSubscription {
        let reader = NewsSubscription()
        if isOver { reader.finish() } else { readers.append(reader) }
        return reader
    }

    package func unsubscribe(_ reader: NewsSubscription) {
        readers.removeAll { $0 === reader }
        reader.finish()
    }

    /// How it is now. Reads a few rows, over a connection that is open already.
    package func status() throws -> BridgeStatus {
        take(incoming.takeAll())
        if reader == nil { reader = try openReader() }
        guard let reader else { preconditionFailure("a reader that was just opened is there") }
        let ledger = try reader.status(of: event)
        let disk: BridgeStatus.Disk?
        let problem: String?
        do {
            (disk, problem) = (try space(), nil)
        } catch {
            // An operator who asks for the status then needs all the rest above all.
            (disk, problem) = (nil, "the spool's disk cannot be looked at: \(error)")
        }
        var status = fold.with(ledger: ledger, spool: disk, sending: sending(), at: wall.wallNow)
        if let problem { status.notes.append(problem) }
        status.alerts = alerts
        status.underWay = underWay()
        status.note(edits())
        return status
    }

    /// Why nothing goes to a destination, as far as it has been said.
    package func hold(at url: String) -> BridgeStatus.Destination.Hold? {
        take(incoming.takeAll())
        return fold.status.destinations.first { $0.url == url }?.hold
    }

    /// What the operator has been called for and is not over.
    package func note(_ alerts: [BridgeStatus.Alert]) { self.alerts = alerts }

    /// What is to be known of this run when it has ended.
    package var memory: StatusMemory {
        take(incoming.takeAll())
        return fold.memory
    }

    // MARK: The end of a run

    /// Grows with everything that gets further.
    package var progress: Int {
        take(incoming.takeAll())
        return fold.progress
    }

    package var troubles: Int {
        take(incoming.takeAll())
        return fold.troubles
    }

    /// Objects that a camera lists and never described.
    package var notDescribed: [String] {
        take(incoming.takeAll())
        return fold.notDescribed.sorted()
    }

    /// Rung when ``progress`` has come so far, at once where it has already. The last that asks is rung for.
    package func ring(_ signal: Signal, atProgress progress: Int) {
        milestone = (progress, signal)
        take(incoming.takeAll())
    }
}
