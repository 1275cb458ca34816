import HTTPServer
import TestSupport
import Testing

@testable import Gallery

/// Events have feeds for as long as there is room.
@Suite struct FeedsTests {
    private let feeds = Feeds(wall: StandingCalendar(), most: 2)

    private func join(_ event: String) -> EventStream {
        feeds.stream(of: event, for: .guests, behind: 7, after: 7)
    }

    @Test("a feed that has to make room is one without listeners")
    func withoutListeners() {
        let first = join("first")
        do { _ = join("second") }
        let third = join("third")
        #expect(!first.isOver && !third.isOver)
    }

    @Test(
        "where all have listeners, those of the one that was joined longest ago are sent away, and come back")
    func sentAway() {
        let first = join("first")
        let second = join("second")
        let third = join("third")
        #expect(first.isOver && !second.isOver && !third.isOver)
    }
}
