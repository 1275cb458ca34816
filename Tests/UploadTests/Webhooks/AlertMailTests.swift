import Basics
import Bridge
import Posix
import TestSupport
import Testing
import Upload
import WorldSupport

/// Alerts on their way to webhooks.
@Suite struct AlertMailTests {
    static let url = "https://ntfy.example/desk?auth=SECRET"

    private struct Stand {
        let rig: WebhookRig
        let mail = AlertMail(random: SeededSource(5))

        init() async throws { rig = try await WebhookRig() }

        func sender(_ ear: Ear, secret: [UInt8]? = nil) throws -> WebhookSender {
            let place = try #require(AlertAddress(try WebhookAddress(url), .ntfy))
            return WebhookSender(
                ledger: mail, news: mail.news,
                recipients: [.init(place.address, secret: secret, target: place.target)], http: ear,
                executor: rig.rig.executor, time: rig.rig.clock, wall: rig.rig.calendar,
                random: SeededSource(3),
                report: { [events = rig.events] event in events.change { $0.append(event) } })
        }

        func post(_ body: String) { mail.post(body, to: url, at: rig.rig.calendar.wallNow) }

        var isEmpty: Bool {
            get async throws { try await mail.messages(to: url, atMost: 1).isEmpty }
        }
    }

    @Test("alerts go in order to ntfy's root, signed only where there is a secret, and never say theirs")
    func order() async throws {
        for secret in [nil, WebhookRig.secret] {
            let stand = try await Stand()
            let ear = Ear(stand.rig.rig.calendar) { _, count throws(HTTPFailure) in
                if count == 2 { throw .unreachable("no route") }
                return Ear.fine
            }
            for number in 1...3 { stand.post("\(number)") }
            try await stand.rig.running(try stand.sender(ear, secret: secret)) {
                try await stand.rig.pass { try await stand.isEmpty }
            }
            #expect(ear.heard.map(\.body) == ["1", "2", "2", "3"])
            #expect(ear.heard.allSatisfy { $0.request.url == "https://ntfy.example/?auth=SECRET" })
            let signed = ear.heard.allSatisfy { !$0.request.value("X-Tetherline-Signature").isEmpty }
            #expect(signed == (secret != nil))
            #expect(Set(ear.heard.map(\.key)).count == 3, "a repeated one has its key again")
            let said = stand.rig.events.value.map { "\($0)" }.joined()
            #expect(said.contains("https://ntfy.example") && !said.contains("SECRET"), "\(said)")
        }
    }

    @Test("what could not be told for an hour is given up, and what is refused, after five times")
    func givenUp() async throws {
        let stand = try await Stand()
        let begun = stand.rig.rig.calendar.wallNow
        let ear = Ear(stand.rig.rig.calendar) { heard, _ throws(HTTPFailure) in
            if heard.body == "refused" { return HTTPResponse(status: 403) }
            throw .unreachable("no route")
        }
        stand.post("old")
        try await stand.rig.running(try stand.sender(ear)) {
            try await stand.rig.pass { try await stand.isEmpty }
            let span = stand.rig.rig.calendar.wallNow - begun
            #expect(span >= AlertMail.lasting && span < AlertMail.lasting + .seconds(600), "\(span)")
            stand.post("refused")
            try await stand.rig.pass { try await stand.isEmpty }
        }
        #expect(ear.heard.count { $0.body == "refused" } == 5)
        let givenUp = stand.rig.events.value.filter {
            if case .givenUp = $0 { true } else { false }
        }
        #expect(givenUp.count == 2)
    }

    @Test("of very many the newest wait, and the one that may be under way")
    func many() async throws {
        let stand = try await Stand()
        for number in 1...250 { stand.post("\(number)") }
        let ear = Ear(stand.rig.rig.calendar) { _, _ throws(HTTPFailure) in Ear.fine }
        try await stand.rig.running(try stand.sender(ear)) {
            try await stand.rig.pass { try await stand.isEmpty }
        }
        #expect(ear.heard.map(\.body) == ["1"] + (152...250).map { "\($0)" })
    }
}
