import Basics
import TestSupport
import Testing

@testable import Gallery

/// What `/metrics` counts in the database, also while that does not answer.
@Suite(.timeLimit(.minutes(Cases.minutesOfHang))) struct RowFiguresTests {
    private static let values = RowFigures.Values(totals: GalleryStore.Totals(), oldestArrival: 7)

    @Test(
        "a database that hangs is left out when the time has come, and is not asked a second time meanwhile")
    func hanging() async throws {
        let clock = ManualClock()
        let figures = RowFigures()
        let (door, opener) = AsyncStream.makeStream(of: Void.self)
        let readings = Shared(0)
        let read: @Sendable () async throws -> RowFigures.Values = {
            readings.change { $0 += 1 }
            for await _ in door {}
            return Self.values
        }
        for count in 1...3 {
            let asking = Task { await figures.values(within: .seconds(2), of: clock, read) }
            await clock.waitForSleepers(1)
            clock.advance(by: .seconds(2))
            #expect(await asking.value == nil, "\(count)")
        }
        let last = Task { await figures.values(within: .seconds(2), of: clock, read) }
        await clock.waitForSleepers(1)
        opener.finish()
        #expect(await last.value == Self.values)
        #expect(readings.value == 1)
    }

    @Test("one that fails is left out at once, and asked again by the next")
    func failing() async {
        let figures = RowFigures()
        let clock = ManualClock()
        #expect(await figures.values(within: .seconds(2), of: clock) { throw Surprise("away") } == nil)
        #expect(await figures.values(within: .seconds(2), of: clock) { Self.values } == Self.values)
    }
}
