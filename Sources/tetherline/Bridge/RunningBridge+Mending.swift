import Basics
import Bridge
import Camera
import Posix
import Store
import Transfer
import Upload

/// What others ask of a running bridge about photos that were delivered, and about files in its spool.
extension RunningBridge {
    func readBack(
        _ request: JSONValue, _ reply: @Sendable (String) async throws -> Void
    ) async throws {
        try requireOwnEvent(request)
        let url = request["destination"]?.string
        let asked =
            try url.map { [try RepairService.destination($0, of: deliveries.destinations)] }
            ?? deliveries.destinations
        var readBack = ReadBack(
            reader: try LedgerReader(path: command.home.database), destinations: asked,
            former: deliveries.former, sample: try Self.sample(request), random: SystemRandomSource())
        readBack.photos = request["photos"]?.array?.compactMap(\.string) ?? []
        try await readBack.run { try await reply($0.compact) }
    }

    private static func sample(_ request: JSONValue) throws -> Int? {
        guard let value = request["sample"], value != .null else { return nil }
        guard let sample = value.integer.flatMap({ UInt64(exactly: $0) }), ReadBack.sizes.contains(sample)
        else {
            throw CommandRouter.Refused(
                description:
                    "a sample has from \(ReadBack.sizes.lowerBound) to \(ReadBack.sizes.upperBound) photos")
        }
        return Int(sample)
    }

    func redeliver(
        _ request: JSONValue, _ reply: @Sendable (String) async throws -> Void
    ) async throws {
        try requireOwnEvent(request)
        let wanted = try RedeliveryRequest(request)
        let destination = try RepairService.destination(wanted.url, of: deliveries.destinations)
        let threads = Threads()
        defer { threads.shutDown() }
        try await mending(threads).redeliver(wanted.entries, to: destination) {
            try await reply($0.compact)
        }
    }

    func mend(
        _ request: JSONValue, _ reply: @Sendable (String) async throws -> Void
    ) async throws {
        let captures = (request["captures"]?.array ?? []).compactMap { $0.integer.map { CaptureID($0) } }
        let threads = Threads()
        defer { threads.shutDown() }
        try await mending(threads).mend(captures) { try await reply($0.compact) }
    }

    private func mending(_ threads: Threads) throws -> RepairService {
        RepairService(
            ledger: ledger, reader: try LedgerReader(path: command.home.database),
            destinations: deliveries.destinations, former: deliveries.former,
            repair: repair, workers: threads.makeWorkers(), cards: TetheredCards(cameras: cameras.all),
            deliveries: deliveries)
    }
}
