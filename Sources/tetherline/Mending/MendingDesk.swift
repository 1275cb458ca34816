import Bridge
import Camera
import Posix
import Store
import Transfer
import Upload

/// What sending again and mending need, wherever they are done: in the bridge that runs, or in a command of its own.
struct MendingDesk {
    let ledger: Ledger
    let reader: LedgerReader
    let destinations: [any Destination]
    let mender: SpoolMender
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
        let deliveries = try reader.deliveries(wanted.map(\.job)).filter { $0.destination == destination.id }
        var photos: [CaptureID: SpooledCapture] = [:]
        var lacking: [SpooledCapture] = []
        for delivery in deliveries {
            guard let photo = try reader.spooled(delivery.capture) else { continue }
            photos[photo.id] = photo
            if try await mender.look(at: photo) != .whole || photo.isRemoved { lacking.append(photo) }
        }
        let restorer = PhotoRestorer(
            lacking, ledger: ledger, mender: mender, workers: workers, underWay: self.deliveries)
        try await restorer.restore(cards, destinations.filter { $0.id != destination.id }, reader)
        let isLacking = Set(lacking.map(\.id))
        let reasons = Dictionary(wanted.map { ($0.job, $0.reason) }, uniquingKeysWith: { first, _ in first })
        for delivery in deliveries {
            guard let photo = photos[delivery.capture] else { continue }
            let outcome =
                isLacking.contains(photo.id) ? restorer.outcome(of: photo) : .restored(from: "the spool")
            try await tell(try await begin(delivery, outcome, reasons[delivery.job] ?? "it was gone"))
        }
    }

    private func begin(
        _ delivery: LedgerReader.Delivery, _ outcome: PhotoRestorer.Outcome, _ reason: String
    ) async throws -> JSONValue {
        let path = JSONValue.string(delivery.path)
        switch outcome {
        case .restored(let source):
            let begun = try await ledger.redeliver([(delivery.job, reason)])
            guard !begun.isEmpty else {
                return [
                    "notRedelivered": .integer(delivery.job.number), "path": path,
                    "reason": "another command has begun it again, or its file was just let go of",
                ]
            }
            return [
                "redelivered": .integer(delivery.job.number), "path": path, "from": .string(source),
            ]
        case .none(let why):
            return ["notRedelivered": .integer(delivery.job.number), "path": path, "reason": .string(why)]
        }
    }

    struct Consumed: Error, CustomStringConvertible {
        let url: String

        var description: String {
            "\(url): what is delivered there is taken away by others (consumed=true), so nobody can say what is gone; "
                + "nothing is sent again."
        }
    }

    // MARK: Mending the spool

    /// Fetches files again that are not what the ledger says. One line for each.
    func mend(_ captures: [CaptureID], _ tell: (JSONValue) async throws -> Void) async throws {
        var lacking: [SpooledCapture] = []
        for id in captures {
            guard let photo = try reader.spooled(id), !photo.isRemoved else { continue }
            if try await mender.look(at: photo) != .whole { lacking.append(photo) }
        }
        let restorer = PhotoRestorer(
            lacking, ledger: ledger, mender: mender, workers: workers, underWay: self.deliveries)
        try await restorer.restore(cards, destinations, reader)
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
