import Basics
import Database
import TestSupport
import Testing

@testable import Gallery

/// Keys that nodes share, at a real PostgreSQL.
@Suite(.withPostgres, .timeLimit(.minutes(Cases.minutesOfHang))) struct SharedKeyTests {
    private struct Node {
        let database: GalleryDatabase
        let ring: KeyRing
        let clock = ManualClock()

        init(_ place: PostgresServer.Database, seed: UInt64) async throws {
            database = try GalleryDatabase(
                .server(try place.server.gallery(place.name), Worker(name: "\(seed)"), connections: 2),
                time: try GalleryThreads.time(), wall: GalleryWall(), random: SeededSource(seed))
            ring = try await KeyRing(at: SharedKeys(database.store), time: clock)
        }
    }

    /// So long ago that every node has read them.
    private func age(_ place: PostgresServer.Database) throws {
        try place.server.session(place.name).run(
            "UPDATE signing_keys SET created_at = created_at - ?",
            KeyRing.introduction.wholeMilliseconds)
    }

    @Test(
        "nodes that start at the same time have one key, and a new one signs when it is a quarter of a minute old"
    )
    func shared() async throws {
        let place = try PostgresServer.shared.get().freshDatabase()
        let nodes = try await withThrowingTaskGroup(of: Node.self) { group in
            for seed: UInt64 in 1...4 { group.addTask { try await Node(place, seed: seed) } }
            return try await group.reduce(into: [Node]()) { $0.append($1) }
        }
        let first = nodes[0].ring.keys(for: .access).current
        #expect(first.number == 1 && nodes.allSatisfy { $0.ring.keys(for: .access).current == first })
        #expect(try await nodes[0].ring.rotate() == 2)
        for node in nodes {
            try await node.ring.read()
            #expect(node.ring.secret.keys.map(\.number) == [2, 1])
            #expect(node.ring.keys(for: .access).current == first)
        }
        try age(place)
        for node in nodes {
            try await node.ring.read()
            #expect(node.ring.secret.current.number == 2)
            #expect(node.ring.keys(for: .access)[1] == first)
        }
    }

    @Test("who rotates or retires at the same time does so one after the other")
    func atOnce() async throws {
        let place = try PostgresServer.shared.get().freshDatabase()
        let nodes = [try await Node(place, seed: 1), try await Node(place, seed: 2)]
        let numbers = try await withThrowingTaskGroup(of: Int64.self) { group in
            for number in 0..<10 { group.addTask { try await nodes[number % 2].ring.rotate() } }
            return try await group.reduce(into: [Int64]()) { $0.append($1) }
        }
        #expect(numbers.sorted() == Array(2...11))
        let retired = try await withThrowingTaskGroup(of: APIError.Code?.self) { group in
            for number in 0..<6 {
                group.addTask {
                    try await AccountGround.refusal { try await nodes[number % 2].ring.retire(1) }?.code
                }
            }
            return try await group.reduce(into: [APIError.Code?]()) { $0.append($1) }
        }
        #expect(retired.count { $0 == nil } == 1 && retired.count { $0 == .notFound } == 5)
        let newest = try await AccountGround.refusal { try await nodes[0].ring.retire(11) }
        #expect(newest?.code == .conflict)
        #expect(try await nodes[0].ring.rotate() == 12)
    }

    @Test("a node reads the keys anew every few seconds, and goes on with those it has while it cannot")
    func keepReading() async throws {
        let place = try PostgresServer.shared.get().freshDatabase()
        let (writing, reading) = (try await Node(place, seed: 1), try await Node(place, seed: 2))
        let warnings = Shared<[String]>([])
        let log = GalleryLog { _, line in warnings.change { $0.append(line) } }
        let watch = Task { await reading.ring.keepReading(log) }
        defer { watch.cancel() }
        _ = try await writing.ring.rotate()
        func turn(until isDone: () -> Bool) async {
            while !isDone() {
                reading.clock.advance(by: KeyRing.readPause)
                await Task.yield()
            }
        }
        await turn { reading.ring.secret.keys.count == 2 }
        reading.database.close(because: "the test has taken it away")
        await turn { !warnings.value.isEmpty }
        #expect(reading.ring.secret.keys.map(\.number) == [2, 1])
        _ = try await writing.ring.rotate()
        reading.database.close(because: nil)
        await turn { reading.ring.secret.keys.count == 3 }
        #expect(warnings.value.count == 1 && warnings.value[0].contains("signing keys"))
    }
}
