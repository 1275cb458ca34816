import Basics
import Posix

/// A bucket and where it is.
package struct S3Site: Equatable, Sendable {
    package enum Style: String, Equatable, Sendable {
        /// `https://host/bucket/key`
        case path
        /// `https://bucket.host/key`
        case virtual
    }

    package let bucket: String
    package let region: String
    /// `http` or `https`.
    package let scheme: String
    /// As `Host` says it: without the scheme's own port.
    package let authority: String
    package let host: String
    package let port: UInt16
    /// What stands before every key, encoded; it ends with a slash.
    private let base: String

    package init(bucket: String, place: S3Settings.Place) throws(S3Settings.Problem) {
        try self.init(
            bucket: bucket, region: place.region, endpoint: place.endpoint, style: place.style)
    }

    package init(bucket: String, settings: S3Settings) throws(S3Settings.Problem) {
        try self.init(
            bucket: bucket, region: settings.region, endpoint: settings.endpoint, style: settings.style)
    }

    package init(
        bucket: String, region: String, endpoint: String? = nil, style: Style? = nil
    ) throws(S3Settings.Problem) {
        guard Self.isName(bucket, "._-"), Self.isName(region, "-_") else {
            throw S3Settings.Problem(
                description: "'\(bucket)' in '\(region)' cannot be the name of a bucket in a region.")
        }
        let parts = try EndpointParts(endpoint ?? Self.amazon(region))
        // A certificate for *.host does not cover a name with dots, and other stores rarely have names for buckets.
        let fits = !bucket.contains(".") && bucket.lowercased() == bucket && !bucket.contains("_")
        let style = style ?? (endpoint == nil && fits ? .virtual : .path)
        self.bucket = bucket
        self.region = region
        scheme = parts.scheme
        port = parts.port
        host = style == .virtual ? "\(bucket).\(parts.host)" : parts.host
        authority = host + (parts.hasOwnPort ? ":\(parts.port)" : "")
        base = parts.path + (style == .virtual ? "/" : "/\(bucket)/")
    }

    private static func amazon(_ region: String) -> String {
        "https://s3.\(region).amazonaws.com" + (region.hasPrefix("cn-") ? ".cn" : "")
    }

    private static func isName(_ text: String, _ others: String) -> Bool {
        !text.isEmpty && text.utf8.count <= 255 && text != "." && text != ".."
            && text.allSatisfy { $0.isASCII && ($0.isLetter || $0.isNumber) || others.contains($0) }
    }

    /// "Each path segment is encoded once for S3", and its slashes stay.
    package func path(of key: String?) -> String {
        guard let key else { return base }
        return base + PercentEncoding.encoded(key, keeping: "/")
    }

    package func url(path: String, query: String) -> String {
        "\(scheme)://\(authority)\(path)" + (query.isEmpty ? "" : "?\(query)")
    }
}

/// `https://host:port/path` of a store's operator.
private struct EndpointParts {
    let scheme: String
    /// As a URL has it: an IPv6 address in brackets.
    let host: String
    let port: UInt16
    /// Whether it is another than the scheme's own.
    let hasOwnPort: Bool
    /// Without a slash at its end.
    let path: String

    init(_ url: String) throws(S3Settings.Problem) {
        let problem = S3Settings.Problem(
            description: "the endpoint '\(url)' is no address of a server; https://host:port is meant.")
        guard let colon = url.firstRange(of: "://") else { throw problem }
        scheme = url[..<colon.lowerBound].lowercased()
        let rest = url[colon.upperBound...]
        let authority = rest.prefix { $0 != "/" }
        guard scheme == "http" || scheme == "https", !rest.contains(where: { "?#@ ".contains($0) }) else {
            throw problem
        }
        path = String(rest.dropFirst(authority.count).reversed().drop { $0 == "/" }.reversed())
        let usual: UInt16 = scheme == "https" ? 443 : 80
        do throws(HostPort.Unreadable) {
            let place = try HostPort(authority.lowercased(), defaultPort: usual)
            guard place.port > 0 else { throw HostPort.Unreadable(text: url, reason: "0 is no port") }
            host = place.host.contains(":") ? "[\(place.host)]" : place.host
            port = place.port
            hasOwnPort = place.port != usual
        } catch {
            throw problem
        }
    }
}
