package import Basics
package import HTTPServer
import Synchronization

/// Numbers for monitoring, as Prometheus reads them. No label holds what a client chose.
package final class Metrics: Sendable {
    private struct Histogram {
        var buckets: [UInt64]
        var sum = 0.0
        var count: UInt64 = 0
    }

    /// What is known of one route. Found once for each request, so that counting costs next to nothing.
    private struct Numbers {
        /// By method and status, as one number.
        var requests: [Int: UInt64] = [:]
        var took = Histogram(buckets: [UInt64](repeating: 0, count: Metrics.bounds.count))

        mutating func note(_ key: Int, _ seconds: Double) {
            requests[key, default: 0] += 1
            for (index, bound) in Metrics.bounds.enumerated() where seconds <= bound {
                took.buckets[index] += 1
            }
            took.sum += seconds
            took.count += 1
        }
    }

    private struct State {
        var routes: [String: Numbers] = [:]
        var sent: UInt64 = 0
        var received: UInt64 = 0
    }

    private let state = Mutex(State())
    /// Seconds.
    private static let bounds = [0.001, 0.005, 0.02, 0.1, 0.5, 2.0, 10.0]
    private static let methods = ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS", "other"]

    package init() {}

    package func note(_ entry: AccessEntry) {
        let method = Self.methods.firstIndex(of: entry.method) ?? Self.methods.count - 1
        // Most take less than a millisecond.
        let seconds = entry.took / Duration.seconds(1)
        state.withLock { state in
            state.routes[entry.route ?? "none", default: Numbers()].note(
                method * 1000 + entry.status, seconds)
            state.sent += entry.sent
            state.received += entry.received
        }
    }

    /// Without what is counted in the database, where that does not answer.
    package func text(
        _ totals: Processor.Totals, _ counts: GalleryTotals?, since start: Timestamp, at now: Timestamp
    ) -> String {
        var lines: [String] = []
        func family(_ name: String, _ type: String, _ help: String, _ samples: [String]) {
            guard !samples.isEmpty else { return }
            lines.append("# HELP \(name) \(help)")
            lines.append("# TYPE \(name) \(type)")
            lines += samples
        }
        let snapshot = state.withLock { $0 }
        family(
            "gallery_http_requests_total", "counter", "Requests by route, method and status.",
            snapshot.routes.flatMap { route, numbers in
                numbers.requests.map { key, count in
                    "gallery_http_requests_total{route=\"\(route)\",method=\"\(Self.methods[key / 1000])\","
                        + "status=\"\(key % 1000)\"} \(count)"
                }
            }.sorted())
        family(
            "gallery_http_request_duration_seconds", "histogram", "How long requests took, by route.",
            snapshot.routes.sorted { $0.key < $1.key }.flatMap { Self.samples($0.key, $0.value.took) })
        family(
            "gallery_http_sent_bytes_total", "counter", "Bytes of bodies sent.",
            ["gallery_http_sent_bytes_total \(snapshot.sent)"])
        family(
            "gallery_http_received_bytes_total", "counter", "Bytes of bodies received.",
            ["gallery_http_received_bytes_total \(snapshot.received)"])
        family(
            "gallery_photos_made_total", "counter", "Photos made since the start.",
            ["gallery_photos_made_total \(totals.photos)"])
        family(
            "gallery_photo_bytes_made_total", "counter", "Bytes of the originals of these.",
            ["gallery_photo_bytes_made_total \(totals.bytes)"])
        family(
            "gallery_duplicates_total", "counter", "Uploads of bytes that were a photo already.",
            ["gallery_duplicates_total \(totals.duplicates)"])
        family(
            "gallery_uploads_failed_total", "counter", "Uploads that did not become a photo since the start.",
            ["gallery_uploads_failed_total \(totals.failed)"])
        if let counts {
            for row in Self.rows(counts, at: now) { family(row.name, "gauge", row.help, row.samples) }
        }
        family(
            "gallery_start_time_seconds", "gauge", "When this server started.",
            ["gallery_start_time_seconds \(start.seconds)"])
        return lines.joined(separator: "\n") + "\n"
    }

    private static func rows(_ counts: GalleryTotals, at now: Timestamp) -> [(
        name: String, help: String, samples: [String]
    )] {
        let uploads = counts.uploads.sorted { $0.key < $1.key }.map {
            "gallery_uploads{status=\"\($0.key)\"} \($0.value)"
        }
        let purgeAge = counts.oldestPurge.map { max(.zero, now - $0) } ?? .zero
        return [("gallery_uploads", "Uploads that are under way or have failed, by their state.", uploads)]
            + [
                ("gallery_photos", "Photos that are here.", "\(counts.photos)"),
                ("gallery_photo_bytes", "Bytes of their originals.", "\(counts.bytes)"),
                (
                    "gallery_objects_to_remove", "Objects that wait for being removed from the storage.",
                    "\(counts.removals)"
                ),
                (
                    "gallery_purges_waiting", "Images that caches outside were not told to forget yet.",
                    "\(counts.purges)"
                ),
                (
                    "gallery_purge_oldest_seconds", "How long the oldest of these has waited.",
                    "\(purgeAge.wholeMilliseconds / 1000)"
                ),
            ].map { ($0, $1, ["\($0) \($2)"]) }
    }

    private static func samples(_ route: String, _ histogram: Histogram) -> [String] {
        let name = "gallery_http_request_duration_seconds"
        let buckets = zip(bounds, histogram.buckets).map {
            "\(name)_bucket{route=\"\(route)\",le=\"\($0)\"} \($1)"
        }
        return buckets + [
            "\(name)_bucket{route=\"\(route)\",le=\"+Inf\"} \(histogram.count)",
            "\(name)_sum{route=\"\(route)\"} \(histogram.sum)",
            "\(name)_count{route=\"\(route)\"} \(histogram.count)",
        ]
    }
}
