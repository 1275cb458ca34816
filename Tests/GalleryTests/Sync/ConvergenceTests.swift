import Basics
import Bridge
import HTTPServer
import TestSupport
import Testing

@testable import Gallery

@Suite struct ConvergenceTests {
    /// Ids that follow from the seed.
    private final class IDs {
        private var count = 100

        func next() -> String {
            count += 1
            return TestIDs.id(count)
        }
    }

    /// All that the server has, in one page.
    private func server(_ ground: SyncGround) async throws -> [String: OfflineClient.Record] {
        let response = try await SyncEndpoint(store: ground.ground.database.store).sync(
            AccountGround.post(["changes": []]), of: ground.owner)
        var records: [String: OfflineClient.Record] = [:]
        for change in try SyncReply(try AccountGround.data(response)).changes {
            let record: OfflineClient.Record = try #require(OfflineClient.record(change))
            records[try #require(change["id"]?.string)] = record
        }
        return records
    }

    /// Two clients, a server that deletes too, answers that are lost, changes made while an answer is on its way.
    private func quarrel(
        _ ground: SyncGround, _ clients: inout [OfflineClient], _ random: inout Seeded
    ) async throws {
        let ids = IDs()
        for step in 0..<120 {
            ground.ground.wall.go(.milliseconds(Int64.random(in: 0..<40_000, using: &random)))
            let index = Int.random(in: 0..<clients.count, using: &random)
            switch Int.random(in: 0..<10, using: &random) {
            case 0..<6: clients[index].act(&random, newID: ids.next)
            case 6:
                let events = try await server(ground).filter {
                    $0.value.type == "event" && $0.value.version.deletedAt == nil
                }
                guard let event = events.keys.sorted().randomElement(using: &random) else { continue }
                _ = try await ground.store.putPhoto(event, owner: ground.owner.id, number: step)
            case 7 where random.chance(30):
                let photos = try await server(ground).filter { $0.value.type == "photo" }
                guard let photo = photos.keys.sorted().randomElement(using: &random) else { continue }
                _ = try await ground.store.deletePhoto(photo, of: ground.owner.id)
            default:
                let luck: OfflineClient.Luck =
                    random.chance(20) ? .answerLost : random.chance(10) ? .requestLost : .fine
                let busy = random.chance(30)
                var inner = random
                try await clients[index].sync(luck) { client in
                    if busy { client.act(&inner, newID: ids.next) }
                }
                random = inner
            }
        }
    }

    @Test(
        "clients with wrong clocks, lost answers and late changes end with what the server has",
        arguments: Cases.galleries(full: 300))
    func converge(seed: UInt64) async throws {
        var random = Seeded(seed)
        let ground = try await SyncGround(seed: seed, pulls: 5)
        var clients = (0..<2).map { _ in
            // The first may be so far ahead that its changes are refused.
            OfflineClient(ground, skew: .seconds(Int64.random(in: -900..<400, using: &random)))
        }
        try await quarrel(ground, &clients, &random)
        for _ in 0..<3 {
            for index in clients.indices { try await clients[index].sync(.fine) }
        }
        let all = try await server(ground)
        #expect(all.count > 3, "nothing happened under seed \(seed)")
        for client in clients {
            #expect(!client.isDirty)
            #expect(client.records == all, "seed \(seed), clock ahead by \(client.skew)")
        }
    }

    @Test("a client that pulls while others write misses nothing", arguments: Cases.galleries(full: 50))
    func nothingMissed(seed: UInt64) async throws {
        let ground = try await SyncGround(seed: seed, pulls: 3)
        let writers = Shared(4)
        let seen = try await withThrowingTaskGroup(of: [String: OfflineClient.Record]?.self) { group in
            for writer in 0..<4 {
                group.addTask {
                    var random = Seeded(seed &* 10 &+ UInt64(writer))
                    for step in 0..<25 {
                        let id = TestIDs.id(Int.random(in: 0..<12, using: &random))
                        let at = ground.now + .milliseconds(Int64(step * 4 + writer))
                        let data: JSONValue? =
                            random.chance(20) ? nil : ["name": .string("\(writer) \(step)")]
                        try await ground.sync([ground.change("event", id, data, at: at)])
                    }
                    writers.change { $0 -= 1 }
                    return nil
                }
            }
            group.addTask {
                var reader = OfflineClient(ground, skew: .zero)
                // Once more after the last writer has ended.
                while writers.value > 0 { try await reader.sync(.fine) }
                try await reader.sync(.fine)
                return reader.records
            }
            var seen: [String: OfflineClient.Record]?
            for try await records in group { seen = records ?? seen }
            return seen
        }
        #expect(seen == (try await server(ground)), "seed \(seed)")
    }
}
