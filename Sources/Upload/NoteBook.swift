package import Bridge

/// What the ledger is to be told, in order: gathered for a moment, so that many share a commit.
package struct NoteBook {
    /// Whoever looks sees a photo arrive that much later; a commit costs about a tenth of it.
    private static let gathering = Duration.milliseconds(5)
    /// With a row of photos behind it nobody waits for a single one. What is ready by then lasts longer.
    private static let gatheringInARow = UploadScheduler.ahead * 3 / 10

    private var changes: [JobChange] = []
    package private(set) var jobs: Set<JobID> = []
    /// When the oldest came.
    private var since: Duration?

    package init() {}

    /// When that has waited long enough.
    package func due(inARow: Bool) -> Duration? {
        since.map { $0 + (inARow ? Self.gatheringInARow : Self.gathering) }
    }

    package mutating func add(_ change: JobChange, at now: Duration) {
        changes.append(change)
        jobs.insert(change.job)
        if since == nil { since = now }
    }

    package mutating func takeAll() -> [JobChange] {
        defer { self = NoteBook() }
        return changes
    }
}
