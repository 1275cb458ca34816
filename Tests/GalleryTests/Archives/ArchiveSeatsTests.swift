import TestSupport
import Testing

@testable import Gallery

/// How many take photos home at a time.
@Suite struct ArchiveSeatsTests {
    private let time = ManualClock()

    private func guest(_ number: Int) -> ArchiveSeats.Client {
        .guest(PeerKey("192.0.2.\(number % 200 + 1)"))
    }

    @Test("one more than the server sends at a time is told to come back, and hosts have room of their own")
    func full() throws {
        let seats = ArchiveSeats(time: time)
        var taken = try (0..<ArchiveSeats.mostForGuests).map { try seats.take(guest($0), link: "\($0)") }
        let refusal = #expect(throws: APIError.self) { try seats.take(guest(100), link: "one more") }
        #expect(refusal?.code == .serviceUnavailable && refusal?.retryAfter == ArchiveSeats.pause)
        #expect(throws: APIError.self) { try seats.mayHaveLink(guest(100)) }
        var hosts = try (0..<ArchiveSeats.mostForHosts).map { try seats.take(.host, link: "host \($0)") }
        #expect(throws: APIError.self) { try seats.take(.host, link: "another host") }
        taken.removeLast()
        hosts.removeLast()
        taken.append(try seats.take(guest(100), link: "one more"))
        hosts.append(try seats.take(.host, link: "another host"))
        withExtendedLifetime((taken, hosts)) {}
    }

    @Test("one address, and one link, are not all that is served")
    func shares() throws {
        let seats = ArchiveSeats(time: time)
        let hall = try (0..<ArchiveSeats.mostForOneAddress).map { try seats.take(guest(1), link: "\($0)") }
        let refusal = #expect(throws: APIError.self) { try seats.take(guest(1), link: "next") }
        #expect(refusal?.code == .rateLimited)
        let others = try (0..<ArchiveSeats.mostForOneLink).map {
            try seats.take(guest(2 + $0), link: "shared")
        }
        #expect(throws: APIError.self) { try seats.take(guest(9), link: "shared") }
        _ = try seats.take(guest(9), link: "own")
        withExtendedLifetime((hall, others)) {}
    }

    @Test("a hall asks for as many links as it has guests; a client that never stops is slowed down")
    func links() throws {
        let seats = ArchiveSeats(time: time)
        for _ in 0..<ArchiveSeats.links.burst { try seats.mayHaveLink(guest(1)) }
        let refusal = #expect(throws: APIError.self) { try seats.mayHaveLink(guest(1)) }
        #expect(refusal?.code == .rateLimited && refusal?.retryAfter != nil)
        try seats.mayHaveLink(guest(2))
        time.advance(by: ArchiveSeats.links.interval)
        try seats.mayHaveLink(guest(1))
    }
}
