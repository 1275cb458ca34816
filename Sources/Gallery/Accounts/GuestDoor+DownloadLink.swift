import Basics

/// A link that works for five minutes without a log-in, as long as the log-in lasts that it was asked for by: browsers
/// send no token when they follow one.
extension GuestDoor {
    static let linkLife = Duration.seconds(300)
    private static let longestLink = 120

    package func link(to event: String, by login: String) -> String {
        let end = (wall.wallNow + Self.linkLife).seconds
        return "\(end).\(login).\(guestKeys.signature(of: Self.claim(event, end, login)))"
    }

    /// The log-in that a good link was asked for by. Whether that has ended is for the database to say.
    package func login(ofLink pass: String, to event: String) -> String? {
        let parts = pass.split(separator: ".", omittingEmptySubsequences: false)
        guard pass.utf8.count <= Self.longestLink, parts.count == 3, let end = Int64(parts[0]),
            end > wall.wallNow.seconds
        else { return nil }
        let login = String(parts[1])
        return guestKeys.signer(of: parts[2], over: Self.claim(event, end, login)) == nil ? nil : login
    }

    private static func claim(_ event: String, _ end: Int64, _ login: String) -> [UInt8] {
        Array("zip\n\(event)\n\(end)\n\(login)".utf8)
    }
}
