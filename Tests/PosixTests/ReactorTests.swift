import Basics
import Posix
import TestSupport
import Testing

@Suite struct ReactorTests {
    @Test("jobs run on the reactor, one after another")
    func serial() async throws {
        let reactor = try Reactor(name: "test")
        let counter = Counter(executor: reactor)
        await withTaskGroup(of: Void.self) { group in
            for _ in 0..<50 { group.addTask { for _ in 0..<200 { await counter.add() } } }
        }
        #expect(await counter.value == 10_000)
    }

    @Test("sleepers wake in the order of their deadlines, and not before")
    func sleeping() async throws {
        let reactor = try Reactor(name: "test")
        let start = reactor.now
        let woken = Shared<[Int]>([])
        // On the reactor itself: all have lain down before it looks at the time again.
        let sleepers = Task(executorPreference: reactor) {
            try await withThrowingTaskGroup(of: Void.self) { group in
                for milliseconds in [40, 10, 30, 20] {
                    group.addTask {
                        try await reactor.sleep(until: start + .milliseconds(milliseconds))
                        #expect(reactor.now >= start + .milliseconds(milliseconds))
                        woken.change { $0.append(milliseconds) }
                    }
                }
                try await group.waitForAll()
            }
        }
        try await sleepers.value
        #expect(woken.value == [10, 20, 30, 40])
    }

    @Test("a cancelled sleep ends at once, also when it was cancelled before it began")
    func cancelledSleep() async throws {
        let reactor = try Reactor(name: "test")
        let start = reactor.now
        for _ in 0..<200 {
            let task = Task { try await reactor.sleep(until: start + .seconds(1000)) }
            task.cancel()
            await #expect(throws: CancellationError.self) { try await task.value }
        }
        #expect(reactor.now - start < .seconds(100))
    }

    @Test("a job that comes after the shutdown still runs")
    func lateJobs() async throws {
        let reactor = try Reactor(name: "test")
        let counter = Counter(executor: reactor)
        await counter.add()
        reactor.shutDown()
        for _ in 0..<20 { await counter.add() }
        #expect(await counter.value == 21)
    }

    @Test("jobs without end do not keep deadlines from coming")
    func fairness() async throws {
        let reactor = try Reactor(name: "test")
        let counter = Counter(executor: reactor)
        let isDone = Shared(false)
        let busy = Task { while !isDone.value { await counter.add() } }
        try await reactor.sleep(until: reactor.now + .milliseconds(20))
        isDone.change { $0 = true }
        await busy.value
        #expect(await counter.value > 0)
    }

    @Test("a thread executor runs jobs in order and survives its shutdown")
    func threadExecutor() async throws {
        let executor = ThreadExecutor(name: "test")
        let counter = Counter(executor: executor)
        for _ in 0..<1000 { await counter.add() }
        executor.shutDown()
        await counter.add()
        #expect(await counter.value == 1001)
    }
}

private actor Counter {
    private let executor: any SerialExecutor
    nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }
    private(set) var value = 0

    init(executor: any SerialExecutor) {
        self.executor = executor
    }

    func add() {
        value += 1
    }
}
