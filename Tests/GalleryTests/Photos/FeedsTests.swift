import HTTPServer
import TestSupport
import Testing

@testable import Gallery

/// Events have feeds for as long as there is room.
@Suite struct FeedsTests {
    private let feeds = Feeds(wall: StandingCalendar(), most: 2)

    private func join(_ event: String) throws -> EventStream {
        guard case .stream(let stream) = feeds.stream(of: event, for: .guests, behind: 7, after: 7) else {
            throw Surprise("there is no room")
        }
        return stream
    }

    @Test("a feed that has to make room is one without listeners")
    func withoutListeners() throws {
        let first = try join("first")
        do { _ = try join("second") }
        let third = try join("third")
        #expect(!first.isOver && !third.isOver)
    }

    @Test(
        "where all have listeners, those of the one that was joined longest ago are sent away, and come back")
    func sentAway() throws {
        let first = try join("first")
        let second = try join("second")
        let third = try join("third")
        #expect(first.isOver && !second.isOver && !third.isOver)
    }
}
