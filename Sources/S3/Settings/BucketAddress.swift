import Basics

/// `s3://bucket/prefix?endpoint=https://host:9000&region=eu-west-1&style=path&profile=desk`: a bucket, what stands before
/// every key in it, and how it is reached. Keys are in the environment, in a profile, or in the file that `credentials=` names,
/// never here.
package struct BucketAddress: Equatable, Sendable {
    package let bucket: String
    /// With its slash; empty for none.
    package let prefix: String
    package let choice: S3Settings.Choice

    /// "The name for a key is a sequence of Unicode characters whose UTF-8 encoding is up to 1,024 bytes long."
    package static let longestPrefix = 700
    private static let scheme = "s3://"

    package init(_ url: String) throws(S3Settings.Problem) {
        guard url.hasPrefix(Self.scheme) else {
            throw S3Settings.Problem(description: "'\(url)' is no bucket: s3://bucket/prefix is meant.")
        }
        let parts = url.dropFirst(Self.scheme.count)
            .split(separator: "?", maxSplits: 1, omittingEmptySubsequences: false)
        let authority = parts[0].prefix { $0 != "/" }
        // What might be a secret is not repeated.
        guard !authority.isEmpty, !authority.contains("@"), !authority.contains(":") else {
            throw S3Settings.Problem(
                description:
                    "an address of a bucket is s3://bucket/prefix?endpoint=https://host, without keys: these are in the "
                    + "environment.")
        }
        bucket = try Self.decoded(authority, in: url)
        prefix = try Self.prefix(parts[0].dropFirst(authority.count), in: url)
        var choice = S3Settings.Choice()
        for item in (parts.count == 2 ? parts[1] : "").split(separator: "&") {
            let pair = item.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            let value = pair.count == 2 ? try Self.decoded(pair[1], in: url) : ""
            guard choice.take(pair[0], value) else {
                throw S3Settings.Problem(
                    description: "'\(item)' in '\(url)' is not known; there are \(S3Settings.Choice.items).")
            }
        }
        self.choice = choice
        try choice.check(bucket)
    }

    private static func prefix(
        _ path: Substring, in url: String
    ) throws(S3Settings.Problem) -> String {
        var prefix = ""
        for part in path.split(separator: "/") {
            let component = try decoded(part, in: url)
            guard component != ".", component != "..", !component.contains("/"),
                !component.unicodeScalars.contains("\u{0}")
            else { throw S3Settings.Problem(description: "'\(part)' in '\(url)' is no name of a folder.") }
            prefix += "\(component)/"
        }
        guard prefix.utf8.count <= longestPrefix else {
            throw S3Settings.Problem(
                description: "the prefix in '\(url)' is longer than \(longestPrefix) bytes.")
        }
        return prefix
    }

    private static func decoded(
        _ text: Substring, in url: String
    ) throws(S3Settings.Problem) -> String {
        do throws(PercentEncoding.Invalid) {
            return try PercentEncoding.decoded(text)
        } catch {
            throw S3Settings.Problem(
                description:
                    "'\(text)' in '\(url)' is no text when it is decoded; write %25 for a percent sign.")
        }
    }
}

extension S3Settings.Choice {
    /// What an address may say of how a bucket is reached.
    package static let items =
        "endpoint=URL, region=NAME, profile=NAME, credentials=/absolute/path, style=path, style=virtual"

    /// One item of an address, decoded. False for what is none of these.
    package mutating func take(_ name: Substring, _ value: String) -> Bool {
        switch (name, value) {
        case ("endpoint", _): endpoint = value
        case ("region", _): region = value
        case ("profile", _): profile = value
        case ("credentials", let path) where path.hasPrefix("/"): credentialsFile = path
        case ("style", "path"): style = .path
        case ("style", "virtual"): style = .virtual
        default: return false
        }
        return true
    }

    /// So that a mistake is said when the operator makes it.
    package func check(_ bucket: String) throws(S3Settings.Problem) {
        _ = try S3Site(
            bucket: bucket, region: region ?? "us-east-1", endpoint: endpoint, style: style)
    }
}
