package import Basics
package import Bridge
import Posix

/// Lets go of photos that every destination has, as the operator wants it.
///
/// The row first, then the file: whatever interrupts it, the next start finds a row that says the file may go. Everything
/// here blocks, on the thread that the keeper was given.
package actor SpoolRetention {
    private nonisolated let executor: any SerialExecutor & TaskExecutor
    package nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }

    package enum Event: Equatable, Sendable {
        case removed(DeliveredPhoto)
        /// Nothing can be removed, because; it is tried again by itself.
        case held(String)
        case released
    }

    private let ledger: Ledger
    private let retention: Retention
    private let reserve: Spool.Reserve
    private let time: any TimeSource
    private let wall: any WallTime
    private let openRoot: @Sendable () throws(DiskError) -> any DiskFolder
    private let isInUse: @Sendable (CaptureID) -> Bool
    private let report: @Sendable (Event) -> Void
    private let signal = Signal()
    private var root: (any DiskFolder)?
    /// The row says that it is gone, and its file may still be there.
    private var unfinished: [DeliveredPhoto] = []
    /// What was told last.
    private var hold: String?

    /// So many are looked at together.
    private static let batch = 100
    /// How soon a disk or a ledger that failed is tried again.
    private static let pauseAfterFailure = Duration.seconds(30)
    /// The calendar is looked at this often, because it may be set while we wait.
    private static let longestWait = Duration.seconds(60)

    /// `isInUse` says of which photos this program still needs the file; ``lookAgain()`` when that has changed.
    package init(
        ledger: Ledger, retention: Retention, reserve: Spool.Reserve,
        executor: any SerialExecutor & TaskExecutor, time: any TimeSource, wall: any WallTime,
        openRoot: @escaping @Sendable () throws(DiskError) -> any DiskFolder,
        isInUse: @escaping @Sendable (CaptureID) -> Bool = { _ in false },
        report: @escaping @Sendable (Event) -> Void
    ) {
        self.ledger = ledger
        self.retention = retention
        self.reserve = reserve
        self.executor = executor
        self.time = time
        self.wall = wall
        self.openRoot = openRoot
        self.isInUse = isInUse
        self.report = report
    }

    package nonisolated func lookAgain() {
        signal.fire()
    }

    /// Until the task is cancelled. It is the one that waits at the ledger's ``Ledger/settledSignal``.
    package func run() async {
        // Nothing ever goes, so there is no need to wake for each photo that is settled.
        if retention == .always { return }
        await withDiscardingTaskGroup { group in
            group.addTask(executorPreference: executor) { [ledger, signal] in
                while !Task.isCancelled {
                    await ledger.settledSignal.waitUnlessCancelled()
                    signal.fire()
                }
            }
            while !Task.isCancelled {
                let next = await look()
                guard let next else {
                    await signal.waitUnlessCancelled()
                    continue
                }
                let span = min(next - wall.wallNow, Self.longestWait)
                await signal.wait(until: time.now + max(.zero, span), of: time)
            }
        }
    }

    /// The caller waits for room for a photo of this size. Returns when what may go has gone.
    package func makeRoom(for size: UInt64) async {
        if retention == .untilSpaceIsShort { _ = await look(wanting: size) }
    }

    /// Lets go of what may go now. Says when to look again, where that is known.
    @discardableResult
    package func look(wanting wanted: UInt64 = 0) async -> Timestamp? {
        if retention == .always { return nil }
        do {
            let next = try await letGo(wanting: wanted)
            if hold != nil { report(.released) }
            hold = nil
            return next
        } catch {
            // Whatever the folder was, it is opened anew.
            root = nil
            let reason = "\(error)"
            if hold != reason { report(.held(reason)) }
            hold = reason
            return wall.wallNow + Self.pauseAfterFailure
        }
    }

    private func letGo(wanting wanted: UInt64) async throws -> Timestamp? {
        try unlinkUnfinished()
        _ = try await ledger.settleAnew()
        while !Task.isCancelled {
            let there = try await ledger.removable(atMost: Self.batch)
            let photos = there.filter { !isInUse($0.capture) }
            guard let first = photos.first else { return nil }
            let count = retention.going(photos, at: wall.wallNow, room: try room(wanting: wanted))
            guard count > 0 else { return retention.next(after: first) }
            var gone = 0
            for photo in photos.prefix(count) where try await letGo(photo) { gone += 1 }
            // Rows that contradict themselves, or another process that does the same: either way it is not for us.
            if gone == 0 { return nil }
        }
        return nil
    }

    /// False when something of it is open again by now, or another process was faster.
    private func letGo(_ photo: DeliveredPhoto) async throws -> Bool {
        guard try await ledger.remove(photo.capture) else { return false }
        unfinished.append(photo)
        try unlinkUnfinished()
        report(.removed(photo))
        return true
    }

    private func unlinkUnfinished() throws(DiskError) {
        while let photo = unfinished.first {
            do throws(DiskError) {
                let folder = try opened().folder(photo.event)
                if try folder.size(of: photo.file) != nil { try folder.remove(photo.file) }
                try folder.sync()
            } catch {
                // Gone with its folder.
                guard error.meaning == .missing else { throw error }
                root = nil
            }
            unfinished.removeFirst()
        }
    }

    private func room(wanting wanted: UInt64) throws(DiskError) -> Retention.Room {
        // No time and no delivery depends on it.
        guard retention == .untilSpaceIsShort else { return Retention.Room(free: 0, reserve: 0, wanted: 0) }
        let space = try opened().space()
        return Retention.Room(free: space.free, reserve: reserve.size(on: space), wanted: wanted)
    }

    private func opened() throws(DiskError) -> any DiskFolder {
        if let root { return root }
        let opened = try openRoot()
        root = opened
        return opened
    }
}
