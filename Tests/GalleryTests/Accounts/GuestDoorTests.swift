import Basics
import HTTPServer
import TestSupport
import Testing

@testable import Gallery

/// A door with its event, and devices before it.
struct DoorGround {
    let accounts: AccountGround
    let door: GuestDoor
    let event: GuestDoor.Event

    init(pin: String? = "471100", isSecure: Bool = true) async throws {
        accounts = try AccountGround()
        door = GuestDoor(
            keys: accounts.accounts.keys, hasher: accounts.hasher, time: accounts.wall.clock,
            wall: accounts.wall, random: SeededSource(3), isSecure: isSecure)
        let hash: String? = if let pin { try await door.hash(pin: pin) } else { nil }
        event = GuestDoor.Event(id: TestIDs.id(1), pinHash: hash, key: GuestLinkKey(random: SeededSource(4)))
    }

    /// A request as a browser makes it that was given such a cookie.
    func request(_ cookie: HTTPHeader?, from peer: String = "192.0.2.1") -> Request {
        let pair = cookie?.value.split(separator: ";").first.map(String.init) ?? ""
        return Request(
            path: "/", headers: [HTTPHeader("Cookie", "theme=dark; \(pair); x=y")], peer: peer)
    }

    /// `device` is the cookie that came with the page.
    func enter(_ pin: String?, device: HTTPHeader? = nil, from peer: String = "192.0.2.1") async throws
        -> HTTPHeader?
    {
        try await door.enter(event, pin: pin, request(device, from: peer))
    }

    func refusal(_ pin: String?, device: HTTPHeader? = nil, from peer: String = "192.0.2.1") async throws
        -> APIError?
    {
        try await AccountGround.refusal { try await enter(pin, device: device, from: peer) }
    }

    func device(_ peer: String = "192.0.2.1") async throws -> HTTPHeader? {
        try await door.deviceCookie(for: request(nil, from: peer))
    }
}

@Suite struct GuestDoorTests {
    @Test("the PIN gives a pass that is good for thirty days and this event only")
    func pass() async throws {
        let ground = try await DoorGround()
        let cookie = try #require(try await ground.enter("471100"))
        #expect(cookie.name == "Set-Cookie")
        #expect(cookie.value.hasPrefix("guest_00000000="))
        for attribute in ["HttpOnly", "SameSite=Lax", "Secure", "Path=/", "Max-Age=2592000"] {
            #expect(cookie.value.contains("; \(attribute)"), "\(attribute)")
        }
        let shown = ground.request(cookie)
        #expect(ground.door.mayLook(at: ground.event, shown))
        #expect(!ground.door.mayLook(at: ground.event, ground.request(nil)))
        // Its name is the same, because the ids begin alike.
        let other = GuestDoor.Event(id: TestIDs.id(2), pinHash: ground.event.pinHash, key: ground.event.key)
        #expect(!ground.door.mayLook(at: other, shown))
        ground.accounts.wall.go(.seconds(30 * 86_400 - 1))
        #expect(ground.door.mayLook(at: ground.event, shown))
        ground.accounts.wall.go(.seconds(1))
        #expect(!ground.door.mayLook(at: ground.event, shown))
    }

    @Test("with another PIN every pass has ended, with another key those that the old one gave")
    func newDoor() async throws {
        let ground = try await DoorGround()
        let (byPIN, byKey) = (
            try await ground.enter("471100"), try ground.door.enter(ground.event, key: ground.event.key.text)
        )
        let newPIN = GuestDoor.Event(
            id: ground.event.id, pinHash: try await ground.door.hash(pin: "471100"), key: ground.event.key)
        let newKey = GuestDoor.Event(
            id: ground.event.id, pinHash: ground.event.pinHash, key: GuestLinkKey(random: SeededSource(9)))
        for (cookie, isByKey) in [(byPIN, false), (byKey, true)] {
            let shown = ground.request(cookie)
            #expect(ground.door.mayLook(at: ground.event, shown))
            #expect(!ground.door.mayLook(at: newPIN, shown))
            #expect(ground.door.mayLook(at: newKey, shown) == !isByKey)
        }
    }

    @Test("a pass of another server, or one that was changed anywhere, is none", arguments: [false, true])
    func forged(byKey: Bool) async throws {
        let ground = try await DoorGround()
        let cookie = try #require(
            byKey
                ? try ground.door.enter(ground.event, key: ground.event.key.text)
                : try await ground.enter("471100"))
        let pair = try #require(cookie.value.split(separator: ";").first)
        let value = Array(pair.split(separator: "=", maxSplits: 1)[1].utf8)
        for index in value.indices {
            var changed = value
            changed[index] ^= 1
            let text = "guest_00000000=" + String(decoding: changed, as: UTF8.self)
            let request = Request(path: "/", headers: [HTTPHeader("Cookie", text)])
            #expect(!ground.door.mayLook(at: ground.event, request), "\(index)")
        }
        let stranger = GuestDoor(
            keys: KeyRing(ServerSecret(Array(1..<33))), hasher: ground.accounts.hasher,
            time: ground.accounts.wall.clock, wall: ground.accounts.wall, random: SeededSource(3),
            isSecure: false)
        #expect(!stranger.mayLook(at: ground.event, ground.request(cookie)))
        let swapped = byKey ? "\(pair.dropLast(2))" : "\(pair).k"
        for text in [
            "", "guest_00000000", "guest_00000000=", "guest_00000000=.", "guest_00000000=9999999999.AA",
            "guest_00000000=9999999999.AA.k", swapped,
        ] {
            let request = Request(path: "/", headers: [HTTPHeader("Cookie", text)])
            #expect(!ground.door.mayLook(at: ground.event, request), "\(text)")
        }
    }

    @Test("an event without a PIN is open, and without https a cookie may go over http")
    func open() async throws {
        let open = try await DoorGround(pin: nil)
        #expect(try await open.enter(nil) == nil)
        #expect(open.door.mayLook(at: open.event, open.request(nil)))
        let plain = try await DoorGround(isSecure: false)
        #expect(try await plain.enter("471100")?.value.contains("Secure") == false)
        #expect(try await plain.device()?.value.contains("Secure") == false)
    }

    @Test("the key opens as often as one likes, and nothing that is nearly it does")
    func key() async throws {
        let ground = try await DoorGround()
        let text = ground.event.key.text
        #expect(text.count == 22)
        for _ in 0..<1000 { #expect(try ground.door.enter(ground.event, key: text) != nil) }
        for wrong in ["", "x", text + "A", String(text.dropLast()), text.uppercased(), GuestLinkKey([]).text]
        {
            let error = try await AccountGround.refusal { try ground.door.enter(ground.event, key: wrong) }
            #expect(error?.code == .forbidden, "\(wrong)")
        }
        var dumped = ""
        dump(ground.event.key, to: &dumped)
        #expect(!"\(ground.event.key) \(String(reflecting: ground.event.key)) \(dumped)".contains(text))
    }

    @Test("a party of three hundred who know the PIN come in by one address, in one minute")
    func party() async throws {
        let ground = try await DoorGround()
        for _ in 0..<300 { #expect(try await ground.enter("471100") != nil) }
        #expect(try await ground.refusal("000000")?.code == .forbidden)
    }

    @Test("five hundred who guess at the same moment without a cookie are sixty")
    func atOnce() async throws {
        let ground = try await DoorGround()
        let codes = try await withThrowingTaskGroup(of: APIError.Code?.self) { group in
            for _ in 0..<500 { group.addTask { try await ground.refusal("000000")?.code } }
            return try await group.reduce(into: [APIError.Code?]()) { $0.append($1) }
        }
        #expect(codes.filter { $0 == .forbidden }.count == 60)
        #expect(codes.filter { $0 == .rateLimited }.count == 440)
    }

    @Test("five hundred who come together after a restart wait for one hash, and not for others' guesses")
    func restart() async throws {
        let old = try await DoorGround()
        // The same event at a server that has seen no right PIN yet, with room for few who are hashed for.
        let hasher = PasswordHasher(
            executor: GalleryThreads.hasher, random: SeededSource(1), hash: PasswordHash(cost: 1),
            mostWaiting: 2)
        let door = GuestDoor(
            keys: KeyRing(AccountGround.secret), hasher: hasher, time: old.accounts.wall.clock,
            wall: old.accounts.wall, random: SeededSource(8), isSecure: false)
        let codes = try await withThrowingTaskGroup(of: APIError.Code?.self) { group in
            for number in 0..<500 {
                let device = try await door.deviceCookie(for: old.request(nil))
                group.addTask {
                    try await AccountGround.refusal {
                        try await door.enter(
                            old.event, pin: number % 25 == 0 ? "000000" : "471100", old.request(device))
                    }?.code
                }
            }
            return try await group.reduce(into: [APIError.Code?]()) { $0.append($1) }
        }
        #expect(codes.filter { $0 == nil }.count == 480 && codes.filter { $0 == .forbidden }.count == 20)
    }

    @Test("the call takes a PIN or a key in its body, or nothing")
    func call() async throws {
        let ground = try await DoorGround()
        for body: JSONValue in [["pin": "471100"], ["key": .string(ground.event.key.text)]] {
            let right = try await ground.door.access(ground.event, AccountGround.post(body))
            #expect(right.status == 200 && right.headers.contains { $0.name == "Set-Cookie" })
        }
        for body: JSONValue in [
            [:], ["pin": .null], ["pin": ""], ["key": "x"], ["key": "x", "pin": "471100"],
        ] {
            let error = try await AccountGround.refusal {
                try await ground.door.access(ground.event, AccountGround.post(body))
            }
            #expect(error?.code == .forbidden)
        }
        let error = try await AccountGround.refusal {
            try await ground.door.access(ground.event, AccountGround.post(["pin": .integer(4711)]))
        }
        #expect(error?.code == .unprocessable)
        let open = GuestDoor.Event(id: TestIDs.id(2), pinHash: nil, key: ground.event.key)
        #expect(try await ground.door.access(open, Request(method: "POST", path: "/")).status == 200)
    }

    @Test(
        "a PIN is four to twelve digits",
        arguments: [
            ("4711", true), ("123456789012", true), ("471", false), ("1234567890123", false),
            ("47 11", false),
            ("471a", false), ("४७११", false), ("-471", false),
        ])
    func pins(text: String, isGood: Bool) async throws {
        let body = Request(path: "/", body: Array(#"{"pin": "\#(text)"}"#.utf8))
        let error = try await AccountGround.refusal {
            try JSONFields.read(body) { $0.required("pin", GuestDoor.pin) }
        }
        #expect((error == nil) == isGood)
    }
}
