import Bridge
import Database

/// How many jobs each destination has ever had, as one look has found them.
struct JobTotals {
    let event: String
    var newest: JobID
    /// What was sent again may have gone to another destination: then it is counted anew.
    var repeated: Int64
    /// Where one was removed, replaced or taken back, jobs have moved to another, and their number is the same.
    var destinations: [String]
    var all: Int
    var byDestination: [DestinationID: Int]
}

extension LedgerReader {
    /// Jobs of each destination, counted over an index that holds nothing else; after the first time, those that have come.
    func totals(
        of event: String, at destinations: [DestinationID], _ counts: Counts
    ) throws -> [DestinationID: Int] {
        func newest(_ table: String) throws -> Int64 {
            try database.first("SELECT max(id) FROM \(table)") { try $0.get(0, as: Int64?.self) ?? 0 } ?? 0
        }
        let all = counts.cancelled + counts.jobs.values.reduce(0, +)
        var totals = JobTotals(
            event: event, newest: JobID(try newest("upload_jobs")),
            repeated: try newest("earlier_deliveries"), destinations: try destinationStates(of: event),
            all: 0, byDestination: [:])
        if let known = jobTotals, known.event == event, known.repeated == totals.repeated,
            known.destinations == totals.destinations, known.newest <= totals.newest
        {
            (totals.all, totals.byDestination) = (known.all, known.byDestination)
            try database.each(
                "SELECT destination_id FROM upload_jobs WHERE id > ? AND event_id = ?", known.newest, event
            ) {
                totals.byDestination[try $0.get(0), default: 0] += 1
                totals.all += 1
            }
        }
        if totals.all != all || totals.byDestination.isEmpty {
            totals.byDestination = try counted(destinations, of: all)
            totals.all = all
        }
        jobTotals = totals
        return totals.byDestination
    }

    /// The last has what the others have not.
    private func counted(_ destinations: [DestinationID], of all: Int) throws -> [DestinationID: Int] {
        var found: [DestinationID: Int] = [:]
        // At most so many columns, far fewer than SQLite has.
        for start in stride(from: 0, to: destinations.count - 1, by: 100) {
            let some = destinations[start..<min(start + 100, destinations.count - 1)]
            let sums = some.map { "total(destination_id = \($0.number))" }.joined(separator: ", ")
            try database.each("SELECT \(sums) FROM upload_jobs") { row in
                for (column, id) in some.enumerated() {
                    found[id] = Int(try row.get(Int32(column), as: Double.self))
                }
            }
        }
        if let last = destinations.last { found[last] = max(0, all - found.values.reduce(0, +)) }
        return found
    }

    /// What each is now: used, or removed since when and in whose favour.
    private func destinationStates(of event: String) throws -> [String] {
        try database.all(
            "SELECT id, removed_at, replaced_by FROM destinations WHERE event_id = ? ORDER BY id", event
        ) { row in
            let marks = try (0..<3).map { try row.get($0, as: Int64?.self).map { "\($0)" } ?? "-" }
            return marks.joined(separator: " ")
        }
    }
}
