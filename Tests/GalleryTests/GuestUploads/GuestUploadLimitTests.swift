import Basics
import HTTPServer
import TestSupport
import Testing

@testable import Gallery

/// How much guests bring, and when they bring nothing.
@Suite(.timeLimit(.minutes(Cases.minutesOfHang))) struct GuestUploadLimitTests {
    private static func event(_ credits: Int?) -> JSONValue {
        [
            "name": "Wedding", "allowsGuestUploads": .bool(true),
            "guestUploadCredits": credits.map { .integer(Int64($0)) } ?? .null,
        ]
    }

    @Test("guests spend what the event gives them and no more, however many came before it was spent")
    func credits() async throws {
        let ground = try await ReactionGround(Self.event(2), photos: [])
        try await ground.grant(10)
        let guests = (0..<3).map { _ in ground.guest() }
        for (guest, text) in zip(guests, ["one", "two", "three"]) { try await guest.bring(text) }
        try await ground.gallery.work()
        #expect(try await ground.spent() == 2)
        #expect(try await ground.credits() == 8)
        #expect(try await guests[2].states() == ["three.jpg": "full"])
        let late = try await guests[0].begin(4)
        #expect(late.status == 402 && !late.text.contains("credit"), "\(late)")
        #expect(try await guests[0].ask("GET", "uploads")["isFull"] == .bool(true))
        let event = try await ground.ask("GET", ground.event)
        #expect(event["guestUploadLimit"] == .integer(2) && event["guestCreditsSpent"] == .integer(2))
        let failed = try await ground.ask("GET", "/uploads\(ground.event)")
        #expect(
            failed["uploads"]?.array?.contains { $0["errorCode"] == "GUEST_LIMIT_REACHED" } == true,
            "\(failed)")
        // The host gives more, and what has come is not lost.
        try await ground.change(ground.event, ["guestUploadCredits": .integer(3)])
        #expect(try await ground.ask("POST", "/uploads\(ground.event)/retry-all")["retried"] == .integer(1))
        try await ground.gallery.work()
        #expect(try await guests[2].states() == ["three.jpg": "waiting"])
        #expect(try await ground.spent() == 3)
        #expect(try await ground.credits() == 7)
    }

    @Test("where the host's own credits are gone guests are told the same, and nothing counts as spent")
    func hostsCredits() async throws {
        let ground = try await ReactionGround(Self.event(nil), photos: [])
        try await ground.grant(1)
        let (ann, bob) = (ground.guest(), ground.guest())
        try await ann.bring("one")
        try await bob.bring("two")
        try await ground.gallery.work()
        #expect(try await bob.states() == ["two.jpg": "full"])
        #expect(try await ground.spent() == 1)
        #expect(try await ground.credits() == 0)
        let late = try await bob.begin(4)
        #expect(late.status == 402 && !late.text.contains("credit"), "\(late)")
        #expect(try await bob.ask("GET", "uploads")["isFull"] == .bool(true))
        let event = try await ground.ask("GET", ground.event)
        #expect(event["guestUploadCredits"] == .null && event["guestUploadLimit"] == .integer(200))
    }

    @Test("what the event gives is not exceeded by many at once")
    func race() async throws {
        let ground = try await ReactionGround(Self.event(5), photos: [])
        try await ground.grant(20)
        try await withThrowingTaskGroup { group in
            for number in 0..<12 {
                let guest = ground.guest()
                group.addTask { try await guest.bring("photo \(number)") }
            }
            try await group.waitForAll()
        }
        try await ground.gallery.work()
        #expect(try await ground.spent() == 5)
        #expect(try await ground.credits() == 15)
        #expect(try await ground.waiting().count == 5)
    }

    @Test("events take none until their hosts say so; what is switched off midway, or over, takes no more")
    func closed() async throws {
        let ground = try await ReactionGround(photos: [])
        let made = try await ground.ask("GET", ground.event)
        #expect(made["allowsGuestUploads"] == .bool(false) && made["guestUploadsModerated"] == .bool(true))
        func page() async throws -> String {
            try await ground.gallery.call("GET", "/e/\(ground.host.slug)").text
        }
        let ann = ground.guest()
        #expect(try await ann.begin(6).status == 403)
        #expect(try await ann.ask("GET", "uploads")["isOpen"] == .bool(false))
        #expect(try await !page().contains("open-uploads"))
        try await ground.change(ground.event, ["allowsGuestUploads": .bool(true)])
        #expect(try await page().contains("open-uploads"))
        let (first, second) = (try await ann.begun(6, name: "a.jpg"), try await ann.begun(6, name: "b.jpg"))
        #expect(try await ann.append("abc", at: 0, to: first).status == 204)
        try await ground.change(ground.event, ["allowsGuestUploads": .bool(false)])
        #expect(try await ann.append("def", at: 3, to: first).status == 403)
        #expect(try await ann.begin(6).status == 403)
        #expect(try await ann.states() == ["a.jpg": "coming", "b.jpg": "coming"])
        #expect(try await ann.ask("DELETE", "uploads/\(second)").status == 204)
        try await ground.change(ground.event, ["allowsGuestUploads": .bool(true)])
        #expect(try await ann.append("def", at: 3, to: first).status == 204)
        let soon = (ground.gallery.wall.wallNow + .seconds(60)).json
        try await ground.change(ground.event, ["expiresAt": soon])
        ground.gallery.wall.go(.seconds(60))
        #expect(try await ann.begin(6).status == 410)
        #expect(try await ann.ask("GET", "uploads").status == 410)
    }

    @Test("guests of a closed event bring nothing before they are in, and no other things than photos after")
    func doors() async throws {
        let ground = try await ReactionGround(
            ["name": "Wedding", "pin": "13579", "allowsGuestUploads": .bool(true)], photos: [],
            in: try GalleryGround { $0.uploadLimit = 1000 })
        let ann = ground.guest()
        #expect(try await ann.begin(6).status == 403)
        #expect(try await ann.ask("GET", "uploads").status == 403)
        try await ann.ask("POST", "access", ["pin": "13579"])
        #expect(try await ann.begin(6, type: "text/html").status == 422)
        #expect(try await ann.begin(1001).status == 413)
        let long = String(repeating: "n", count: 51)
        #expect(try await ann.begin(6, as: long).status == 422)
        #expect(try await ann.begin(6, as: "a\nb").status == 422)
        // Neither another event nor a camera is for guests to name.
        let other = try await ground.ask("POST", "/events", ["name": "Party"])
        let answer = try await ann.begin(
            3, name: "selfie.jpg", ["event": try #require(other["id"]?.string), "source": "EOS R5"])
        let upload = String(try #require(answer.header("Location")?.split(separator: "/").last))
        #expect(try await ann.append("abc", at: 0, to: upload).status == 204)
        try await ground.gallery.work()
        let photo = try #require(try await ground.waiting()["selfie.jpg"])
        #expect(photo["source"] == .null)
    }

    @Test("a device brings so many an hour, and has so many under way")
    func devices() async throws {
        let ground = try await ReactionGround(Self.event(nil), photos: [])
        let ann = ground.guest()
        var uploads: [String] = []
        for _ in 0..<20 { uploads.append(try await ann.begun(3)) }
        let many = try await ann.begin(3)
        #expect(many.status == 429 && many.header("Retry-After") != nil, "\(many)")
        // The host's own are not held up by that, nor are other guests.
        _ = try await ground.gallery.beginTus(3, for: ground.host)
        _ = try await ground.guest().begun(3)
        for upload in uploads {
            #expect(try await ann.ask("DELETE", "uploads/\(upload)").status == 204)
        }
        // Twenty and the one that was refused have counted.
        for _ in 0..<29 {
            let upload = try await ann.begun(3)
            #expect(try await ann.ask("DELETE", "uploads/\(upload)").status == 204)
        }
        #expect(try await ann.begin(3).status == 429)
        ground.gallery.wall.go(.seconds(72))
        _ = try await ann.begun(3)
        #expect(try await ann.begin(3).status == 429)
    }

    @Test("a hall behind one address brings what many devices may, and a client without cookies no more")
    func address() {
        var limits = GuestUploadLimits()
        func take(
            _ device: String, isNew: Bool = false, _ peer: String = "192.0.2.1", at hours: Int = 0
        ) -> Duration? {
            let subject = GuestUploadLimits.Subject(device: device, isNew: isNew, address: PeerKey(peer))
            return limits.take(by: subject, at: .seconds(1 + hours * 3600))
        }
        for number in 0..<2000 { #expect(take("\(number)", isNew: true) == nil) }
        #expect(take("another", isNew: true) != nil)
        #expect(take("0") != nil)
        #expect(take("0", "192.0.2.2") == nil)
        // Photos may be brought again soon, but by no new devices before a day is over.
        for hours in [1, 12, 23] {
            #expect(take("0", at: hours) == nil)
            let wait = take("new at \(hours)", isNew: true, at: hours)
            let left = Duration.seconds((24 - hours) * 3600)
            #expect(
                wait.map { (left...left + .seconds(3600)).contains($0) } == true, "\(hours): \(wait as Any)")
            #expect(take("new at \(hours)", isNew: true, "192.0.2.2", at: hours) == nil)
        }
        #expect(take("the next day", isNew: true, at: 25) == nil)
    }

    @Test("with its event all that is known of its guests is deleted, and with its account")
    func deleted() async throws {
        let ground = try await ReactionGround(Self.event(nil), photos: [])
        let store = ground.gallery.store
        func known() async throws -> Int {
            try await store.number("SELECT count(*) FROM guest_uploads")
                + store.number("SELECT count(*) FROM photos WHERE guest_name <> ''")
        }
        let ann = ground.guest()
        try await ann.bring("dance", as: "Ann")
        try await ground.gallery.work()
        _ = try await ann.begun(3)
        #expect(try await known() == 3)
        #expect(try await ground.ask("DELETE", ground.event).status == 204)
        #expect(try await known() == 0)
        let other = try await ReactionGround(Self.event(nil), photos: [])
        try await other.guest().bring("dance", as: "Ann")
        try await other.gallery.store.deleteAccount(other.host.account)
        #expect(try await other.gallery.store.number("SELECT count(*) FROM guest_uploads") == 0)
    }

    @Test("the log says of a guest's upload where it comes from, and not how the guest is called")
    func log() async throws {
        let ground = try await ReactionGround(Self.event(nil), photos: [])
        let upload = try await ground.guest(from: "192.0.2.7").begun(3, as: "Ann Example")
        let lines = ground.gallery.told.value.filter { $0.hasPrefix("guest-upload ") }
        #expect(
            lines == ["guest-upload upload=\(upload) event=\(ground.host.event) from=192.0.2.7 request=test"])
        #expect(!ground.gallery.told.value.contains { $0.contains("Example") })
    }
}
