import Basics
import Database

/// How much there is, for the operator and monitoring.
extension GalleryStore {
    package struct Totals: Equatable, Sendable {
        package var uploads: [String: Int] = [:]
        package var photos = 0
        package var bytes: UInt64 = 0
        package var removals = 0
        /// Images of which caches outside were not told yet, and how long the oldest has waited.
        package var purges = 0
        package var oldestPurge = Duration.zero
    }

    package func totals() throws -> Totals {
        var totals = Totals()
        let uploads = try database.all("SELECT status, count(*) AS count FROM uploads GROUP BY status") {
            (try $0.get("status", as: String.self), try $0.get("count", as: Int.self))
        }
        totals.uploads = Dictionary(uniqueKeysWithValues: uploads)
        for status in ["pending", "processing", "completed", "failed", "expired"] {
            totals.uploads[status, default: 0] += 0
        }
        try database.each(
            "SELECT coalesce(sum(photos), 0) AS photos, coalesce(sum(bytes), 0) AS bytes FROM event_counts"
        ) { row in
            totals.photos = try row["photos"]
            totals.bytes = try row["bytes"]
        }
        totals.removals = try database.count("FROM removals")
        let purges = try database.waitingPurges()
        totals.purges = purges.count
        totals.oldestPurge = purges.since.map { max(.zero, wall.wallNow - $0) } ?? .zero
        return totals
    }
}
