import Basics
import Bridge
import Camera
import Posix
import Store
import Transfer
import Upload

/// What sending again and mending need, wherever they are done: in the bridge that runs, or in a command of its own.
struct RepairService {
    let ledger: Ledger
    let reader: LedgerReader
    let destinations: [any Destination]
    /// Those in whose place others are by now: what they have may be read.
    let former: [any Destination]
    let repair: SpoolRepair
    let workers: PhotoWorkers
    let cards: any CardAccess
    let deliveries: Deliveries?

    /// Deliveries in one request.
    static let mostAtOnce = 3000

    static func destination(_ url: String, of destinations: [any Destination]) throws -> any Destination {
        guard let found = destinations.first(where: { $0.url == url }) else {
            throw NothingThere(
                description:
                    "this event has no destination '\(url)'; it has \(destinations.map(\.url).joined(separator: ", "))."
            )
        }
        return found
    }

    // MARK: Sending again

    /// Brings into the spool what is not there, and begins the deliveries again. One line for each.
    func redeliver(
        _ wanted: [(job: JobID, reason: String)], to destination: any Destination,
        _ tell: (JSONValue) async throws -> Void
    ) async throws {
        guard !destination.consumes else { throw Consumed(url: destination.url) }
        let deliveries = try reader.deliveries(wanted.map(\.job)).filter {
            [$0.destination, $0.successor].contains(destination.id)
        }
        let reasons = Dictionary(wanted.map { ($0.job, $0.reason) }, uniquingKeysWith: { first, _ in first })
        let repeats = Dictionary(
            grouping: deliveries.map {
                (job: $0.job, reason: reasons[$0.job] ?? "it was gone", of: $0.capture)
            },
            by: \.of
        ).mapValues { $0.map { (job: $0.job, reason: $0.reason) } }
        var lacking: [SpooledCapture] = []
        var ready: [CaptureID] = []
        for capture in repeats.keys.sorted() {
            guard let photo = try reader.spooled(capture) else { continue }
            if try await repair.look(at: photo) == .whole, !photo.isRemoved {
                ready.append(capture)
            } else {
                lacking.append(photo)
            }
        }
        // What has begun goes on, also when the client has hung up.
        let begun = try await ledger.redeliver(ready.flatMap { repeats[$0] ?? [] })
        let restorer = PhotoRestorer(
            lacking, wanted: repeats, ledger: ledger, repair: repair, workers: workers,
            underWay: self.deliveries)
        try await restorer.restore(cards, (destinations + former).filter { $0.id != destination.id }, reader)
        let sources = Dictionary(
            lacking.map { ($0.id, restorer.outcome(of: $0)) }, uniquingKeysWith: { first, _ in first })
        let all = restorer.begun.union(begun)
        for delivery in deliveries {
            let source = sources[delivery.capture] ?? .restored(from: "the spool")
            try await tell(Self.line(delivery, source, hasBegun: all.contains(delivery.job)))
        }
    }

    private static func line(
        _ delivery: LedgerReader.Delivery, _ outcome: PhotoRestorer.Outcome, hasBegun: Bool
    ) -> JSONValue {
        let path = JSONValue.string(delivery.path)
        switch outcome {
        case .restored(let source) where hasBegun:
            return [
                "redelivered": .integer(delivery.job.number), "path": path, "from": .string(source),
            ]
        case .restored:
            return [
                "notRedelivered": .integer(delivery.job.number), "path": path,
                "reason": "another command has begun it again, or its file was just let go of",
            ]
        case .none(let why):
            return ["notRedelivered": .integer(delivery.job.number), "path": path, "reason": .string(why)]
        }
    }

    struct Consumed: Error, CustomStringConvertible {
        let url: String

        var description: String {
            "\(url): other programs remove what is delivered there (consumed=true), so what is gone cannot be known; "
                + "nothing is sent again."
        }
    }

    // MARK: Mending the spool

    /// Fetches files again that are not what the ledger says. One line for each.
    func mend(_ captures: [CaptureID], _ tell: (JSONValue) async throws -> Void) async throws {
        var lacking: [SpooledCapture] = []
        for id in captures {
            guard let photo = try reader.spooled(id), !photo.isRemoved else { continue }
            if try await repair.look(at: photo) != .whole { lacking.append(photo) }
        }
        let restorer = PhotoRestorer(
            lacking, ledger: ledger, repair: repair, workers: workers, underWay: self.deliveries)
        try await restorer.restore(cards, destinations + former, reader)
        for photo in lacking {
            switch restorer.outcome(of: photo) {
            case .restored(let source):
                try await tell([
                    "mended": .integer(photo.id.number), "path": .string(photo.path), "from": .string(source),
                ])
            case .none(let why):
                try await tell([
                    "notMended": .integer(photo.id.number), "path": .string(photo.path),
                    "reason": .string(why),
                ])
            }
        }
    }
}
