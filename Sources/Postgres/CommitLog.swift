/// Where transactions leave a mark.
package struct CommitLog: Sendable {
    static let markLength = 16
    private let table: String

    /// Of a table with the columns `mark BYTEA PRIMARY KEY` and `marked_at BIGINT`.
    package init(table: String) {
        self.table = table
    }

    /// Writes a mark where the server's timeline is at least the one that is known, and its COMMIT keeps what it tells as done:
    /// a setting may have changed since the connection was made, and a pooler leads to another one. The COMMIT that follows
    /// has no time limit at the server: one that is cut off while it waits for the standby is told as done.
    var statement: String {
        """
        INSERT INTO \(table) (mark, marked_at) SELECT ?1, \(ServerClock.now)
        WHERE \(KnownServers.timeline) >= ?2 AND \(PostgresFacts.commitsLast) AND set_config('statement_timeout', '0', true) IS NOT NULL
        """
    }

    /// One row that says whether the mark was there before. It is written in either case: an answer to what only reads would
    /// not wait for the standby.
    var question: String {
        """
        INSERT INTO \(table) AS known (mark, marked_at) SELECT ?1, \(ServerClock.now)
        WHERE \(KnownServers.timeline) >= ?2 AND \(PostgresFacts.commitsLast)
        ON CONFLICT (mark) DO UPDATE SET marked_at = known.marked_at
        RETURNING CASE WHEN xmax::text = '0' THEN 0 ELSE 1 END AS was_there
        """
    }
}
