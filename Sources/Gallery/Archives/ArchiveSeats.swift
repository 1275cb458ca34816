import Basics
import Synchronization

/// How many archives are sent at a time, and how often links to them are given out: an evening on which all guests press
/// "download" goes on for those who look.
final class ArchiveSeats: Sendable {
    enum Client: Hashable, Sendable {
        case host
        case guest(PeerKey)
    }

    /// Each has a thread that waits for the disk or the bucket, and a part of the line that guests look by.
    static let mostForGuests = 32
    /// Hosts' own: a hall full of guests does not keep a host out.
    static let mostForHosts = 8
    /// A hall is one address; others get theirs all the same.
    static let mostForOneAddress = 24
    /// A browser that goes on after its connection was lost is not told that its own lost one is in its way.
    static let mostForOneLink = 3
    /// Links for one address: a hall of guests at once, and then as fast as guests press.
    static let links = BurstRule(600, thenEvery: .seconds(1))
    private static let mostAddresses = 10_000
    /// An archive takes minutes: what is asked for sooner would be refused again.
    static let pause = Duration.seconds(60)

    private struct State {
        var guests = 0
        var hosts = 0
        var addresses: [PeerKey: Int] = [:]
        var links: [String: Int] = [:]
        var asked = BoundedTable<PeerKey, BurstLimiter>(most: ArchiveSeats.mostAddresses, new: BurstLimiter())
    }

    private let state = Mutex(State())
    private let time: any TimeSource

    init(time: any TimeSource) {
        self.time = time
    }

    /// Held for as long as an archive is sent.
    final class Seat: Sendable {
        private let seats: ArchiveSeats
        private let client: Client
        private let link: String

        fileprivate init(_ seats: ArchiveSeats, _ client: Client, _ link: String) {
            self.seats = seats
            self.client = client
            self.link = link
        }

        deinit { seats.leave(client, link) }
    }

    /// `link` is a part of it that no other has.
    func take(_ client: Client, link: String) throws(APIError) -> Seat {
        let refusal = state.withLock { state -> APIError? in
            if let refusal = Self.refusal(client, state) { return refusal }
            if state.links[link, default: 0] >= Self.mostForOneLink {
                return APIError(
                    .rateLimited,
                    "this link is being downloaded \(Self.mostForOneLink) times at this moment; wait for one of them to end",
                    retryAfter: Self.pause)
            }
            switch client {
            case .host: state.hosts += 1
            case .guest(let address):
                state.guests += 1
                state.addresses[address, default: 0] += 1
            }
            state.links[link, default: 0] += 1
            return nil
        }
        if let refusal { throw refusal }
        return Seat(self, client, link)
    }

    private func leave(_ client: Client, _ link: String) {
        state.withLock { state in
            switch client {
            case .host: state.hosts -= 1
            case .guest(let address):
                state.guests -= 1
                Self.countDown(&state.addresses, address)
            }
            Self.countDown(&state.links, link)
        }
    }

    private static func countDown<Key: Hashable>(_ counts: inout [Key: Int], _ key: Key) {
        let left = counts[key, default: 0] - 1
        counts[key] = left > 0 ? left : nil
    }

    private static func refusal(_ client: Client, _ state: State) -> APIError? {
        switch client {
        case .host:
            return state.hosts < mostForHosts ? nil : full(mostForHosts)
        case .guest(let address):
            if state.guests >= mostForGuests { return full(mostForGuests) }
            guard state.addresses[address, default: 0] >= mostForOneAddress else { return nil }
            return APIError(
                .rateLimited,
                "\(mostForOneAddress) guests of your network are downloading at this moment; try again in a minute",
                retryAfter: pause)
        }
    }

    private static func full(_ most: Int) -> APIError {
        APIError(
            .serviceUnavailable,
            "\(most) downloads are under way, which is as many as this server sends at a time; try again in a minute",
            retryAfter: pause)
    }

    /// Throws where a link would be of no use now, or where an address has asked for so many that no hall is behind it.
    func mayHaveLink(_ client: Client) throws(APIError) {
        let now = time.now
        let refusal = state.withLock { state -> APIError? in
            if case .guest(let address) = client {
                if let wait = state.asked[address].wait(Self.links, at: now) {
                    return APIError(
                        .rateLimited,
                        "too many downloads were asked for by this network; wait before the next",
                        retryAfter: wait)
                }
                state.asked.change(address, at: now) { $0.take(Self.links, at: now) }
            }
            return Self.refusal(client, state)
        }
        if let refusal { throw refusal }
    }
}
