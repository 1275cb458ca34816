import Basics

/// How guests get the bytes of images, and how long these may be kept on the way.
///
/// Whatever the way is, whether a guest may look is decided at `GET /images/{key}` of this server: a CDN asks there for what it
/// does not have, and a bucket gives out only what an address was signed for there.
package struct ImageDelivery: Equatable, Sendable {
    package enum Way: Equatable, Sendable {
        case here
        /// From the storage itself: a client that may look is sent there.
        case storage
        /// From caches that ask here, by their address without a slash at its end: "https://cdn.example.org". Only for events
        /// without a PIN, because a cache lets every client in.
        case cdn(String)
    }

    package var way: Way
    /// Caches are told what to forget.
    package var purges: Bool

    package init(_ way: Way = .here, purges: Bool = false) {
        self.way = way
        self.purges = purges
    }

    /// The addresses of images that guests of an event are shown.
    func addresses(isOpen: Bool) -> ImageAddresses {
        switch way {
        case .here: ImageAddresses()
        case .storage: ImageAddresses(namesDownloads: true)
        case .cdn(let base): isOpen ? ImageAddresses(base: base, namesDownloads: true) : ImageAddresses()
        }
    }

    // MARK: Copies

    /// How long browsers show an image without asking again: a year, in seconds. "Clients should not send a conditional
    /// request for the response during its freshness lifetime" (RFC 8246, §2).
    private static let freshness = "max-age=31536000, immutable"
    /// How long a cache that is not told what to forget gives an image to others. What was taken back is gone from it then,
    /// because "the s-maxage directive incorporates the semantics of the proxy-revalidate response directive" (RFC 9111,
    /// §5.2.2.10).
    static let sharedSeconds = 60
    /// How long a browser follows a redirect again without asking. The address that it leads to lives longer.
    static let redirectSeconds = 30

    /// What an image is answered with that a guest may see. `isWhole`: asked for by its own address alone, since caches are
    /// told to forget nothing else. An event that has an end ends in caches too, which are not told.
    func cacheControl(isOpen: Bool, hasEnd: Bool, isWhole: Bool) -> String {
        guard isOpen else { return "private, \(Self.freshness)" }
        let isForgotten = purges && !hasEnd && isWhole
        return isForgotten
            ? "public, \(Self.freshness)" : "public, s-maxage=\(Self.sharedSeconds), \(Self.freshness)"
    }

    /// What a redirect is answered with. A signed address is good for every client that has it, so that no cache keeps it.
    func redirectControl(isGuest: Bool) -> String {
        way == .storage && isGuest ? "private, max-age=\(Self.redirectSeconds)" : "no-store"
    }
}

/// What stands around an image's key in an address that guests are given.
package struct ImageAddresses: Equatable, Sendable {
    /// Empty for this server.
    var base = ""
    /// An original says itself under which name it is saved, because a link to another server cannot.
    var namesDownloads = false

    func image(_ key: String) -> String { base + Self.path(key) }
    func original(_ key: String) -> String { image(key) + (namesDownloads ? "?download" : "") }

    static func path(_ key: String) -> String { "\(folder)\(PercentEncoding.encoded(key))" }

    /// Whether that is the path of it, to the letter: a key has nothing that could be escaped.
    static func isPath(_ path: String, of key: String) -> Bool {
        path.hasPrefix(folder) && path.utf8.dropFirst(folder.utf8.count).elementsEqual(key.utf8)
    }

    private static let folder = "/images/"
}
