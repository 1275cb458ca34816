import Bridge
import HTTPServer
import TestSupport
import Testing

@testable import Gallery

@Suite struct GuestDoorTests {
    private struct Ground {
        let accounts: AccountGround
        let door: GuestDoor
        let event: GuestDoor.Event

        init(pin: String? = "4711", isSecure: Bool = true) async throws {
            accounts = try AccountGround()
            door = GuestDoor(
                secret: AccountGround.secret, hasher: accounts.hasher, time: accounts.wall.clock,
                wall: accounts.wall, isSecure: isSecure)
            let hash: String? = if let pin { try await door.hash(pin: pin) } else { nil }
            event = GuestDoor.Event(id: TestIDs.id(1), pinHash: hash)
        }

        func enter(_ pin: String?, from peer: String = "192.0.2.1") async throws -> HTTPHeader? {
            try await door.enter(event, pin: pin, peer: peer)
        }

        func refusal(_ pin: String?, from peer: String = "192.0.2.1") async throws -> APIError? {
            try await AccountGround.refusal { try await enter(pin, from: peer) }
        }

        /// A request as a browser makes it that was given such a cookie.
        func request(_ cookie: HTTPHeader?) -> Request {
            let pair = cookie?.value.split(separator: ";").first.map(String.init) ?? ""
            return Request(path: "/", headers: [HTTPHeader("Cookie", "theme=dark; \(pair); x=y")])
        }
    }

    @Test("the PIN gives a pass that is good for thirty days and this event only")
    func pass() async throws {
        let ground = try await Ground()
        let cookie = try #require(try await ground.enter("4711"))
        #expect(cookie.name == "Set-Cookie")
        #expect(cookie.value.hasPrefix("guest_00000000="))
        for attribute in ["HttpOnly", "SameSite=Lax", "Secure", "Path=/", "Max-Age=2592000"] {
            #expect(cookie.value.contains("; \(attribute)"), "\(attribute)")
        }
        let shown = ground.request(cookie)
        #expect(ground.door.mayLook(at: ground.event, shown))
        #expect(!ground.door.mayLook(at: ground.event, ground.request(nil)))
        // Its name is the same, because the ids begin alike.
        let other = GuestDoor.Event(id: TestIDs.id(2), pinHash: ground.event.pinHash)
        #expect(!ground.door.mayLook(at: other, shown))
        ground.accounts.wall.go(.seconds(30 * 86_400 - 1))
        #expect(ground.door.mayLook(at: ground.event, shown))
        ground.accounts.wall.go(.seconds(1))
        #expect(!ground.door.mayLook(at: ground.event, shown))
    }

    @Test("with another PIN, every pass of the old one has ended")
    func newPIN() async throws {
        let ground = try await Ground()
        let cookie = try await ground.enter("4711")
        let changed = GuestDoor.Event(
            id: ground.event.id, pinHash: try await ground.door.hash(pin: "4711"))
        #expect(!ground.door.mayLook(at: changed, ground.request(cookie)))
    }

    @Test("a pass of another server, or one that was changed anywhere, is none")
    func forged() async throws {
        let ground = try await Ground()
        let cookie = try #require(try await ground.enter("4711"))
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
            secret: ServerSecret(Array(1..<33)), hasher: ground.accounts.hasher,
            time: ground.accounts.wall.clock, wall: ground.accounts.wall, isSecure: false)
        #expect(!stranger.mayLook(at: ground.event, ground.request(cookie)))
        for text in [
            "", "guest_00000000", "guest_00000000=", "guest_00000000=.", "guest_00000000=9999999999.AA",
        ] {
            let request = Request(path: "/", headers: [HTTPHeader("Cookie", text)])
            #expect(!ground.door.mayLook(at: ground.event, request), "\(text)")
        }
    }

    @Test("an event without a PIN is open, and without https a cookie may go over http")
    func open() async throws {
        let open = try await Ground(pin: nil)
        #expect(try await open.enter(nil) == nil)
        #expect(open.door.mayLook(at: open.event, open.request(nil)))
        let plain = try await Ground(isSecure: false)
        #expect(try await plain.enter("4711")?.value.contains("Secure") == false)
    }

    @Test("five wrong PINs a minute from one address are looked at, and from another five more")
    func perAddress() async throws {
        let ground = try await Ground()
        for _ in 0..<5 { #expect(try await ground.refusal("0000")?.code == .forbidden) }
        ground.accounts.wall.go(.seconds(10))
        // Also the right one, or each try would tell.
        let error = try await ground.refusal("4711")
        #expect(error?.code == .rateLimited && error?.retryAfter == .seconds(50))
        #expect(try await ground.refusal("0000", from: "192.0.2.2")?.code == .forbidden)
        ground.accounts.wall.go(.seconds(50))
        #expect(try await ground.enter("4711") != nil)
    }

    @Test("fifty wrong PINs an hour are looked at for one event, from wherever they come")
    func perEvent() async throws {
        let ground = try await Ground()
        for number in 0..<50 {
            #expect(try await ground.refusal("0000", from: "10.0.0.\(number)")?.code == .forbidden)
        }
        #expect(try await ground.refusal("0000", from: "10.0.1.1")?.code == .rateLimited)
        let other = GuestDoor.Event(id: TestIDs.id(2), pinHash: ground.event.pinHash)
        #expect(try await ground.door.enter(other, pin: "4711", peer: "10.0.1.1") != nil)
        ground.accounts.wall.go(.seconds(3600))
        #expect(try await ground.enter("4711", from: "10.0.1.1") != nil)
    }

    @Test("a party of three hundred who know the PIN come in by one address, in one minute")
    func party() async throws {
        let ground = try await Ground()
        for _ in 0..<300 { #expect(try await ground.enter("4711") != nil) }
        #expect(try await ground.refusal("0000")?.code == .forbidden)
    }

    @Test("five hundred who guess at the same moment are five")
    func atOnce() async throws {
        let ground = try await Ground()
        let codes = try await withThrowingTaskGroup(of: APIError.Code?.self) { group in
            for _ in 0..<500 { group.addTask { try await ground.refusal("0000")?.code } }
            var codes: [APIError.Code?] = []
            for try await code in group { codes.append(code) }
            return codes
        }
        #expect(codes.filter { $0 == .forbidden }.count == 5)
        #expect(codes.filter { $0 == .rateLimited }.count == 495)
    }

    @Test("the call takes a PIN in its body, or none")
    func call() async throws {
        let ground = try await Ground()
        let right = try await ground.door.access(ground.event, AccountGround.post(["pin": "4711"]))
        #expect(right.status == 200 && right.headers.contains { $0.name == "Set-Cookie" })
        for body: JSONValue in [[:], ["pin": .null], ["pin": ""]] {
            let error = try await AccountGround.refusal {
                try await ground.door.access(ground.event, AccountGround.post(body))
            }
            #expect(error?.code == .forbidden)
        }
        let error = try await AccountGround.refusal {
            try await ground.door.access(ground.event, AccountGround.post(["pin": .integer(4711)]))
        }
        #expect(error?.code == .unprocessable)
        let open = GuestDoor.Event(id: TestIDs.id(2), pinHash: nil)
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
