import Basics
import HTTPServer
import Synchronization
import TestSupport
import Testing
import Web

@testable import Gallery

/// Keys that some programs share, as rows of a database would be.
final class KeptKeys: KeyPlace {
    private struct State {
        var keys = [ServerSecret.Key(Array(0..<32))]
        var reads = 0
    }

    private let state = Mutex(State())

    var reads: Int { state.withLock(\.reads) }

    func load() async throws -> ServerSecret {
        state.withLock { state in
            state.reads += 1
            return ServerSecret(state.keys)
        }
    }

    func add() async throws -> Int64 {
        try state.withLock { state in
            let number = try ServerSecret(state.keys).nextNumber()
            let bytes = [UInt8](repeating: UInt8(number), count: ServerSecret.length)
            state.keys.append(ServerSecret.Key(number: number, bytes, isKnownToAll: false))
            return number
        }
    }

    /// Every program has had the time to read them.
    func introduce() {
        state.withLock { state in
            state.keys = state.keys.map { ServerSecret.Key(number: $0.number, $0.bytes) }
        }
    }

    func retire(_ number: Int64) async throws {
        try state.withLock { state in
            try ServerSecret(state.keys).mayRetire(number)
            state.keys.removeAll { $0.number == number }
        }
    }
}

/// Two programs that serve one gallery, each with its own idea of the keys.
struct KeyGround: Sendable {
    let kept = KeptKeys()
    let ground: AccountGround
    let rings: [KeyRing]
    let accounts: [Accounts]
    let doors: [GuestDoor]
    let event: GuestDoor.Event

    init() async throws {
        let ground = try AccountGround()
        self.ground = ground
        var rings: [KeyRing] = []
        for _ in 0..<2 { rings.append(try await KeyRing(at: kept, time: ground.wall.clock)) }
        self.rings = rings
        accounts = rings.map { ring in
            Accounts(
                store: ground.database.store, keys: ring, hasher: ground.hasher, time: ground.wall.clock,
                settings: AccountGround.settings)
        }
        doors = rings.enumerated().map { place, ring in
            GuestDoor(
                keys: ring, hasher: ground.hasher, time: ground.wall.clock, wall: ground.wall,
                random: SeededSource(UInt64(place) + 3), isSecure: false)
        }
        event = GuestDoor.Event(
            id: TestIDs.id(1), pinHash: try await doors[0].hash(pin: "471100"),
            key: GuestLinkKey(random: SeededSource(4)))
    }

    func read() async throws {
        for ring in rings { try await ring.read() }
    }

    /// Another key, which signs at both.
    func rotate() async throws {
        _ = try await rings[0].rotate()
        kept.introduce()
        try await read()
    }

    /// All that is signed for a host and a guest, by the first program.
    struct Signed: Sendable {
        let pair: AccountGround.Pair
        let pass: HTTPHeader
        let device: HTTPHeader
        let knownDevice: HTTPHeader
        let images: HTTPHeader
        let link: String

        var texts: [String] {
            [pair.refresh, pass.value, device.value, knownDevice.value, images.value, link]
        }
    }

    private static let post: JSONValue = ["email": "host@example.org", "password": "correct horse"]

    func signed() async throws -> Signed {
        let entered = try await accounts[0].login(AccountGround.post(Self.post))
        let pair = try AccountGround.pair(entered)
        let host = AccountGround.get(pair.access)
        return Signed(
            pair: pair, pass: try #require(try await doors[0].enter(event, pin: "471100", request(nil))),
            device: try #require(try await doors[0].deviceCookie(for: request(nil))),
            knownDevice: try #require(entered.headers.first { $0.name == "Set-Cookie" }),
            images: try #require(accounts[0].hostCookie(for: host, isSecure: false)),
            link: doors[0].link(to: Self.archive, for: .host(event: event.id, login: "login")).pass)
    }

    static let archive = GuestDoor.Archive(
        wish: ArchiveWish(.original, .everything(last: 1)), digest: "0123456789abcdef")

    func register() async throws {
        _ = try await accounts[0].register(
            AccountGround.post([
                "email": "host@example.org", "password": "correct horse", "displayName": "Host",
            ]))
    }

    func request(_ cookie: HTTPHeader?) -> Request {
        let pair = cookie?.value.split(separator: ";").first.map { [HTTPHeader("Cookie", String($0))] }
        return Request(path: "/", headers: pair ?? [], peer: "192.0.2.1")
    }

    /// Which of them a program takes, in their order, the access token first.
    func taken(_ signed: Signed, by place: Int) async throws -> [Bool] {
        let (accounts, door) = (accounts[place], doors[place])
        let access = try await AccountGround.refusal {
            try await accounts.authenticate(AccountGround.get(signed.pair.access))
        }
        let knows = DeviceCookie.Kind.login(email: "host@example.org")
        let known = request(signed.knownDevice).cookies(named: knows.name).compactMap {
            DeviceCookie(
                $0, for: knows, keys: rings[place].keys(for: .devices), now: ground.wall.wallNow)
        }
        return [
            access == nil,
            RefreshToken(signed.pair.refresh, keys: rings[place].keys(for: .refresh)) != nil,
            door.mayLook(at: event, request(signed.pass)),
            // It needs no other then.
            try await door.deviceCookie(for: request(signed.device)) == nil,
            !known.isEmpty,
            !accounts.logins(of: request(signed.images)).isEmpty,
            door.archive(ofHostLink: signed.link, to: event.id)?.login == "login",
        ]
    }

    static let all = [Bool](repeating: true, count: 7)
    static let none = [Bool](repeating: false, count: 7)
}
