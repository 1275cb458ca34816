package import Basics
package import Bridge
import Database

extension LedgerReader {
    /// All that the ledger knows of how a bridge is, at one moment. What it costs depends on how many photos wait, which are
    /// counted over an index, and where an event has several destinations on how many have come since the last look of
    /// this reader: its first look counts the jobs of each over an index.
    package func status(of event: BridgeEvent) throws -> BridgeStatus {
        try database.snapshot { try currentStatus(of: event) }
    }

    /// The same where no bridge answers: with what the last run has noted, and how long photos took to be confirmed.
    /// Nothing is being sent then, as far as is known. `isRunning`: there is one, and it gives no answer.
    package func statusAtRest(
        of event: BridgeEvent, isRunning: Bool = false, at now: Timestamp
    ) throws -> BridgeStatus {
        var status = try database.snapshot {
            var status = try currentStatus(of: event)
            if let noted = try recall(StatusMemory.key(of: event.id)) {
                let memory = StatusMemory(noted: noted)
                status.add(memory, isRunning: isRunning)
                if let hold = memory.diskHold {
                    status.notes.append("nothing was fetched, as the bridge noted last: \(hold)")
                }
            }
            let times = try confirmationTimes(of: event, below: status.oldestJob)
            for index in status.destinations.indices {
                status.destinations[index].confirmation = times[status.destinations[index].url]?.summary
            }
            return status
        }
        status.count(sending: [:])
        status.at = now
        return status
    }

    /// Why destinations take nothing, as the bridge that runs or ran last has noted it; of one event, or of all.
    package func holds(of event: String?) throws -> [DestinationID: BridgeStatus.Destination.Hold] {
        var holds: [DestinationID: BridgeStatus.Destination.Hold] = [:]
        for known in try events() where event == nil || event == known.id {
            guard let noted = try recall(StatusMemory.key(of: known.id)) else { continue }
            let memory = StatusMemory(noted: noted)
            try database.each("SELECT id, url FROM destinations WHERE event_id = ?", known.id) { row in
                holds[try row.get(0)] = memory.destinations[try row.get(1)]?.hold
            }
        }
        return holds
    }

    private func currentStatus(of event: BridgeEvent) throws -> BridgeStatus {
        var status = BridgeStatus()
        status.event = BridgeStatus.Event(id: event.id, name: event.name)
        status.window = try windows(of: event.id).last
        if try hasUndecidedAbsence(in: event.id) {
            status.unattended = try passedOver(in: event.id)[.unattended, default: 0]
        }
        let counts = try counts(of: event.id)
        status.photos = counts.captures
        status.stagedBytes = counts.stagedBytes
        status.jobs = JobGroup.counts(counts.jobs)
        status.bytes = counts.bytes.reduce(into: [:]) { $0[JobGroup($1.key), default: 0] += $1.value }
        status.cancelled = counts.cancelled
        let toFetch = try photosToFetch(of: event.id)
        let deliveries = try deliveriesByCamera(of: event.id)
        status.cameras = try cameras(of: event.id).map {
            var camera = BridgeStatus.Camera(address: $0.address, name: "\($0.camera)")
            camera.toFetch = toFetch[$0.id, default: 0]
            camera.jobs = deliveries[$0.id, default: [:]]
            return camera
        }
        try addDestinations(of: event, counts, to: &status)
        status.isPaused = try recall(Ledger.pausedKey) != nil
        return status
    }

    /// Over the index of what is open, which has the event and the camera.
    private func photosToFetch(of event: String) throws -> [CameraID: Int] {
        var numbers: [CameraID: Int] = [:]
        try database.each(
            """
            SELECT camera_id, count(*) FROM captures
            WHERE event_id = ? AND state IN ('announced', 'receiving', 'abandoned') AND camera_id IS NOT NULL
            GROUP BY camera_id
            """, event
        ) { numbers[try $0.get(0)] = try $0.get(1, as: Int.self) }
        return numbers
    }

    private func deliveriesByCamera(of event: String) throws -> [CameraID: [JobGroup: Int]] {
        var numbers: [CameraID: [JobState: Int]] = [:]
        try database.each(
            "SELECT camera_id, state, number FROM camera_counts WHERE event_id = ? AND number > 0 AND state <> 'cancelled'",
            event
        ) { numbers[try $0.get(0), default: [:]][try $0.word(1)] = try $0.get(2, as: Int.self) }
        return numbers.mapValues { JobGroup.counts($0) }
    }

    // MARK: Destinations

    /// What a destination has failed for good, and what of it the operator has taken back.
    struct Failures {
        var failed = 0
        var cancelled = 0
        var newest: JobID?
    }

    private func addDestinations(
        of event: BridgeEvent, _ counts: Counts, to status: inout BridgeStatus
    ) throws {
        let all = try database.all(
            "SELECT id, url, kind, removed_at IS NOT NULL FROM destinations WHERE event_id = ? ORDER BY id",
            event.id
        ) { row in
            (
                id: try row.get(0, as: DestinationID.self), url: try row.get(1, as: String.self),
                kind: try row.word(2, as: DestinationKind.self), isRemoved: try row.get(3, as: Bool.self)
            )
        }
        let failures = try failures(of: event.id, counts)
        // The only one there ever was has all that the event has.
        let totals = all.count > 1 ? try totals(of: event.id, at: all.map(\.id), counts) : [:]
        for place in all where !place.isRemoved {
            let failures = failures[place.id, default: Failures()]
            var (jobs, oldest) = try open(at: place.id)
            let others = jobs.values.reduce(0, +) + failures.failed + failures.cancelled
            jobs[.failed] = failures.failed
            jobs[.completed] =
                all.count == 1
                ? counts.jobs[.completed, default: 0] : max(0, totals[place.id, default: 0] - others)
            var destination = BridgeStatus.Destination(url: place.url, kind: place.kind, jobs: jobs)
            if let oldest { destination.oldest = try waiting(oldest) }
            if let newest = failures.newest { destination.lastError = try lastError(newest) }
            if let oldest {
                status.oldest = [status.oldest, destination.oldest].compactMap { $0 }.min {
                    ($0.since, $0.capture) < ($1.since, $1.capture)
                }
                status.oldestJob = min(status.oldestJob ?? oldest, oldest)
            }
            status.destinations.append(destination)
        }
    }

    /// What is open there, and which job of it is the oldest. What is completed is not counted: that would mean reading all
    /// of it.
    private func open(at destination: DestinationID) throws -> ([JobGroup: Int], JobID?) {
        var groups: [JobGroup: Int] = [:]
        var oldest: [JobID] = []
        func count(_ group: JobGroup, _ condition: String) throws {
            try database.each(
                "SELECT count(*) FROM upload_jobs WHERE destination_id = ? AND \(condition)", destination
            ) {
                groups[group, default: 0] += try $0.get(0, as: Int.self)
            }
        }
        try count(.queued, Schema.waits)
        try count(.awaiting, "claimed = 0 AND state = 'uploadedAwaitingProcessing'")
        let limit = try looksBehind
        for state in [JobState.staged, .presigned, .failedRetryable] {
            for lane in [Lane.first, .later] {
                oldest += try database.all(
                    Ledger.bestFirst(newest: false), destination, state.rawValue, lane.rawValue, limit
                ) { try $0.get(0, as: JobID.self) }
            }
        }
        oldest += try database.all(Ledger.sentFirst, destination, limit) { try $0.get(0, as: JobID.self) }
        try database.each(
            "SELECT state, count(*) FROM upload_jobs WHERE claimed = 1 AND destination_id = ? GROUP BY state",
            destination
        ) { row in
            groups[JobGroup(try row.word(0)), default: 0] += try row.get(1, as: Int.self)
        }
        oldest += try database.all(
            "SELECT id FROM upload_jobs WHERE claimed = 1 AND destination_id = ? ORDER BY id LIMIT ?",
            destination, limit
        ) { try $0.get(0, as: JobID.self) }
        return (groups, try longestWaiting(among: oldest))
    }

    /// So many are looked at for the one that waits longest. Jobs come in the order of their numbers, and one is enough,
    /// unless some are sent again: those wait since then.
    private var looksBehind: Int {
        get throws { try database.first("SELECT 1 FROM earlier_deliveries LIMIT 1") { _ in 100 } ?? 1 }
    }

    private func longestWaiting(among jobs: [JobID]) throws -> JobID? {
        guard jobs.count > 1 else { return jobs.first }
        return try jobs.compactMap { id in try waiting(id).map { (id, $0.since) } }
            .min { ($0.1, $0.0) < ($1.1, $1.0) }?.0
    }

    private func failures(of event: String, _ counts: Counts) throws -> [DestinationID: Failures] {
        guard counts.cancelled + counts.jobs[.failedPermanent, default: 0] > 0 else { return [:] }
        var failures: [DestinationID: Failures] = [:]
        try database.each(
            """
            SELECT destination_id, cancelled, count(*), max(id) FROM upload_jobs
            WHERE event_id = ? AND state = 'failedPermanent' GROUP BY destination_id, cancelled
            """, event
        ) { row in
            let number: Int = try row.get(2)
            if try row.get(1, as: Bool.self) {
                failures[try row.get(0), default: Failures()].cancelled = number
            } else {
                let id: DestinationID = try row.get(0)
                failures[id, default: Failures()].failed = number
                failures[id, default: Failures()].newest = try row.get(3, as: JobID.self)
            }
        }
        return failures
    }

    private func waiting(_ job: JobID) throws -> BridgeStatus.Waiting? {
        try database.first(
            """
            SELECT c.id, c.name, max(j.created_at, coalesce((SELECT max(x.repeated_at) FROM earlier_deliveries x
                    WHERE x.capture_id = j.capture_id AND x.destination_id IN
                        (SELECT id FROM destinations WHERE id = j.destination_id OR replaced_by = j.destination_id)), 0))
            FROM upload_jobs j JOIN captures c ON c.id = j.capture_id WHERE j.id = ?
            """, job
        ) { row in
            BridgeStatus.Waiting(capture: try row.get(0), name: try row.get(1), since: try row.get(2))
        }
    }

    private func lastError(_ job: JobID) throws -> BridgeStatus.Trouble? {
        try database.first(
            """
            SELECT c.name, j.problem FROM upload_jobs j JOIN captures c ON c.id = j.capture_id WHERE j.id = ?
            """, job
        ) { row in
            BridgeStatus.Trouble(
                at: nil, photo: try row.get(0), kind: .failure,
                reason: try row.get(1, as: String?.self) ?? "failed", advice: BridgeStatus.failedAdvice)
        }
    }
}
