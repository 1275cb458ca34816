import Basics
import Bridge
import GalleryCopy
import Posix
import Store
import Synchronization
import Upload

/// Keeps the copies of a run's galleries up to date, beside the uploads and never in their way: one small exchange at a time,
/// by a pace of its own.
final class CopyKeeper: Sendable {
    /// An event at a gallery, with who asks it and whether a network may be used to reach it.
    struct Place: Sendable {
        /// The destination's address, as the ledger has it.
        let url: String
        let server: String
        let event: String
        let sync: GallerySync
        /// Why nothing may be sent there at the moment; nothing where it may.
        let obstacle: @Sendable () -> String?
    }

    let copy: GalleryCopy
    let places: [Place]
    /// The ledger, read for receipts.
    let database: String
    let time: any TimeSource
    /// How often the operator has said that what held it may be over.
    private let wishes = Mutex(0)

    private let counted = Mutex<[String: BridgeStatus.Destination.Edits]>([:])

    /// What waits and what was not taken, by the destination's address, as it was a moment ago.
    var edits: [String: BridgeStatus.Destination.Edits] { counted.withLock { $0 } }

    /// How soon a network that may not be used is looked at again, and an upload that edits wait for.
    private static let soon = Duration.seconds(5)

    init(_ copy: GalleryCopy, _ places: [Place], database: String, time: any TimeSource) {
        self.copy = copy
        self.places = places
        self.database = database
        self.time = time
    }

    /// What held it may be over: the operator has logged in.
    func tryAgain() {
        wishes.withLock { $0 += 1 }
        copy.news.fire()
    }

    /// Until the task is cancelled.
    func run(_ report: @escaping @Sendable (String) -> Void) async {
        guard !places.isEmpty else { return }
        await withDiscardingTaskGroup { group in
            for place in places {
                group.addTask { await self.keep(place, report) }
            }
        }
    }

    private func keep(_ place: Place, _ report: @Sendable (String) -> Void) async {
        var pace = SyncPace()
        var random = Randomness(SystemRandomSource())
        var due = time.now
        var isHeld = false
        var known = 0
        await count(place)
        while !Task.isCancelled {
            let wished = wishes.withLock { $0 }
            if time.now >= due || !isHeld || wished > known {
                known = wished
                let pause: Duration
                do {
                    pause = try await round(place, &pace)
                    isHeld = false
                } catch let failure as SyncFailure {
                    pause = pace.failed(failure, using: &random)
                    isHeld = true
                } catch {
                    // The copy's own file, or the ledger: photos go on, and the operator hears of it once.
                    if !isHeld { report("the copy of \(place.server) cannot be kept: \(error)") }
                    pause = SyncPace.whileHeld
                    isHeld = true
                }
                due = time.now + pause
            }
            await count(place)
            await copy.news.wait(until: due, of: time)
            // Several edits in a row go together.
            guard !Task.isCancelled, await slept(SyncPace.gathering) else { return }
        }
    }

    /// For those who look: what cannot be counted is told with the round that failed.
    private func count(_ place: Place) async {
        do {
            let counts = try await copy.editCounts(of: copy.place(place.server, event: place.event))
            counted.withLock { $0[place.url] = BridgeStatus.Destination.Edits(counts) }
        } catch {
            counted.withLock { $0[place.url] = nil }
        }
    }

    /// One exchange, or the reason why there is none. How long to wait after it.
    private func round(_ place: Place, _ pace: inout SyncPace) async throws -> Duration {
        let id = try await copy.place(place.server, event: place.event)
        if let obstacle = place.obstacle() {
            try await copy.note(obstacle, at: id)
            return Self.soon
        }
        _ = try await exchange(place, id)
        let isWaiting = try await copy.editCounts(of: id).withoutUpload > 0
        let pause = pace.succeeded()
        return isWaiting ? min(pause, Self.soon) : pause
    }

    private func exchange(_ place: Place, _ id: CopyPlaceID) async throws -> Bool {
        try await copy.exchange(at: id, with: place.sync) { [database] capture in
            try Self.receipt(of: capture, at: place.server, place.event, in: LedgerReader(path: database))
        }
    }

    /// What the gallery calls a photo that it has confirmed.
    static func receipt(
        of capture: CaptureID, at server: String, _ event: String, in reader: LedgerReader
    ) throws -> String? {
        try PhotoEditRequest.places(of: .capture(capture), in: reader)
            .first { $0.server == server && $0.event == event }?.record
    }

    /// All places at once, because an operator wants it now.
    func exchangeNow() async throws {
        for place in places {
            let id = try await copy.place(place.server, event: place.event)
            do {
                _ = try await exchange(place, id)
            } catch is SyncFailure {
                // The copy keeps the reason, and the command shows it.
                continue
            }
        }
    }

    /// Sends what waits, where the way is open. How many edits are left that could have gone.
    func finish(within span: Duration) async throws -> Int {
        let deadline = time.now + span
        var left = 0
        for place in places {
            let id = try await copy.place(place.server, event: place.event)
            while true {
                let counts = try await copy.editCounts(of: id)
                let waiting = counts.waiting - counts.ahead
                guard waiting > 0 else { break }
                let isOpen = place.obstacle() == nil && time.now < deadline
                let isDone: Bool
                do {
                    isDone = try await isOpen ? exchange(place, id) : true
                } catch let failure as SyncFailure {
                    // The copy keeps the reason. What may pass is tried until the time is up.
                    if case .passing = failure { isDone = false } else { isDone = true }
                }
                guard !isDone else {
                    let counts = try await copy.editCounts(of: id)
                    left += counts.waiting - counts.ahead
                    break
                }
                // The round that is under way takes it along, mostly.
                try await time.sleep(until: time.now + SyncPace.gathering)
            }
        }
        return left
    }

    private func slept(_ span: Duration) async -> Bool {
        do {
            try await time.sleep(until: time.now + span)
            return true
        } catch {
            return false
        }
    }
}

extension BridgeStatus.Destination.Edits {
    init(_ counts: CopyCounts) {
        self.init(
            waiting: counts.waiting, withoutUpload: counts.withoutUpload, conflicts: counts.conflicts)
    }
}
