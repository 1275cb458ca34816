import Gallery
import HTTPServer

/// How many may listen to events at a time, of the files that this process may have open: each is one of them.
enum StreamLimit {
    /// For other connections, files and the database.
    private static let filesBeside: UInt64 = 2500

    static func of(_ wanted: Int?, files: UInt64) throws(ServerProblem) -> Int {
        let room = Int(clamping: files > 2 * filesBeside ? files - filesBeside : files / 2)
        guard let wanted else { return min(Feeds.mostStreams, room) }
        guard wanted <= room else {
            throw ServerProblem(
                description:
                    "--most-streams \(wanted) needs more open files than the \(files) that this process may have, of which "
                    + "\(room) are for streams; raise the limit with ulimit -n, or LimitNOFILE= under systemd."
            )
        }
        return wanted
    }
}
