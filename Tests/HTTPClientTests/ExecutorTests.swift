import Basics
import Glibc
import HTTPClient
import Posix
import TestSupport
import Testing

extension OnTheWire {
    /// Code that makes requests may run on the thread that performs them.
    @Suite struct ExecutorTests {
        private static func thread() -> UInt { pthread_self() }

        @Test("requests are made, and their answers come, without leaving the thread")
        func oneThread() async throws {
            let peer = try HTTPPeer { _ in HTTPPeer.Answer(200) }
            try await withClient { (client: CurlClient) async throws in
                let threads = await Task(executorPreference: client.executor) {
                    var threads = [Self.thread()]
                    for _ in 0..<50 {
                        #expect(await failure(of: client, HTTPRequest("GET", peer.url)) == nil)
                        threads.append(Self.thread())
                    }
                    return threads
                }.value
                #expect(Set(threads).count == 1 && threads.first != Self.thread())
                #expect(peer.connectionCount == 1)
            }
        }

        @Test("others are served meanwhile, from whichever thread they ask")
        func others() async throws {
            let peer = try HTTPPeer { _ in HTTPPeer.Answer(200) }
            try await withClient { (client: CurlClient) async throws in
                try await withThrowingTaskGroup(of: Int.self) { group in
                    for number in 0..<64 {
                        let executor = number.isMultiple(of: 2) ? client.executor : nil
                        group.addTask(executorPreference: executor) {
                            try await client.send(HTTPRequest("PUT", peer.url, body: .bytes(noise(9000))))
                                .status
                        }
                    }
                    for try await status in group { #expect(status == 200) }
                }
            }
        }

        @Test("its time passes while a transfer waits, and while there is none")
        func timers() async throws {
            let isThere = Signal()
            let peer = try HTTPPeer { request in
                isThere.fire()
                await request.body.waitUntilGone()
                return .nothing(then: .closes)
            }
            try await withClient { (client: CurlClient) async throws in
                let time = client.executor
                for isBusy in [false, true] {
                    let hanging =
                        isBusy ? Task { await failure(of: client, HTTPRequest("GET", peer.url)) } : nil
                    if isBusy { await isThere.wait() }
                    let start = time.now
                    try await time.sleep(until: start + .milliseconds(20))
                    let passed = time.now - start
                    // curl's own longest sleep is a minute.
                    let limit = Cases.within(.milliseconds(500), before: .seconds(60))
                    #expect(passed >= .milliseconds(20) && passed < limit, "\(passed)")
                    hanging?.cancel()
                    #expect(await hanging?.value ?? .cancelled == .cancelled)
                }
            }
        }

        @Test("what comes after the end is run all the same: a task that never runs never ends")
        func afterTheEnd() async throws {
            let client = try CurlClient()
            let executor = client.executor
            await client.shutDown()
            for number in 0..<3 {
                #expect(await Task(executorPreference: executor) { number }.value == number)
                #expect(await failure(of: client, HTTPRequest("GET", "http://127.0.0.1:9/")) == .cancelled)
            }
        }
    }
}
