import Basics
import TestSupport
import Testing

@testable import Gallery

/// What is looked up for all that ask, also where that hangs.
@Suite(.timeLimit(.minutes(Cases.minutesOfHang))) struct SharedReadingTests {
    private static let values = RowFigures(totals: GalleryTotals(), oldestArrival: 7)

    @Test(
        "a database that hangs is left out when the time has come, and is not asked a second time meanwhile")
    func hanging() async throws {
        let clock = ManualClock()
        let figures = SharedReading<RowFigures>()
        let (door, opener) = AsyncStream.makeStream(of: Void.self)
        let readings = Shared(0)
        let read: @Sendable () async throws -> RowFigures = {
            readings.change { $0 += 1 }
            for await _ in door {}
            return Self.values
        }
        for count in 1...3 {
            let asking = Task { await figures.value(within: .seconds(2), of: clock, read) }
            await clock.waitForSleepers(1)
            clock.advance(by: .seconds(2))
            #expect(await asking.value == nil, "\(count)")
        }
        let last = Task { await figures.value(within: .seconds(2), of: clock, read) }
        await clock.waitForSleepers(1)
        opener.finish()
        #expect(await last.value == Self.values)
        #expect(readings.value == 1)
    }

    @Test("one that fails is left out at once, and asked again by the next")
    func failing() async {
        let figures = SharedReading<RowFigures>()
        let clock = ManualClock()
        #expect(await figures.value(within: .seconds(2), of: clock) { throw Surprise("away") } == nil)
        #expect(await figures.value(within: .seconds(2), of: clock) { Self.values } == Self.values)
    }

    @Test("what was read answers for as long as it is kept, and not a moment longer")
    func kept() async {
        let clock = ManualClock()
        let numbers = SharedReading<Int>(keeping: .seconds(1))
        let readings = Shared(0)
        func ask() async -> Int? {
            await numbers.value(within: .seconds(2), of: clock) {
                readings.change { $0 += 1 }
                return readings.value
            }
        }
        #expect(await ask() == 1)
        clock.advance(by: .milliseconds(999))
        #expect(await ask() == 1)
        clock.advance(by: .milliseconds(1))
        #expect(await ask() == 2)
    }
}
