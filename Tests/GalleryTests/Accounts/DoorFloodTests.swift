import Basics
import HTTPServer
import TestSupport
import Testing

@testable import Gallery

/// Clients that guess PINs: which tries are looked at, and what the answers do not reveal.
@Suite struct DoorFloodTests {
    private let hall = "192.0.2.1"

    @Test("a device that keeps its cookie gets in at the first try, whatever others try from its address")
    func device() async throws {
        let ground = try await DoorGround()
        let kept = try #require(try await ground.device())
        for _ in 0..<200 { _ = try await ground.refusal("000000") }
        #expect(try await ground.refusal("471100")?.code == .rateLimited)
        #expect(try await ground.enter("471100", device: kept) != nil)
        // Of its own it has five wrong ones, then what its address has.
        for _ in 0..<5 { #expect(try await ground.refusal("000000", device: kept)?.code == .forbidden) }
        #expect(try await ground.refusal("000000", device: kept)?.code == .rateLimited)
        // An address that is not flooded has some left.
        #expect(try await ground.refusal("000000", device: kept, from: "192.0.2.2")?.code == .forbidden)
    }

    @Test("a cookie that was not made here, or is a day old, is none")
    func forgedDevice() async throws {
        let ground = try await DoorGround()
        let kept = try #require(try await ground.device())
        for _ in 0..<60 { _ = try await ground.refusal("000000") }
        let pair = try #require(kept.value.split(separator: ";").first)
        let value = Array(pair.split(separator: "=", maxSplits: 1)[1].utf8)
        for index in value.indices {
            var changed = value
            changed[index] ^= 1
            let cookie = HTTPHeader("Set-Cookie", "device=" + String(decoding: changed, as: UTF8.self))
            #expect(try await ground.refusal("471100", device: cookie)?.code == .rateLimited, "\(index)")
        }
        // It is renewed with the next page, and not before.
        #expect(try await ground.door.deviceCookie(for: ground.request(kept)) == nil)
        ground.accounts.wall.set(by: .seconds(86_400))
        #expect(try await ground.refusal("471100", device: kept)?.code == .rateLimited)
        #expect(try await ground.door.deviceCookie(for: ground.request(kept)) != nil)
    }

    @Test(
        "without a cookie sixty are looked at, then one in ten seconds; in between right and wrong look alike"
    )
    func nothingTells() async throws {
        let (seeing, blind) = (try await DoorGround(), try await DoorGround())
        // The PIN is known to be right already, so that a comparison would cost nothing.
        _ = try await seeing.enter("471100")
        _ = try await blind.enter("471100")
        for _ in 0..<60 {
            #expect(try await seeing.refusal("000000")?.code == .forbidden)
            #expect(try await blind.refusal("000000")?.code == .forbidden)
        }
        var looked = 0
        for second in 0..<1000 {
            // Ten tries a second and no care for Retry-After: the right PIN among those that are refused, and not.
            for number in 0..<10 {
                let guess = number == 0 ? "000000" : number == 5 ? "471100" : "000001"
                let told = try await seeing.refusal(guess)
                let untold = try await blind.refusal("000000")
                #expect(told == untold && told?.retryAfter == untold?.retryAfter, "\(second) \(number)")
                if told?.code == .forbidden { looked += 1 }
                if number == 5 { #expect(told?.code == .rateLimited) }
            }
            // What is looked at is the first of a second: never the right one, or it would have come in.
            seeing.accounts.wall.go(.seconds(1))
            blind.accounts.wall.go(.seconds(1))
        }
        #expect((98...100).contains(looked), "\(looked)")
    }

    @Test("a refused try is answered byte for byte alike, whether it is right or wrong")
    func sameAnswer() async throws {
        let gallery = try GalleryGround()
        let host = try await gallery.host(event: ["name": "Wedding", "pin": "471100"])
        func post(_ pin: String) async throws -> GalleryGround.Answer {
            try await gallery.call(
                "POST", "/e/\(host.slug)/access", bytes: Array("pin=\(pin)".utf8),
                headers: [HTTPHeader("Content-Type", "application/x-www-form-urlencoded")])
        }
        for _ in 0..<60 { #expect(try await post("000000").status == 401) }
        let (right, wrong) = (try await post("471100"), try await post("000000"))
        #expect(right.status == 429 && right.text == wrong.text && right.headers == wrong.headers)
        #expect(right.text.contains("Scan the hosts’ QR code") && right.header("Retry-After") == "10")
        #expect(right.header("Set-Cookie") == nil)
        let token = gallery.token(host)
        let event = try await gallery.call("GET", "/events/\(host.event)", token: token)
        let entry = try #require(event["entryUrl"]?.string?.dropFirst("http://gallery.example".count))
        let scanned = try await gallery.call("GET", String(entry))
        #expect(scanned.status == 303 && scanned.header("Set-Cookie") != nil)
    }

    @Test("a PIN with a NUL behind it is wrong, and keeps no guest out who types the right one")
    func nul() async throws {
        let before = try GalleryGround()
        let host = try await before.host(event: ["name": "Wedding", "pin": "471100"])
        // A server that has seen no right PIN yet.
        let gallery = try GalleryGround(seed: 9, in: before.ground.folder, wall: before.wall)
        func post(_ body: String) async throws -> Int {
            try await gallery.call(
                "POST", "/e/\(host.slug)/access", bytes: Array(body.utf8),
                headers: [HTTPHeader("Content-Type", "application/x-www-form-urlencoded")]
            ).status
        }
        for wrong in ["471100\0x", "471100\0", "\0", "\0" + "471100", "471100x", "47110\u{0660}"] {
            #expect(try await post("pin=\(wrong)") == 401, "\(wrong)")
        }
        #expect(try await post("pin=471100") == 303)
        #expect(try await post("pin=471100") == 303)
    }

    @Test("an empty PIN is no try")
    func empty() async throws {
        let ground = try await DoorGround()
        for _ in 0..<200 { #expect(try await ground.refusal("")?.code == .forbidden) }
        #expect(try await ground.enter("471100") != nil)
    }
}
