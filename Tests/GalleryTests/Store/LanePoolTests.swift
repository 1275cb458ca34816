import Basics
import Postgres
import TestSupport
import Testing

@testable import Gallery

/// Connections that many wait for.
@Suite(.timeLimit(.minutes(Cases.minutesOfHang))) struct LanePoolTests {
    private actor Held: Lane {
        private nonisolated let executor: HeldExecutor
        nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }

        init(_ executor: HeldExecutor) { self.executor = executor }
    }

    private actor Plain: Lane {
        let isRefused: Bool

        init(isRefused: Bool) { self.isRefused = isRefused }

        func look() throws -> Bool {
            if isRefused { throw PostgresError(nil, "too many connections", place: "there") }
            return true
        }
    }

    @Test("a connection that the server does not let in is tried once, and the others are used")
    func refused() async throws {
        let clock = ManualClock()
        let lanes = [Plain(isRefused: false), Plain(isRefused: true)]
        let pool = LanePool(lanes, time: clock, random: SeededSource(1))
        let first = Task { try await pool { try $0.look() } }
        await clock.waitForSleepers(1)
        clock.advance(by: .seconds(1))
        #expect(try await first.value)
        for _ in 0..<5 { #expect(try await pool { try $0.look() }) }
        #expect(pool.figures.retries == 1)
    }

    @Test("one that waits for longer than something is tried is told so, and the next gets the connection")
    func late() async throws {
        let executor = HeldExecutor()
        let clock = ManualClock()
        let pool = LanePool([Held(executor), Held(executor)], time: clock, random: SeededSource(1))
        let busy = (0..<2).map { number in Task { try await pool { _ in number } } }
        await executor.wait(for: 2)
        let late = Task { try await pool { _ in 2 } }
        while pool.figures.waits < 1 { await Task.yield() }
        clock.advance(by: .seconds(19))
        let inTime = Task { try await pool { _ in 3 } }
        while pool.figures.waits < 2 { await Task.yield() }
        clock.advance(by: .seconds(2))
        executor.release()
        for (number, task) in busy.enumerated() { #expect(try await task.value == number) }
        await #expect(throws: Unavailable.self) { try await late.value }
        let finishing = Task { await executor.releaseUntilFinished() }
        #expect(try await inTime.value == 3)
        executor.finish()
        await finishing.value
    }
}
