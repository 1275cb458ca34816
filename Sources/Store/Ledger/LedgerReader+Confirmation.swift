import Basics
import Bridge
import Database

/// From the shutter to the receipt, read back.
extension LedgerReader {
    /// Whether a job `j` of a capture `c` went out as soon as the photo was here. What is sent again, or to a destination that
    /// was named long afterwards, took the time that the operator did.
    static let isFirstTime = """
        (j.created_at <= coalesce(c.staged_at, 0) + \(soon.wholeMilliseconds) AND NOT EXISTS (SELECT 1 FROM earlier_deliveries x
            WHERE x.capture_id = j.capture_id AND x.destination_id IN
                (SELECT id FROM destinations WHERE id = j.destination_id OR replaced_by = j.destination_id)))
        """
    private static let soon = Duration.seconds(60)

    /// Jobs that are looked at, of those that came last and of those before the first that waits.
    private static let sampled: Int64 = 1000

    /// By the destination's address.
    func confirmationTimes(
        of event: BridgeEvent, below oldest: JobID?
    ) throws -> [String: ConfirmationTimes] {
        let newest =
            try database.first("SELECT max(id) FROM upload_jobs") { try $0.get(0, as: Int64?.self) } ?? nil
        guard let newest else { return [:] }
        var times: [String: ConfirmationTimes] = [:]
        let last = (newest - Self.sampled + 1)...newest
        if let oldest = oldest?.number, oldest <= last.upperBound {
            let end = min(oldest, last.lowerBound) - 1
            try addTimes(of: event, in: (end - Self.sampled + 1)...end, to: &times)
        }
        try addTimes(of: event, in: last, to: &times)
        return times
    }

    private func addTimes(
        of event: BridgeEvent, in jobs: ClosedRange<Int64>, to times: inout [String: ConfirmationTimes]
    ) throws {
        try database.each(
            """
            SELECT d.url, j.completed_at, j.deadline_at, c.capture_date, c.taken_at, c.clock_ahead, c.announced_at
            FROM upload_jobs j JOIN captures c ON c.id = j.capture_id JOIN destinations d ON d.id = j.destination_id
            WHERE j.id BETWEEN ? AND ? AND j.event_id = ? AND j.state = 'completed' AND \(Self.isFirstTime)
            ORDER BY j.id
            """, jobs.lowerBound, jobs.upperBound, event.id
        ) { row in
            let shot = ConfirmationTimes.shot(
                date: Timestamp(ptp: try row.get(3)), cameraSeconds: try row.get(4),
                clockAhead: try row.get(5), seen: try row.get(6))
            times[try row.get(0), default: ConfirmationTimes()].add(
                ConfirmationTimes.Sample(
                    shot: shot, confirmed: try row.get(1), deadline: try row.get(2)))
        }
    }
}
