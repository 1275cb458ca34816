import Basics

/// Numbers of one node that are about how it lives with the database and with others.
struct NodeMetrics {
    var writing: PoolFigures
    var reading: PoolFigures
    var streams: Int
    /// Whether the database has answered a look that has a connection of its own.
    var isDatabaseUp: Bool
    /// What `/ready` answers, as of the last seconds.
    var isReady: Bool
    /// What is counted there, where that was known soon.
    var rows: RowFigures?
    var now: Timestamp
    var lostLeases: Int
    /// Nothing where there are no other nodes.
    var notifications: UInt64?
    /// For how long no commit of this node's has succeeded; nothing where the database is a file.
    var commitsWait: Duration?
    /// Nothing where there are no other nodes, and before the first look.
    var clockAhead: Duration?
    /// Nothing where images are in a folder, or are given out by others.
    var copies: NearCopies.Figures?

    var text: String {
        var lines: [String] = []
        func family(_ name: String, _ type: String, _ help: String, _ samples: [String]) {
            lines += ["# HELP \(name) \(help)", "# TYPE \(name) \(type)"] + samples
        }
        family(
            "gallery_database_up", "gauge", "Whether the database has answered within two seconds.",
            ["gallery_database_up \(isDatabaseUp ? 1 : 0)"])
        family(
            "gallery_ready", "gauge", "Whether /ready sends clients here; the log says why it does not.",
            ["gallery_ready \(isReady ? 1 : 0)"])
        if let rows {
            let age = rows.oldestArrival.map { max(0, Double(now.milliseconds - $0) / 1000) } ?? 0
            family(
                "gallery_queue_oldest_seconds", "gauge",
                "How long the oldest upload that is not worked out yet has waited.",
                ["gallery_queue_oldest_seconds \(age)"])
        }
        if let commitsWait {
            family(
                "gallery_commits_wait_seconds", "gauge",
                "How long a commit that this node makes every five seconds has waited; near 0 while they succeed.",
                ["gallery_commits_wait_seconds \(commitsWait / Duration.seconds(1))"])
        }
        if let clockAhead {
            family(
                "gallery_clock_ahead_seconds", "gauge",
                "By how much this node's clock is ahead of the database's, or, where it is below 0, behind it.",
                ["gallery_clock_ahead_seconds \(clockAhead / Duration.seconds(1))"])
        }
        family(
            "gallery_event_streams", "gauge", "Clients that listen to events.",
            ["gallery_event_streams \(streams)"])
        let pools = [("write", writing), ("read", reading)]
        family(
            "gallery_database_pool_waits_total", "counter",
            "How often no connection to the database was free.",
            pools.map { "gallery_database_pool_waits_total{pool=\"\($0)\"} \($1.waits)" })
        family(
            "gallery_database_pool_wait_seconds_total", "counter", "How long these waited for one.",
            pools.map {
                "gallery_database_pool_wait_seconds_total{pool=\"\($0)\"} \($1.waited / Duration.seconds(1))"
            })
        family(
            "gallery_database_retries_total", "counter",
            "What was done again, because of others or of a connection that ended.",
            pools.map { "gallery_database_retries_total{pool=\"\($0)\"} \($1.retries)" })
        family(
            "gallery_database_seconds", "histogram",
            "How long connections to the database were used at a time.",
            pools.flatMap(Self.histogram))
        family(
            "gallery_lease_losses_total", "counter", "Work that another node took over before it was done.",
            ["gallery_lease_losses_total \(lostLeases)"])
        if let notifications {
            family(
                "gallery_notifications_total", "counter",
                "What was heard from the database of other nodes' changes.",
                ["gallery_notifications_total \(notifications)"])
        }
        if let copies {
            family(
                "gallery_image_sources_total", "counter",
                "Where images of a bucket came from that this node gave out: its own copies, or the bucket.",
                [("copy", copies.given), ("bucket", copies.fetched)].map {
                    "gallery_image_sources_total{from=\"\($0)\"} \($1)"
                })
            family(
                "gallery_image_copy_bytes", "gauge",
                "Bytes of images of the bucket that this node has copies of.",
                ["gallery_image_copy_bytes \(copies.bytes)"])
        }
        return lines.joined(separator: "\n") + "\n"
    }

    private static func histogram(_ pool: String, _ figures: PoolFigures) -> [String] {
        let name = "gallery_database_seconds"
        return zip(PoolFigures.bounds, figures.buckets).map {
            "\(name)_bucket{pool=\"\(pool)\",le=\"\($0)\"} \($1)"
        } + [
            "\(name)_bucket{pool=\"\(pool)\",le=\"+Inf\"} \(figures.uses)",
            "\(name)_sum{pool=\"\(pool)\"} \(figures.used / Duration.seconds(1))",
            "\(name)_count{pool=\"\(pool)\"} \(figures.uses)",
        ]
    }

    /// Every sample says whose it is.
    static func labelled(_ text: String, node: String) -> String {
        let node = escaped(node)
        return text.split(separator: "\n").map { line -> String in
            if line.hasPrefix("#") { return String(line) }
            if let brace = line.firstIndex(of: "{") {
                return line[..<brace] + "{node=\"\(node)\"," + line[line.index(after: brace)...]
            }
            guard let space = line.firstIndex(of: " ") else { return String(line) }
            return line[..<space] + "{node=\"\(node)\"}" + line[space...]
        }.joined(separator: "\n") + "\n"
    }

    /// As a label's value stands between its quotes.
    private static func escaped(_ value: String) -> String {
        value.replacing("\\", with: "\\\\").replacing("\"", with: "\\\"").replacing("\n", with: "\\n")
    }
}

extension GalleryServer {
    /// What Prometheus reads. It gives up after ten seconds by itself, and then knows nothing of the node at all.
    func metricsText() async -> String {
        async let look = lookAtDatabase()
        async let readyNow = isReady()
        // Not among what guests' pages wait for, where all of them have one connection.
        async let counted = rowFigures.value(within: .seconds(2), of: time) {
            [searcher = database.searcher] in
            try await searcher { try $0.figures() }
        }
        let (isUp, rows) = await (look.problem == nil, counted)
        let figures = NodeMetrics(
            writing: store.figures, reading: database.reader.figures, streams: feeds.listeners,
            isDatabaseUp: isUp, isReady: await readyNow, rows: rows, now: store.wall.wallNow,
            lostLeases: await processor.totals.lost, notifications: cluster?.follower.notifications,
            commitsWait: cluster?.commits.waiting, clockAhead: cluster?.clock.ahead,
            copies: storage.copies?.figures)
        let text =
            metrics.text(await processor.totals, rows?.totals, since: started, at: figures.now) + figures.text
        return settings.node.map { NodeMetrics.labelled(text, node: $0) } ?? text
    }
}
