import Basics
import Database
import Postgres

extension GalleryStore {
    /// Of this machine's clock before the database's. That one is asked between two looks at this.
    func clockAhead() throws -> Duration {
        let before = wall.wallNow.milliseconds
        let there = try database.first("SELECT \(ServerClock.now) AS now") { row in
            try row.get("now", as: Int64.self)
        }
        let after = wall.wallNow.milliseconds
        return .milliseconds(before + (after - before) / 2 - (there ?? after))
    }
}
