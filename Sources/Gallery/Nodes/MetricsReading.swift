/// What a node's /metrics says, read for a table of all nodes. What cannot be read is left out: another version says more, or
/// less.
package struct MetricsReading: Equatable, Sendable {
    /// A sample's value by its name, summed over its labels but for those that are asked for.
    private var samples: [(name: String, labels: Substring, value: Double)] = []
    /// As the node calls itself.
    package private(set) var node: String?

    private static let mostSamples = 20_000

    package init(_ text: String) {
        for line in text.split(separator: "\n").prefix(Self.mostSamples) where !line.hasPrefix("#") {
            guard let space = line.lastIndex(of: " "),
                let value = Double(line[line.index(after: space)...])
            else { continue }
            let key = line[..<space]
            let brace = key.firstIndex(of: "{") ?? key.endIndex
            let labels = key[brace...]
            samples.append((String(key[..<brace]), labels, value))
            if node == nil, let start = labels.firstRange(of: "node=\"") {
                node = String(labels[start.upperBound...].prefix { $0 != "\"" })
            }
        }
    }

    package static func == (left: MetricsReading, right: MetricsReading) -> Bool {
        left.samples.elementsEqual(right.samples) { $0 == $1 }
    }

    /// The sum of a family's samples with that label, or of all; nothing where there are none.
    package func sum(_ name: String, with label: String = "") -> Double? {
        let values = samples.filter { $0.name == name && (label.isEmpty || $0.labels.contains(label)) }
        return values.isEmpty ? nil : values.reduce(0) { $0 + $1.value }
    }
}

/// One line of `gallery top`: a node between two looks at it.
package struct NodeActivity: Equatable, Sendable {
    package static let header = [
        "node", "requests/s", "photos/min", "streams", "queue", "oldest", "database", "waits/s", "taken over",
    ]

    package let cells: [String]

    /// `before` is of so many seconds ago.
    package init(_ now: MetricsReading, since before: MetricsReading, seconds: Double, address: String) {
        func rate(_ name: String, per span: Double = 1) -> String {
            guard seconds > 0, let last = now.sum(name), let first = before.sum(name) else { return "–" }
            // A node that was started anew counts from nothing.
            return Self.text(max(0, last - first) / seconds * span)
        }
        func level(_ name: String, with label: String = "") -> String {
            now.sum(name, with: label).map(Self.text) ?? "–"
        }
        let uses =
            (now.sum("gallery_database_seconds_count") ?? 0)
            - (before.sum("gallery_database_seconds_count") ?? 0)
        let used =
            (now.sum("gallery_database_seconds_sum") ?? 0) - (before.sum("gallery_database_seconds_sum") ?? 0)
        cells = [
            now.node ?? address, rate("gallery_http_requests_total"),
            rate("gallery_photos_made_total", per: 60),
            level("gallery_event_streams"), level("gallery_uploads", with: "status=\"processing\""),
            now.sum("gallery_queue_oldest_seconds").map { "\(Self.text($0)) s" } ?? "–",
            uses > 0 ? "\(Self.text(used / uses * 1000)) ms" : "–", rate("gallery_database_pool_waits_total"),
            level("gallery_lease_losses_total"),
        ]
    }

    /// One that does not answer.
    package init(silent address: String) {
        cells = [address] + Self.header.dropFirst().map { _ in "–" }
    }

    /// One digit behind the point where that says something.
    private static func text(_ value: Double) -> String {
        let tenths = (value * 10).rounded()
        guard tenths.magnitude < 1e15 else { return "much" }
        let whole = Int64(tenths)
        return value >= 100 || whole % 10 == 0 ? "\(Int64(value.rounded()))" : "\(whole / 10).\(whole % 10)"
    }
}
