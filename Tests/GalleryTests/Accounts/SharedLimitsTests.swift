import Basics
import Database
import HTTPServer
import TestSupport
import Testing

@testable import Gallery

/// Limits that hold over all nodes of a gallery, at a real PostgreSQL.
@Suite(.withPostgres, .timeLimit(.minutes(Cases.minutesOfHang))) struct SharedLimitsTests {
    /// Two nodes, with a door and accounts each.
    private struct Nodes {
        struct Node: Sendable {
            let database: GalleryDatabase
            let accounts: Accounts
            let door: GuestDoor
        }

        let wall = GalleryWall()
        let database: PostgresServer.Database
        let nodes: [Node]
        let event: GuestDoor.Event

        init() async throws {
            let database = try PostgresServer.shared.get().freshDatabase()
            self.database = database
            let wall = wall
            nodes = try ["one", "two"].enumerated().map { place, name in
                let rows = try GalleryDatabase(
                    .server(
                        try database.server.gallery(database.name), Worker(name: name), connections: 3),
                    time: try GalleryThreads.time(), wall: wall, random: SeededSource(UInt64(place) + 1))
                let hasher = PasswordHasher(
                    executor: GalleryThreads.hasher, random: SeededSource(7), hash: PasswordHash(cost: 1),
                    mostWaiting: 1000)
                let keys = KeyRing(AccountGround.secret)
                let accounts = Accounts(
                    store: rows.store, keys: keys, hasher: hasher, time: wall.clock,
                    settings: AccountGround.settings)
                let door = GuestDoor(
                    keys: keys, hasher: hasher, time: wall.clock, wall: wall,
                    random: SeededSource(UInt64(place) + 20), isSecure: false, shared: accounts.sharedLimits)
                return Node(database: rows, accounts: accounts, door: door)
            }
            event = GuestDoor.Event(
                id: TestIDs.id(1), pinHash: try await nodes[0].door.hash(pin: "471100"),
                key: GuestLinkKey(random: SeededSource(4)))
        }

        func request(_ cookie: HTTPHeader? = nil, from peer: String = "192.0.2.1") -> Request {
            let pair = cookie?.value.split(separator: ";").first.map { [HTTPHeader("Cookie", String($0))] }
            return Request(path: "/", headers: pair ?? [], peer: peer)
        }

        func code(
            _ node: Int, _ pin: String, device: HTTPHeader? = nil, from peer: String = "192.0.2.1"
        ) async throws -> APIError.Code? {
            try await AccountGround.refusal {
                try await nodes[node % 2].door.enter(event, pin: pin, request(device, from: peer))
            }?.code
        }
    }

    @Test("what one node has looked at counts at the other, and for as long as in memory")
    func together() async throws {
        let nodes = try await Nodes()
        for number in 0..<60 { #expect(try await nodes.code(number, "000000") == .forbidden) }
        for number in 0..<2 { #expect(try await nodes.code(number, "471100") == .rateLimited) }
        #expect(try await nodes.code(0, "471100", from: "192.0.2.2") == nil)
        nodes.wall.go(.seconds(10))
        #expect(try await nodes.code(1, "000000") == .forbidden)
        #expect(try await nodes.code(0, "000000") == .rateLimited)
        // What was right is none of them.
        nodes.wall.go(.seconds(10))
        for number in 0..<20 { #expect(try await nodes.code(number, "471100") == nil) }
    }

    @Test("of four hundred who guess at both nodes at once sixty are looked at")
    func atOnce() async throws {
        let nodes = try await Nodes()
        let codes = try await withThrowingTaskGroup(of: APIError.Code?.self) { group in
            for number in 0..<400 { group.addTask { try await nodes.code(number, "000000") } }
            return try await group.reduce(into: [APIError.Code?]()) { $0.append($1) }
        }
        #expect(codes.count { $0 == .forbidden } == 60 && codes.count { $0 == .rateLimited } == 340)
    }

    @Test("a hall behind one address is let in by both nodes, while others guess there, in few transactions")
    func hall() async throws {
        let nodes = try await Nodes()
        let codes = try await withThrowingTaskGroup(of: APIError.Code?.self) { group in
            for number in 0..<300 {
                group.addTask {
                    let asked = try await nodes.nodes[number % 2].door.deviceCookie(for: nodes.request())
                    let device = try #require(asked)
                    // The balancer sends the next request to the other.
                    return try await nodes.code(number + 1, "471100", device: device)
                }
                if number % 2 == 0 {
                    group.addTask {
                        _ = try await nodes.code(number / 2, "000000")
                        return nil
                    }
                }
            }
            return try await group.reduce(into: [APIError.Code?]()) { $0.append($1) }
        }
        #expect(codes.allSatisfy { $0 == nil })
        let uses = nodes.nodes.reduce(0) { $0 + $1.database.store.figures.uses }
        // Three decisions for each guest, one or two for each guess.
        #expect(uses < 600, "\(uses) transactions")
    }

    @Test("a device's five wrong ones are five at all nodes, and its cookie is good at each")
    func device() async throws {
        let nodes = try await Nodes()
        let device = try #require(try await nodes.nodes[0].door.deviceCookie(for: nodes.request()))
        for number in 0..<65 { #expect(try await nodes.code(number, "000000", device: device) == .forbidden) }
        for number in 0..<2 {
            #expect(try await nodes.code(number, "471100", device: device) == .rateLimited)
        }
    }

    @Test("log-ins, accounts that are made, passwords that are changed and mails are counted together")
    func accounts() async throws {
        let nodes = try await Nodes()
        func refusal(_ count: Int, _ call: (Accounts) async throws -> Response) async throws -> [APIError
            .Code?]
        {
            var codes: [APIError.Code?] = []
            for number in 0..<count {
                codes.append(
                    try await AccountGround.refusal { try await call(nodes.nodes[number % 2].accounts) }?.code
                )
            }
            return codes
        }
        let made = try await nodes.nodes[0].accounts.register(
            AccountGround.post([
                "email": "host@example.org", "password": "correct horse", "displayName": "Host",
            ]))
        let token = try AccountGround.pair(made).access
        let wrong: JSONValue = ["email": "host@example.org", "password": "wrong horse"]
        let logins = try await refusal(62) { try await $0.login(AccountGround.post(wrong)) }
        #expect(
            logins.count { $0 == .unauthenticated } == 60 && logins.suffix(2) == [.rateLimited, .rateLimited])
        let change: JSONValue = ["current": "wrong horse", "new": "another horse"]
        let changes = try await refusal(12) {
            try await $0.changePassword(AccountGround.post(change, token: token))
        }
        #expect(
            changes.count { $0 == .forbidden } == 10 && changes.suffix(2) == [.rateLimited, .rateLimited])
        let rule = AccountGround.settings.registersPerAccount
        let again: JSONValue = [
            "email": "host@example.org", "password": "correct horse", "displayName": "Host",
        ]
        let registers = try await refusal(rule.tries + 1) { accounts in
            try await accounts.register(AccountGround.post(again))
        }
        #expect(registers.last == .rateLimited && registers.first == .conflict)
    }

    @Test("where the database cannot be reached nothing is compared, and the answer is 503")
    func away() async throws {
        let nodes = try await Nodes()
        let node = nodes.nodes[0]
        node.database.close(because: "the test has taken it away")
        for call in [
            { try await node.door.enter(nodes.event, pin: "471100", nodes.request()).map { _ in } ?? () },
            { _ = try await node.door.deviceCookie(for: nodes.request()) },
            {
                _ = try await node.accounts.login(
                    AccountGround.post(["email": "host@example.org", "password": "correct horse"]))
            },
        ] as [@Sendable () async throws -> Void] {
            do {
                try await call()
                Issue.record("it was looked at")
            } catch let error as Unavailable {
                let answer = GalleryServer.refusal(error, nodes.request(), GalleryLog { _, _ in })
                #expect(answer.status == 503 && answer.headers.contains { $0.name == "Retry-After" })
            }
        }
        // No caller is left waiting, and it goes on when the database is there again.
        node.database.close(because: nil)
        #expect(try await nodes.code(0, "471100") == nil)
    }

    @Test("rows go when no limit asks for them, and the quietest where there are too many")
    func sweep() async throws {
        let nodes = try await Nodes()
        let store = nodes.nodes[0].database.store
        func rows() async throws -> Int64 {
            try await store {
                try $0.database.first("SELECT count(*) AS n FROM limits") { try $0.get("n", as: Int64.self) }
            } ?? 0
        }
        for number in 0..<5 { _ = try await nodes.code(0, "000000", from: "192.0.2.\(number)") }
        nodes.wall.go(.seconds(25 * 3600))
        for number in 5..<15 { _ = try await nodes.code(0, "000000", from: "192.0.2.\(number)") }
        try await store { try $0.sweepLimits() }
        // Each address, and the event.
        #expect(try await rows() == 16)
        nodes.wall.go(.seconds(2 * 3600))
        try await store { try $0.sweepLimits() }
        #expect(try await rows() == 11)
        nodes.wall.go(.seconds(3600))
        for number in 20..<23 { _ = try await nodes.code(0, "000000", from: "192.0.2.\(number)") }
        try await store { try $0.sweepLimits(most: 3) }
        #expect(try await rows() == 4)
        #expect(try await nodes.code(1, "471100") == nil)
    }
}
