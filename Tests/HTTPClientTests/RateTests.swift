import Basics
import HTTPClient
import Posix
import TestSupport
import Testing

extension OnTheWire {
    /// Bytes a second. The margins are wide, because other tests run beside these.
    @Suite struct RateTests {
        private func peer() throws -> HTTPPeer {
            try HTTPPeer { request in .text(200, "\(try await request.body.all().count)") }
        }

        private func seconds(_ body: () async throws -> Void) async rethrows -> Double {
            let start = MonotonicClock.now
            try await body()
            return (MonotonicClock.now - start).inSeconds
        }

        @Test("all uploads of a path share its rate, and those of another path do not feel it")
        func shares() async throws {
            let peer = try peer()
            try await withClient { (client: CurlClient) async throws in
                client.setRate(bytesPerSecond: 4_000_000, forPath: "cellular")
                let ends = Shared<[Double]>([])
                let (small, large) = (noise(800_000), noise(8 << 20))
                let limited = try await seconds {
                    try await withThrowingTaskGroup(of: Void.self) { group in
                        for _ in 0..<4 {
                            group.addTask {
                                let start = MonotonicClock.now
                                _ = try await client.send(
                                    HTTPRequest(
                                        "PUT", peer.url, body: .bytes(small), path: "cellular"))
                                ends.change { $0.append((MonotonicClock.now - start).inSeconds) }
                            }
                        }
                        group.addTask {
                            let request = HTTPRequest(
                                "PUT", peer.url, body: .bytes(large), path: "wifi")
                            let alone = try await seconds { _ = try await client.send(request) }
                            #expect(alone < 0.5)
                        }
                        try await group.waitForAll()
                    }
                }
                // 3.2 MB less the burst of 0.4 MB that is saved up, at 4 MB a second.
                #expect((0.65...1.2).contains(limited), "\(limited) s")
                // They take turns, so they end about together; but one of them may have had all that was saved up.
                #expect(ends.value.sorted()[1] > 0.4, "\(ends.value)")
            }
        }

        @Test("a transfer's own limit holds beside the path's, and the smaller one counts")
        func ownLimit() async throws {
            let peer = try peer()
            try await withClient { (client: CurlClient) async throws in
                client.setRate(bytesPerSecond: 50_000_000, forPath: "a")
                var request = HTTPRequest("PUT", peer.url, body: .bytes(noise(1_000_000)), path: "a")
                request.limits.maximumRate = 2_000_000
                let limited = try await seconds { _ = try await client.send(request) }
                #expect((0.3...0.8).contains(limited), "\(limited) s")
            }
        }

        @Test("a rate may change and end while bytes are held back")
        func changes() async throws {
            let peer = try peer()
            try await withClient { (client: CurlClient) async throws in
                client.setRate(bytesPerSecond: 1000, forPath: "a")
                let isOnItsWay = Signal()
                let request = HTTPRequest(
                    "PUT", peer.url, body: .bytes(noise(4 << 20)), path: "a",
                    onSent: { _ in isOnItsWay.fire() })
                async let response = client.send(request)
                await isOnItsWay.wait()
                let start = MonotonicClock.now
                client.setRate(bytesPerSecond: nil, forPath: "a")
                let body = try await response.body
                let released = (MonotonicClock.now - start).inSeconds
                #expect(String(decoding: body, as: UTF8.self) == "\(4 << 20)")
                #expect(released < 0.5, "\(released) s")
            }
        }

        @Test("what we hold back ourselves is no lack of progress, and can be taken back")
        func heldIsNoStall() async throws {
            let peer = try peer()
            try await withClient { (client: CurlClient) async throws in
                client.setRate(bytesPerSecond: 20_000, forPath: "a")
                var request = HTTPRequest("PUT", peer.url, body: .bytes(noise(40_000)), path: "a")
                request.limits.noProgress = .milliseconds(300)
                request.limits.minimumRate = 1_000_000
                // The first piece uses up what is saved, and the next is to be had after 0.8 s.
                #expect(try await client.send(request).status == 200)

                client.setRate(bytesPerSecond: 1, forPath: "a")
                let isOnItsWay = Signal()
                request.onSent = { _ in isOnItsWay.fire() }
                request.body = .bytes(noise(400_000))
                let refill = HTTPRequest("PUT", peer.url, body: .bytes([1]))
                #expect(try await client.send(refill).status == 200)
                let task = Task { [request] in await failure(of: client, request) }
                let start = MonotonicClock.now
                task.cancel()
                #expect(await task.value == .cancelled)
                #expect(MonotonicClock.now - start < .milliseconds(100))
            }
        }

        @Test("a small photo passes a slow path as soon as its own bytes are there")
        func small() async throws {
            let peer = try peer()
            try await withClient { (client: CurlClient) async throws in
                client.setRate(bytesPerSecond: 10_000, forPath: "a")
                let several = try await seconds {
                    for _ in 0..<4 {
                        _ = try await client.send(
                            HTTPRequest("PUT", peer.url, body: .bytes(noise(5000)), path: "a"))
                    }
                }
                #expect((0.2...0.9).contains(several), "\(several) s")
            }
        }
    }
}
