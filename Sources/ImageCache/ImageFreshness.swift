import Basics

/// How long a copy of an answer may be shown without asking again: what RFC 9111 says to a cache of one user.
struct ImageFreshness: Equatable {
    /// "no-store": it is handed to those who asked for it, and nothing of it stays.
    let mayBeKept: Bool
    let until: Timestamp
    /// Whether it may be shown later than that while the gallery cannot be asked (§4.2.4).
    let mayBeStale: Bool

    /// What no answer may exceed: "kept for a year".
    static let longest = Duration.seconds(31_536_000)

    init(_ response: HTTPResponse, neverChanges: Bool, at now: Timestamp) {
        let directives = Self.directives(of: response)
        mayBeKept = directives["no-store"] == nil
        if neverChanges {
            (until, mayBeStale) = (now + Self.longest, true)
        } else if directives["no-cache"] != nil || Self.varies(response) {
            (until, mayBeStale) = (now, false)
        } else {
            until = now + Self.lifetime(directives, response, now)
            mayBeStale = directives["must-revalidate"] == nil
        }
    }

    /// Names in lower case. "Either the first occurrence should be used or the response should be considered stale"
    /// (§4.2.1).
    private static func directives(of response: HTTPResponse) -> [String: String] {
        var found: [String: String] = [:]
        for header in response.headers where header.name.lowercased() == "cache-control" {
            for part in header.value.split(separator: ",") {
                let words = part.split(separator: "=", maxSplits: 1)
                guard let name = words.first.map(Self.trimmed)?.lowercased(), !name.isEmpty else { continue }
                let value = words.count > 1 ? Self.trimmed(words[1]).filter { $0 != "\"" } : ""
                if found[name] == nil { found[name] = value }
            }
        }
        return found
    }

    private static func trimmed(_ text: Substring) -> String {
        let isBlank: (Character) -> Bool = { $0 == " " || $0 == "\t" }
        return String(text.drop(while: isBlank).reversed().drop(while: isBlank).reversed())
    }

    private static func lifetime(
        _ directives: [String: String], _ response: HTTPResponse, _ now: Timestamp
    ) -> Duration {
        let age = response["Age"].flatMap(seconds) ?? .zero
        let whole: Duration =
            if let text = directives["max-age"] {
                seconds(text) ?? .zero
            } else if directives["immutable"] != nil {
                longest
            } else if let end = response["Expires"].flatMap({ Timestamp(httpDate: $0) }) {
                end - (response.date ?? now)
            } else {
                .zero
            }
        return min(max(.zero, whole - age), longest)
    }

    /// "A non-negative integer"; one that is too large to be written down is the largest (§1.2.2).
    private static func seconds(_ text: String) -> Duration? {
        guard !text.isEmpty, text.utf8.allSatisfy({ (0x30...0x39).contains($0) }) else { return nil }
        return Int64(text.count <= 10 ? text : "9999999999").map { .seconds($0) }
    }

    /// "A stored response with a Vary header field value containing a member "*" always fails to match" (§4.1).
    private static func varies(_ response: HTTPResponse) -> Bool {
        response.headers.contains { $0.name.lowercased() == "vary" && $0.value.contains("*") }
    }
}
