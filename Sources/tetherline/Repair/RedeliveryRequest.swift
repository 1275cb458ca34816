import Basics
import Bridge
import Posix
import Store

/// What a running bridge is to send again, and why each.
struct RedeliveryRequest {
    let url: String
    let entries: [(job: JobID, reason: String)]

    /// Characters of a reason in a request; the ledger would keep more.
    private static let longestReason = 300
    /// Bytes of the request that are not entries.
    private static let margin = 8 << 10

    /// As few requests as the control socket takes.
    static func requests(
        for entries: [(job: JobID, reason: String)], to url: String
    ) -> [RedeliveryRequest] {
        let request = RedeliveryRequest(url: url, entries: entries)
        let size = JSONValue.object(request.members).compact.utf8.count
        guard size > ControlListener.longestRequest - margin, entries.count > 1 else { return [request] }
        let half = entries.count / 2
        return requests(for: Array(entries[..<half]), to: url)
            + requests(for: Array(entries[half...]), to: url)
    }

    /// Each reason once, with its jobs.
    var members: [(key: String, value: JSONValue)] {
        let reasons = Dictionary(grouping: entries) { String($0.reason.prefix(Self.longestReason)) }
        let groups = reasons.sorted { $0.key < $1.key }.map { reason, entries -> JSONValue in
            [
                "reason": .string(reason), "jobs": .array(entries.map { .integer($0.job.number) }),
            ]
        }
        return [
            (key: "command", value: .string("redeliver")), (key: "destination", value: .string(url)),
            (key: "reasons", value: .array(groups)),
        ]
    }

    private init(url: String, entries: [(job: JobID, reason: String)]) {
        self.url = url
        self.entries = entries
    }

    /// As it comes from another program.
    init(_ request: JSONValue) throws {
        url = request["destination"]?.string ?? ""
        entries = (request["reasons"]?.array ?? []).flatMap { group in
            let reason = group["reason"]?.string ?? "it was gone"
            return (group["jobs"]?.array ?? []).compactMap { $0.integer.map { (JobID($0), reason) } }
        }
        guard !entries.isEmpty else {
            throw CommandRouter.Refused(description: "the request names no deliveries")
        }
    }
}
