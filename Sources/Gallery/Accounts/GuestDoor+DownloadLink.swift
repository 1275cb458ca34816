import Basics

/// Links to archives that work without a log-in or a cookie, because browsers send neither when they go on with a download.
/// Each leads to one archive: to those bytes, or to none.
extension GuestDoor {
    /// Long enough for a wedding by a slow line, cut and resumed.
    static let linkLife = Duration.seconds(6 * 3600)
    private static let longestLink = 7500

    /// What a link leads to.
    struct Archive: Equatable, Sendable {
        let wish: ArchiveWish
        /// A part of its ETag: when photos were hidden or deleted since, it is another archive.
        let digest: String
    }

    /// Whom a link works for, and how long.
    enum Holder: Equatable, Sendable {
        /// As long as that log-in lasts.
        case host(event: String, login: String)
        /// As long as the event's PIN and key are these.
        case guest(Event)

        fileprivate var claim: String {
            switch self {
            case .host(let event, let login): "host\n\(event)\n\(login)"
            case .guest(let event): "guest\n\(event.id)\n\(event.pinHash ?? "")\n\(event.key.text)"
            }
        }
    }

    /// What stands behind `pass=`, and when it ends.
    func link(to archive: Archive, for holder: Holder) -> (pass: String, end: Timestamp) {
        let end = Timestamp(milliseconds: (wall.wallNow + Self.linkLife).seconds * 1000)
        // Guests who ask for the same in the same second have links of their own: what one does by it is no other's.
        let number = String(random.next(), radix: 36)
        var parts = ["\(end.seconds)", archive.wish.text, archive.digest, number]
        if case .host(_, let login) = holder { parts.append(login) }
        let signature = guestKeys.signature(of: Self.claim(parts, holder))
        return ((parts + [signature]).joined(separator: "."), end)
    }

    /// What a host's good link leads to, and the log-in that asked for it. Whether that has ended is for the database to say.
    func archive(ofHostLink pass: String, to event: String) -> (archive: Archive, login: String)? {
        guard let parts = parts(of: pass, 6) else { return nil }
        let login = parts[4]
        return archive(parts, .host(event: event, login: login)).map { ($0, login) }
    }

    func archive(ofGuestLink pass: String, to event: Event) -> Archive? {
        parts(of: pass, 5).flatMap { archive($0, .guest(event)) }
    }

    private func parts(of pass: String, _ count: Int) -> [String]? {
        guard pass.utf8.count <= Self.longestLink else { return nil }
        let parts = pass.split(separator: ".", omittingEmptySubsequences: false).map(String.init)
        return parts.count == count ? parts : nil
    }

    private func archive(_ parts: [String], _ holder: Holder) -> Archive? {
        guard let signature = parts.last, let end = Int64(parts[0]), end > wall.wallNow.seconds,
            guestKeys.signer(of: signature[...], over: Self.claim(parts.dropLast(), holder)) != nil,
            let wish = ArchiveWish(text: parts[1])
        else { return nil }
        return Archive(wish: wish, digest: parts[2])
    }

    private static func claim(_ parts: some Sequence<String>, _ holder: Holder) -> [UInt8] {
        Array("archive\n\(parts.joined(separator: "\n"))\n\(holder.claim)".utf8)
    }
}
