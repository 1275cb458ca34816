package import Basics
package import Bridge

/// What a hook is told, as environment variables. All of them are always there; what is not known is empty.
package enum HookFacts {
    /// Of ours only what a program needs to find others, its user's folder and its language.
    package static let inherited = ["PATH", "HOME", "LANG"]

    package static func environment(
        _ happening: PhotoEvent, _ facts: [(key: String, value: JSONValue)], spool: String,
        inherited: [String: String]
    ) -> [String: String] {
        let facts = JSONValue.object(facts)
        let event = facts["event"]
        let camera = facts["camera"]
        var file = ""
        if let id = event?["id"]?.string, let name = facts["file"]?.string { file = "\(spool)/\(id)/\(name)" }
        let told = [
            "HAPPENING": happening.rawValue,
            "EVENT": text(event?["name"]),
            "EVENT_ID": text(event?["id"]),
            "CAPTURE": text(facts["capture"]),
            "NAME": text(facts["name"]),
            "FILE": file,
            "SIZE": text(facts["size"]),
            "SHA256": text(facts["sha256"]),
            "CAMERA": [camera?["manufacturer"], camera?["model"]].map(text).filter { !$0.isEmpty }
                .joined(separator: " "),
            "SERIAL": text(camera?["body"]),
            "CAPTURE_DATE": text(facts["captureDate"]),
            "RECEIPTS": (facts["receipts"] ?? []).compact,
        ]
        var environment = inherited.filter { Self.inherited.contains($0.key) }
        for (name, value) in told { environment["TETHERLINE_\(name)"] = value }
        // A variable ends at a zero, and names come from cameras.
        return environment.mapValues { $0.filter { $0 != "\0" } }
    }

    private static func text(_ value: JSONValue?) -> String {
        switch value {
        case nil, .null: ""
        case .string(let text): text
        case .some(let value): value.compact
        }
    }
}
