package import Basics
import Database

/// What `/metrics` counts in the database.
struct RowFigures: Equatable, Sendable {
    let totals: GalleryTotals
    /// Nothing where nothing waits.
    let oldestArrival: Int64?
}

/// How much there is, for the operator and monitoring.
package struct GalleryTotals: Equatable, Sendable {
    /// Those that have not come to their end, and those whose end is one that a host has to see: all that ever were would
    /// take longer to count with every event. What has become of the others, photos tell.
    package var uploads: [String: Int] = [:]
    package var photos = 0
    package var bytes: UInt64 = 0
    package var removals = 0
    /// Images of which caches outside were not told yet, and since when the oldest has waited.
    package var purges = 0
    package var oldestPurge: Timestamp?
}

extension GalleryReader {
    func figures() throws -> RowFigures {
        RowFigures(totals: try totals(), oldestArrival: try database.oldestArrival())
    }

    /// By indexes of what is open, and by what events count: never by a look at all uploads or photos.
    func totals() throws -> GalleryTotals {
        var totals = GalleryTotals()
        totals.uploads = [
            "pending": try database.count("FROM uploads WHERE status = 'pending'"),
            "processing": try database.count("FROM uploads WHERE status = 'processing'"),
        ]
        try database.each(
            """
            SELECT coalesce(sum(photos), 0) AS photos, coalesce(sum(bytes), 0) AS bytes,
                coalesce(sum(failed), 0) AS failed
            FROM event_counts
            """
        ) { row in
            totals.photos = try row["photos"]
            totals.bytes = try row["bytes"]
            totals.uploads["failed"] = try row["failed"]
        }
        totals.removals = try database.count("FROM removals")
        let purges = try database.waitingPurges()
        (totals.purges, totals.oldestPurge) = (purges.count, purges.since)
        return totals
    }
}

extension SQLSession {
    /// The oldest bytes that wait to be worked on, in milliseconds of the calendar; nothing where none do.
    func oldestArrival() throws -> Int64? {
        try first("SELECT arrival FROM uploads WHERE status = 'processing' ORDER BY arrival, id LIMIT 1") {
            try $0["arrival"]
        }
    }
}
