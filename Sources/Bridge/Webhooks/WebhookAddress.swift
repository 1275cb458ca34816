/// Where a listener is: an absolute URL, as the operator wrote it.
public struct WebhookAddress: Equatable, Sendable {
    public let url: String
    /// Scheme and host. The rest of it may be a secret, and is not shown.
    public let name: String

    public struct Invalid: Error, Equatable, Sendable, CustomStringConvertible {
        public let description: String
    }

    public static let longest = 2000

    public init(_ url: String) throws(Invalid) {
        func invalid(_ reason: String) -> Invalid {
            Invalid(description: "a webhook's address \(reason), such as https://host/path")
        }
        guard url.utf8.count <= Self.longest, url.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7F }) else {
            throw invalid("is at most \(Self.longest) characters of ASCII without spaces")
        }
        guard let scheme = ["https://", "http://"].first(where: { url.lowercased().hasPrefix($0) }) else {
            throw invalid("begins with https:// or http://")
        }
        let rest = url.dropFirst(scheme.utf8.count)
        let authority = rest.prefix { $0 != "/" && $0 != "?" && $0 != "#" }
        guard !authority.isEmpty, !authority.hasPrefix(":") else { throw invalid("names a host") }
        guard !authority.contains("@") else {
            throw invalid("holds no user and no password; deliveries are signed with the secret")
        }
        guard !rest.contains("#") else { throw invalid("has no part after a #") }
        self.url = url
        name = scheme + authority
    }
}
