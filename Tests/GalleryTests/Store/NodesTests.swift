import Basics
import Database
import Digest
import Imaging
import Posix
import Postgres
import TestSupport
import Testing

@testable import Gallery

/// Two nodes with one database.
@Suite(.withPostgres, .timeLimit(.minutes(Cases.minutesOfHang))) struct NodesTests {
    private typealias Hall = NodesHall

    @Test("no upload is worked on by two nodes at a time, and each by one of them")
    func leases() async throws {
        let hall = try await Hall()
        var wanted: Set<String> = []
        for number in 0..<6 { wanted.insert(try await hall.landed("photo \(number)")) }
        var taken: [String] = []
        for turn in 0..<8 {
            if let next = try await hall.nodes[turn % 2].store({ try $0.nextToProcess(except: []) }) {
                taken.append(next.row.id)
            }
        }
        #expect(taken.count == 6 && Set(taken) == wanted)
        // What a node gives back when it stops, another takes at once.
        try await hall.nodes[0].store { try $0.giveLeasesBack() }
        #expect(try await hall.nodes[1].store { try $0.nextToProcess(except: []) } != nil)
    }

    @Test("what a node brings whose lease another has taken is not taken, and nothing is charged twice")
    func lateNode() async throws {
        let hall = try await Hall(lease: .zero)
        let upload = try await hall.landed("kiss")
        let (slow, quick) = (hall.nodes[0].store, hall.nodes[1].store)
        let first = try #require(try await slow { try $0.nextToProcess(except: []) })
        let again = try #require(try await quick { try $0.nextToProcess(except: []) })
        #expect(first.row.id == upload && again.row.id == upload)
        let photo = try await Hall.photo("kiss", slow)
        #expect(try await slow { try $0.complete(upload, key: first.key, with: photo) } == .late)
        let other = try await Hall.photo("kiss", quick)
        guard case .photo = try await quick({ try $0.complete(upload, key: again.key, with: other) }) else {
            Issue.record("the node that holds the lease is to bring it")
            return
        }
        #expect(try await quick { try $0.complete(upload, key: again.key, with: other) } == .late)
        let account = try await quick { [account = hall.account] in try $0.account(account) }
        #expect(account?.credits == 99)
    }

    @Test("many nodes and connections at once: each photo once, and each charged once", arguments: [1, 2, 3])
    func storm(seed: Int) async throws {
        let hall = try await Hall(names: ["a", "b", "c"])
        for number in 0..<30 { _ = try await hall.landed("photo \(number)") }
        try await withThrowingTaskGroup { group in
            for node in hall.nodes {
                for _ in 0..<2 {
                    group.addTask {
                        while let next = try await node.store({ try $0.nextToProcess(except: []) }) {
                            let photo = try await Hall.photo(next.row.id, node.store)
                            _ = try await node.store {
                                try $0.complete(next.row.id, key: next.key, with: photo)
                            }
                        }
                    }
                }
            }
            try await group.waitForAll()
        }
        let (account, event) = (hall.account, hall.event)
        let store = hall.nodes[0].store
        #expect(try await store { try $0.account(account)?.credits } == 70)
        #expect(try await store { try $0.event(event)?.counts.photos } == 30)
        let numbers = try await store { store in
            try store.database.all("SELECT sequence FROM photos ORDER BY sequence") {
                try $0.get("sequence", as: Int.self)
            }
        }
        #expect(numbers == Array(1...30))
    }

    @Test("one node does for all what is done once, and another when it has stopped")
    func duty() async throws {
        let hall = try await Hall()
        #expect(try await hall.nodes[0].store { try $0.takesDuty("sweep", for: .seconds(60)) })
        #expect(try await !hall.nodes[1].store { try $0.takesDuty("sweep", for: .seconds(60)) })
        #expect(try await hall.nodes[0].store { try $0.takesDuty("sweep", for: .zero) })
        #expect(try await hall.nodes[1].store { try $0.takesDuty("sweep", for: .seconds(60)) })
    }

    @Test("what one node commits another reads as news, in order and once")
    func news() async throws {
        let hall = try await Hall()
        let before = try await hall.nodes[1].reader { [event = hall.event] in try $0.lastStamp(ofEvent: event)
        }
        for text in ["kiss", "cake", "rain"] {
            let upload = try await hall.landed(text)
            let next = try #require(try await hall.nodes[0].store { try $0.nextToProcess(except: []) })
            let photo = try await Hall.photo(text, hall.nodes[0].store)
            _ = try await hall.nodes[0].store { try $0.complete(upload, key: next.key, with: photo) }
        }
        let event = hall.event
        let news = try await hall.nodes[1].reader { try $0.news(of: event, after: before) }
        #expect(news.items.count == 3 && !news.isMore)
        #expect(news.items.map(\.stamp) == news.items.map(\.stamp).sorted())
        let last = try #require(news.items.last).stamp
        let later = try await hall.nodes[1].reader { try $0.news(of: event, after: last) }
        #expect(later.items.isEmpty)
        let signs = try await hall.nodes[1].reader { try $0.recentSigns(within: .seconds(60)) }
        #expect(signs.keys.contains { $0.event == event })
    }
}
