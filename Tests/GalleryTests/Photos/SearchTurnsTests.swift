import Basics
import HTTPServer
import Synchronization
import TestSupport
import Testing

@testable import Gallery

/// Searches of one client and of others.
@Suite(.timeLimit(.minutes(Cases.minutesOfHang))) struct SearchTurnsTests {
    /// Searches that end when they are told to, and remember in which order they began.
    private final class Desk: Sendable {
        private let began = Mutex<[String]>([])
        private let gates = Mutex<[String: CheckedContinuation<Void, Never>]>([:])

        func search(_ name: String) async {
            await withCheckedContinuation { continuation in
                gates.withLock { $0[name] = continuation }
                began.withLock { $0.append(name) }
            }
        }

        var order: [String] { began.withLock { $0 } }

        /// Returns when the next has begun.
        func finish(_ name: String, next: String? = nil) async {
            gates.withLock { $0.removeValue(forKey: name) }?.resume()
            if let next { while !order.contains(next) { await Task.yield() } }
        }
    }

    private let clock = ManualClock()
    private let desk = Desk()
    private let hall = SearchClient(PeerKey("192.0.2.1"))
    private let other = SearchClient(PeerKey("198.51.100.7"))

    /// A guest in the hall whose browser is known.
    private func guest(_ name: String) -> SearchClient { SearchClient(hall.address, .known(name)) }

    /// A search that stands in line, or has begun, when this returns.
    private func begin(
        _ name: String, _ client: SearchClient, _ turns: SearchTurns
    ) async -> Task<Void, any Error> {
        let (before, began) = (turns.waiting, desk.order.count)
        let task = Task { [desk] in try await turns(for: client) { await desk.search(name) } }
        while turns.waiting == before, desk.order.count == began { await Task.yield() }
        return task
    }

    @Test("a guest elsewhere is the second, however many wait behind one address")
    func fairness() async throws {
        let turns = SearchTurns(atOnce: 1, time: clock)
        var tasks = [await begin("a1", hall, turns)]
        for name in ["a2", "a3", "a4"] { tasks.append(await begin(name, hall, turns)) }
        tasks.append(await begin("b1", other, turns))
        await desk.finish("a1", next: "a2")
        await desk.finish("a2", next: "b1")
        await desk.finish("b1", next: "a3")
        await desk.finish("a3", next: "a4")
        await desk.finish("a4")
        for task in tasks { try await task.value }
        #expect(desk.order == ["a1", "a2", "b1", "a3", "a4"])
        #expect(turns.waiting == 0)
    }

    @Test("guests behind one address take turns, and all of them together with other addresses")
    func guests() async throws {
        let turns = SearchTurns(atOnce: 1, time: clock)
        var tasks = [await begin("first", other, turns)]
        for name in ["a1", "a2", "a3"] { tasks.append(await begin(name, guest("a"), turns)) }
        for name in ["b1", "b2"] { tasks.append(await begin(name, guest("b"), turns)) }
        for name in ["o1", "o2"] { tasks.append(await begin(name, other, turns)) }
        let order = ["first", "a1", "o1", "b1", "o2", "a2", "b2", "a3"]
        for (name, next) in zip(order, order.dropFirst()) { await desk.finish(name, next: next) }
        await desk.finish("a3")
        for task in tasks { try await task.value }
        #expect(desk.order == order)
        #expect(turns.waiting == 0)
    }

    @Test("a guest whose browser is known has a line of its own, however long that of the others is")
    func ownLine() async throws {
        let turns = SearchTurns(atOnce: 1, time: clock)
        var tasks = [await begin("first", hall, turns)]
        for number in 0..<hall.most { tasks.append(await begin("\(number)", hall, turns)) }
        let (ann, bob) = (guest("ann"), guest("bob"))
        for number in 0..<ann.most { tasks.append(await begin("ann \(number)", ann, turns)) }
        for full in [hall, ann] {
            let refused = await #expect(throws: APIError.self) { try await turns(for: full) {} }
            #expect(refused?.code == .rateLimited)
        }
        tasks.append(await begin("bob", bob, turns))
        await desk.finish("first", next: "0")
        await desk.finish("0", next: "ann 0")
        await desk.finish("ann 0", next: "bob")
        for task in tasks.dropFirst() { task.cancel() }
        await desk.finish("bob")
        for task in tasks { _ = await task.result }
        #expect(turns.waiting == 0)
    }

    @Test("what is beyond the line of one address is refused at once, and others are still let in")
    func bound() async throws {
        let turns = SearchTurns(atOnce: 1, time: clock)
        var tasks = [await begin("first", hall, turns)]
        for number in 0..<hall.most { tasks.append(await begin("\(number)", hall, turns)) }
        let refused = await #expect(throws: APIError.self) { try await turns(for: hall) {} }
        #expect(refused?.code == .rateLimited)
        #expect(refused?.retryAfter == .seconds(1))
        let guest = await begin("guest", other, turns)
        await desk.finish("first", next: "0")
        await desk.finish("0", next: "guest")
        await desk.finish("guest", next: "1")
        try await guest.value
        for number in 1..<hall.most {
            await desk.finish(
                "\(number)", next: number + 1 < hall.most ? "\(number + 1)" : nil)
        }
        for task in tasks { try await task.value }
    }

    @Test("a client that has gone leaves the line, also one whose turn would have been next")
    func cancelled() async throws {
        let turns = SearchTurns(atOnce: 1, time: clock)
        let first = await begin("first", hall, turns)
        let gone = await begin("gone", other, turns)
        let last = await begin("last", hall, turns)
        gone.cancel()
        await #expect(throws: APIError.self) { try await gone.value }
        #expect(turns.waiting == 1)
        await desk.finish("first", next: "last")
        await desk.finish("last")
        try await first.value
        try await last.value
        #expect(desk.order == ["first", "last"])
    }

    @Test("what has waited too long is told so at once, also while another search hangs")
    func late() async throws {
        let turns = SearchTurns(atOnce: 1, time: clock)
        let first = await begin("first", hall, turns)
        let late = await begin("late", hall, turns)
        await clock.waitForSleepers(1)
        clock.advance(by: SearchTurns.patience + .milliseconds(1))
        await #expect(throws: APIError.self) { try await late.value }
        let last = await begin("last", hall, turns)
        await desk.finish("first", next: "last")
        await desk.finish("last")
        try await first.value
        try await last.value
    }

    @Test("a search that fails gives its turn on")
    func failure() async throws {
        struct Failure: Error {}
        let turns = SearchTurns(atOnce: 1, time: clock)
        await #expect(throws: Failure.self) { try await turns(for: hall) { throw Failure() } }
        try await turns(for: hall) {}
    }

    @Test("a guest beyond the line is told when to come back, and pages are answered all the same")
    func wired() async throws {
        let gallery = try GalleryGround()
        let host = try await gallery.host()
        let turns = gallery.server.lists.turns
        let photos = "/e/\(host.slug)/photos"
        let first = try await gallery.call("GET", "\(photos)?q=cake")
        let cookie = try #require(first.header("Set-Cookie")?.split(separator: ";").first.map(String.init))
        let most = gallery.ground.database.searchesAtOnce
        var tasks: [Task<Void, any Error>] = []
        for number in 0..<most + hall.most {
            tasks.append(await begin("\(number)", hall, turns))
        }
        let refused = try await gallery.call("GET", "\(photos)?q=cake")
        #expect(refused.status == 429 && refused.header("Retry-After") == "1", "\(refused)")
        // What is done beside a search that has no turn would be done for nothing, such as to count a new browser.
        let (lists, isDone) = (gallery.server.lists, Shared(false))
        await #expect(throws: APIError.self) {
            var filter = PhotoFilter()
            filter.text = "cake"
            _ = try await lists.found(
                of: host.event, filter, for: Request(path: photos, peer: "192.0.2.1"), by: .unknown
            ) { isDone.change { $0 = true } }
        }
        #expect(!isDone.value)
        // The host, and a guest who has searched before, are in the same hall.
        let before = turns.waiting
        async let own = gallery.call(
            "GET", "/events/\(host.event)/photos?q=cake", token: gallery.token(host))
        async let known = gallery.call("GET", "\(photos)?q=cake", headers: [HTTPHeader("Cookie", cookie)])
        while turns.waiting < before + 2 { await Task.yield() }
        #expect(try await gallery.call("GET", photos).status == 200)
        #expect(try await gallery.call("GET", "/e/\(host.slug)").status == 200)
        for number in 0..<tasks.count {
            let next = number + most
            await desk.finish("\(number)", next: next < tasks.count ? "\(next)" : nil)
        }
        for task in tasks { try await task.value }
        #expect(try await own.status == 200)
        #expect(try await known.status == 200)
        #expect(try await gallery.call("GET", "\(photos)?q=cake").status == 200)
    }

    @Test("as many run at once as may")
    func together() async throws {
        let turns = SearchTurns(atOnce: 2, time: clock)
        let tasks = [
            await begin("a", hall, turns), await begin("b", hall, turns), await begin("c", hall, turns),
        ]
        #expect(desk.order == ["a", "b"])
        await desk.finish("b", next: "c")
        await desk.finish("a")
        await desk.finish("c")
        for task in tasks { try await task.value }
    }
}
