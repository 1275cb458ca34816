import Basics
import Bridge
import Posix
import Store
import TestSupport
import Upload
import WorldSupport

/// What happened, in its order.
final class UploadLog: Sendable {
    enum Entry: Sendable {
        case delivering(Job, at: Timestamp)
        case saved(JobChange)
        case event(UploadEvent)
    }

    private let entries = Shared<[Entry]>([])
    private let signal = Signal()

    func add(_ entry: Entry) {
        entries.change { $0.append(entry) }
        signal.fire()
    }

    /// Returns when it has happened; one waits at a time.
    func wait(until isTrue: (UploadLog) -> Bool) async {
        while !isTrue(self) { await signal.wait() }
    }

    var all: [Entry] { entries.value }

    var deliveries: [(job: Job, at: Timestamp)] {
        entries.value.compactMap { if case .delivering(let job, let at) = $0 { (job, at) } else { nil } }
    }

    var changes: [JobChange] {
        entries.value.compactMap { if case .saved(let change) = $0 { change } else { nil } }
    }

    /// But for how many may be under way.
    var events: [UploadEvent] {
        entries.value.compactMap { entry in
            guard case .event(let event) = entry else { return nil }
            if case .slots = event { return nil }
            return event
        }
    }

    func deliveries(to destination: DestinationID) -> [Job] {
        deliveries.map(\.job).filter { $0.destination == destination }
    }

    func ended(as state: JobState) -> Int { changes.count { $0.to == state } }
}

/// The ledger, which can be told to fail.
final class ShakyLedger: UploadLedger {
    struct Broken: Error {}

    private let ledger: Ledger
    private let log: UploadLog
    let failingSaves = Shared(0)
    let failingClaims = Shared(0)
    let failingReleases = Shared(0)
    let commits = Shared(0)

    init(_ ledger: Ledger, _ log: UploadLog) {
        self.ledger = ledger
        self.log = log
    }

    private func fail(_ count: Shared<Int>) throws {
        let isBroken = count.change { count in
            count -= 1
            return count >= 0
        }
        if isBroken { throw Broken() }
    }

    func claim(_ count: Int, to destination: DestinationID, newestFirst: Bool) async throws -> [Job] {
        try fail(failingClaims)
        return try await ledger.claim(count, to: destination, newestFirst: newestFirst)
    }

    func claimSent(_ count: Int, to destination: DestinationID) async throws -> [Job] {
        try fail(failingClaims)
        return try await ledger.claimSent(count, to: destination)
    }

    func release(_ jobs: [JobID]) async throws {
        try fail(failingReleases)
        try await ledger.release(jobs)
    }

    func save(_ changes: [JobChange]) async throws -> [JobMismatch] {
        try fail(failingSaves)
        let mismatches = try await ledger.save(changes)
        commits.change { $0 += 1 }
        for change in changes where !mismatches.map(\.change).contains(change) { log.add(.saved(change)) }
        return mismatches
    }
}

/// A destination in memory that does what the test says.
final class ScriptedDestination: Destination {
    typealias Script = @Sendable (_ job: Job, _ time: Int) async throws -> DeliveryOutcome

    let id: DestinationID
    let url: String
    let reach: Reach
    private let log: UploadLog
    private let calendar: TestCalendar
    private let script: Script
    private let times = Shared<[JobID: Int]>([:])

    init(
        _ id: DestinationID, _ url: String, slots: Int, _ log: UploadLog, _ calendar: TestCalendar,
        _ script: @escaping Script
    ) {
        self.id = id
        self.url = url
        reach = .local(slots: slots)
        self.log = log
        self.calendar = calendar
        self.script = script
    }

    func deliver(_ job: Job) async -> DeliveryOutcome {
        let time = times.change { times in
            times[job.id, default: 0] += 1
            return times[job.id, default: 0]
        }
        log.add(.delivering(job, at: calendar.wallNow))
        do {
            return try await script(job, time)
        } catch {
            return .permanent("\(error)")
        }
    }

    /// Nothing lies in memory.
    func look(at receipts: [Receipt]) async -> [Standing] { receipts.map { _ in .gone } }

    static let good: Script = { job, _ in .arrived(job) }
    /// Goes on until it is taken back.
    static let endless: Script = { _, _ in
        await endlessly()
        return .cancelled
    }
}

extension DeliveryOutcome {
    static func arrived(_ job: Job) -> DeliveryOutcome {
        .delivered(Receipt(key: job.facts.name, size: job.photo.size, sha256: job.photo.sha256))
    }
}

/// A real ledger, and an uploader under a clock that the test moves.
final class UploadRig: Sendable {
    let folder: TemporaryFolder
    let clock = ManualClock()
    let calendar: TestCalendar
    let log = UploadLog()
    let ledger: Ledger
    let shaky: ShakyLedger
    let event: BridgeEvent
    let executor = ThreadExecutor(name: "upload")
    private let ledgerExecutor = ThreadExecutor(name: "ledger")

    init() async throws {
        folder = try TemporaryFolder()
        calendar = TestCalendar(clock)
        ledger = try Ledger(
            path: folder.file(Ledger.fileName), executor: ledgerExecutor, wall: calendar,
            random: SeededSource(1))
        shaky = ShakyLedger(ledger, log)
        event = try await ledger.event("Wedding")
    }

    deinit {
        executor.shutDown()
        ledgerExecutor.shutDown()
    }

    func destination(
        _ url: String, slots: Int = 1,
        _ script: @escaping ScriptedDestination.Script = ScriptedDestination.good
    ) async throws -> ScriptedDestination {
        ScriptedDestination(
            try await ledger.destination(url, kind: .direct, of: event), url, slots: slots, log, calendar,
            script)
    }

    func uploader(_ destinations: [any Destination]) -> Uploader {
        Uploader(
            ledger: shaky, destinations: destinations, executor: executor, time: clock,
            wall: calendar, random: SeededSource(2)
        ) { [log] in log.add(.event($0)) }
    }

    /// With the uploader at work; afterwards it has ended.
    func running(
        _ destinations: [any Destination], _ body: (Uploader) async throws -> Void
    ) async throws {
        let uploader = uploader(destinations)
        let task = Task { await uploader.run() }
        do {
            try await body(uploader)
        } catch {
            task.cancel()
            await task.value
            throw error
        }
        task.cancel()
        await task.value
    }

    func stage(_ numbers: ClosedRange<Int64>) async throws {
        let body = CameraIdentity(manufacturer: "Nikon", model: "Z 9", body: "6001234")
        let camera = try await ledger.meet(body, at: "192.168.1.1")
        for number in numbers {
            let identity = PhotoIdentity(
                manufacturer: body.manufacturer, model: body.model, body: body.body, slot: 1,
                folders: ["100NCZ_9"], name: "DSC_\(number).JPG", size: 1000, captureDate: "20261121T185903",
                format: 0x3801)
            let sighting = Sighting(
                offer: Offer(identity: identity, reference: PhotoReference("\(number)")), objection: nil)
            for capture in try await ledger.record([sighting], of: camera, in: event, connection: "c") {
                let photo = StagedPhoto(
                    file: "\(number)", size: 1000, sha256: String(repeating: "a", count: 64))
                _ = try await ledger.stage(capture.id, photo, skipsDuplicates: false)
            }
        }
    }

    /// Moves the clock from wait to wait until it has happened.
    func passTime(until isTrue: (UploadLog) -> Bool) async {
        while !Task.isCancelled {
            // Looked up before it is asked whether it has happened: who sleeps by then has done what it could. The
            // other way round time would pass beyond what the test waits for, and it would wait for ever.
            let next = clock.nextDeadline
            if isTrue(log) { return }
            if let next, next > clock.now { clock.advance(by: next - clock.now) }
            await Task.yield()
        }
    }

    /// How many jobs are in which state, as another connection to the database sees it.
    func jobs(of capture: CaptureID? = nil) throws -> [JobState: Int] {
        var found: [JobState: Int] = [:]
        try LedgerReader(path: folder.file(Ledger.fileName)).captures(of: event.id) { entry in
            guard capture == nil || entry.id == capture else { return }
            found.merge(entry.jobs, uniquingKeysWith: +)
        }
        return found
    }

    func receipts() throws -> [String] {
        var found: [String] = []
        try LedgerReader(path: folder.file(Ledger.fileName)).captures(of: event.id) { entry in
            found += entry.receipts.map { "\($0.url) \($0.receipt)" }
        }
        return found
    }

    func problems() throws -> [String] {
        var found: [String] = []
        try LedgerReader(path: folder.file(Ledger.fileName)).captures(of: event.id) { found += $0.problems }
        return found
    }
}

extension Ledger {
    /// Of all destinations of an event.
    func claim(_ count: Int, of event: BridgeEvent) async throws -> [Job] {
        var jobs: [Job] = []
        for destination in try destinations(of: event) {
            jobs += try claim(count - jobs.count, to: destination.id)
        }
        return jobs
    }

    func claim(_ count: Int, to destination: DestinationID) throws -> [Job] {
        try claim(count, to: destination, newestFirst: false)
    }

    /// One, which has to fit.
    func save(_ change: JobChange) throws {
        if let mismatch = try save([change]).first { throw mismatch }
    }
}

extension Receipt {
    /// The name that a destination of one step gave.
    var key: String? {
        if case .key(let key) = place { key } else { nil }
    }
}
