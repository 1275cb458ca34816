import Bridge

/// What the ledger is to be told, in order: gathered for a moment, so that many share a commit.
struct NoteBook {
    /// Whoever looks sees a photo arrive that much later; a commit costs about a tenth of it.
    private static let gathering = Duration.milliseconds(5)

    private var changes: [JobChange] = []
    private(set) var jobs: Set<JobID> = []
    /// When the oldest has waited long enough.
    private(set) var due: Duration?

    func isDue(at now: Duration) -> Bool { due.map { $0 <= now } ?? false }

    mutating func add(_ change: JobChange, at now: Duration) {
        changes.append(change)
        jobs.insert(change.job)
        if due == nil { due = now + Self.gathering }
    }

    mutating func takeAll() -> [JobChange] {
        defer { self = NoteBook() }
        return changes
    }
}
