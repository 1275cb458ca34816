import Basics
import Bridge
import Posix
import Store
import Upload

/// Asks destinations what lies there of what they have acknowledged. Sends nothing.
struct ReadBack {
    let reader: LedgerReader
    let destinations: [any Destination]
    /// In whose places some of these are: what they have counts for these.
    let former: [any Destination]
    /// So many of each destination, chosen by chance; all where nothing is said.
    let sample: Int?
    let random: any RandomSource
    /// Only these, as names, paths or numbers; all where none is said.
    var photos: [String] = []

    /// Those of a sample.
    static let sizes: ClosedRange<UInt64> = 1...1_000_000
    /// Questions that one destination is asked at a time.
    private static let atOnce = 3

    /// What was found at one destination, as it is counted.
    struct Count: Equatable {
        var delivered = 0
        /// Of these, what was to be looked at.
        var chosen = 0
        var looked = 0
        var found: [String: Int] = [:]
        var isConsumed = false
        /// Why something could not be looked at.
        var reason: String?
    }

    /// Gives a line for each photo that is not simply there, one after each round, and one for each destination.
    func run(_ tell: (JSONValue) async throws -> Void) async throws {
        for destination in destinations { try await look(at: destination, tell) }
    }

    private func look(
        at destination: any Destination, _ tell: (JSONValue) async throws -> Void
    ) async throws {
        var count = Count()
        count.isConsumed = destination.consumes
        var jobs = try self.jobs(at: destination)
        count.delivered = jobs.count
        choose(among: &jobs)
        count.chosen = jobs.count
        let round = max(1, destination.mostLooked) * Self.atOnce
        var next = 0
        while next < jobs.count {
            try Task.checkCancellation()
            let deliveries = try reader.deliveries(jobs[next..<min(next + round, jobs.count)])
            next += round
            let standings = await standings(of: deliveries, at: destination)
            for (delivery, standing) in zip(deliveries, standings) {
                count.add(standing)
                if let line = Self.line(delivery, standing) { try await tell(line) }
            }
            try await tell(["readBackLooked": .integer(Int64(count.looked))])
            // The destination does not answer: asking for each photo would take for ever.
            if !standings.isEmpty, standings.allSatisfy(\.isUnanswered) { break }
            if let standing = standings.first(where: \.isOfAll) {
                count.add(standing, times: count.chosen - count.looked)
                break
            }
        }
        try await tell(count.line(destination.url))
    }

    private func jobs(at destination: any Destination) throws -> [JobID] {
        guard !photos.isEmpty else { return try reader.delivered(to: destination.id) }
        var jobs: Set<JobID> = []
        for photo in photos {
            let found = try reader.delivered(photo, to: destination.id)
            guard !found.isEmpty else {
                throw NothingThere(
                    description:
                        "'\(photo)' is no photo that was delivered to \(destination.url); 'tetherline captures' "
                        + "shows names and numbers.")
            }
            jobs.formUnion(found)
        }
        return jobs.sorted()
    }

    /// The first so many of a shuffled list, in their order again.
    private func choose(among jobs: inout [JobID]) {
        guard let sample, sample < jobs.count else { return }
        var chance = Randomness(random)
        for place in 0..<sample { jobs.swapAt(place, Int.random(in: place..<jobs.count, using: &chance)) }
        jobs = jobs.prefix(sample).sorted()
    }

    private func standings(
        of deliveries: [LedgerReader.Delivery], at destination: any Destination
    ) async -> [Standing] {
        var found = await Self.standings(of: deliveries, at: destination)
        // Its place may have been taken because it has moved, or because photos go elsewhere now.
        for (index, delivery) in deliveries.enumerated() where delivery.destination != destination.id {
            guard found[index] != .there, !found[index].isOfAll else { continue }
            found[index] = await standing(ofFormer: delivery)
        }
        return found
    }

    private func standing(ofFormer delivery: LedgerReader.Delivery) async -> Standing {
        guard let place = former.first(where: { $0.id == delivery.destination }) else {
            return .unanswered("\(delivery.url) is not known any more")
        }
        let found = await place.readBack([delivery.receipt])[0]
        // What is so of all its photos is not so of all that are asked for here.
        if case .nothingCheckable(let text) = found { return .notCheckable(text) }
        return found
    }

    private static func standings(
        of deliveries: [LedgerReader.Delivery], at destination: any Destination
    ) async -> [Standing] {
        let most = max(1, destination.mostLooked)
        return await withTaskGroup(of: (Int, [Standing]).self) { group in
            for first in stride(from: 0, to: deliveries.count, by: most) {
                let receipts = deliveries[first..<min(first + most, deliveries.count)].map(\.receipt)
                group.addTask { (first, await destination.readBack(receipts)) }
            }
            var found: [Int: [Standing]] = [:]
            for await (first, standings) in group { found[first] = standings }
            return found.sorted { $0.key < $1.key }.flatMap(\.value)
        }
    }

    private static func line(
        _ delivery: LedgerReader.Delivery, _ standing: Standing
    ) -> JSONValue? {
        guard !standing.saysNothing, standing != .there else { return nil }
        return [
            "readBack": .string(standing.word), "destination": .string(delivery.url),
            "job": .integer(delivery.job.number), "capture": .integer(delivery.capture.number),
            "path": .string(delivery.path), "receipt": delivery.receipt.json,
            "spooled": .bool(delivery.isSpooled),
            "reason": .optional(standing.reason) { .string($0) },
        ]
    }
}

extension ReadBack.Count {
    mutating func add(_ standing: Standing, times: Int = 1) {
        looked += times
        found[standing.word, default: 0] += times
        if standing.saysNothing { reason = reason ?? standing.reason }
    }

    func line(_ url: String) -> JSONValue {
        .object(
            [
                (key: "readBackOf", value: .string(url)),
                (key: "delivered", value: .integer(Int64(delivered))),
                (key: "chosen", value: .integer(Int64(chosen))),
                (key: "looked", value: .integer(Int64(looked))),
            ]
                + Standing.words.map { (key: $0, value: .integer(Int64(found[$0, default: 0]))) }
                + [
                    (key: "consumed", value: .bool(isConsumed)),
                    (key: "reason", value: .optional(reason) { .string($0) }),
                ])
    }
}

extension Standing {
    static let words = ["there", "gone", "altered", "withdrawn", "notCheckable", "unanswered"]

    var word: String {
        switch self {
        case .there: "there"
        case .altered: "altered"
        case .gone: "gone"
        case .withdrawn: "withdrawn"
        case .notCheckable, .nothingCheckable: "notCheckable"
        case .unanswered: "unanswered"
        }
    }

    var reason: String? {
        switch self {
        case .there, .gone: nil
        case .altered(let text), .withdrawn(let text), .notCheckable(let text), .nothingCheckable(let text),
            .unanswered(let text):
            text
        }
    }

    /// It says nothing of the photo.
    var saysNothing: Bool {
        switch self {
        case .notCheckable, .nothingCheckable, .unanswered: true
        case .there, .altered, .gone, .withdrawn: false
        }
    }

    /// What holds for every photo of the destination.
    var isOfAll: Bool { if case .nothingCheckable = self { true } else { false } }

    var isUnanswered: Bool { if case .unanswered = self { true } else { false } }
}
