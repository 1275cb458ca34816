import Basics
import Bridge
import TestSupport
import Testing

@Suite struct WebhookQueueTests {
    let now = Timestamp(milliseconds: 1_800_000_000_000)

    func message(attempts: Int = 0, due: Timestamp? = nil) -> Message {
        Message(id: 1, url: "u", key: "k", body: "{}", attempts: attempts, due: due ?? now)
    }

    @Test("each answer by what it means: heard, not now, or refused")
    func answers() {
        for status in 100...999 {
            let answer = MessageAnswer(HTTPResponse(status: status), at: now)
            switch (status, answer) {
            case (200..<300, .told), (300..<400, .notNow), (408, .notNow), (425, .notNow), (429, .notNow),
                (500..., .notNow):
                break
            case (408, _), (425, _), (429, _): Issue.record("\(status): \(answer)")
            case (..<200, .refused), (400..<500, .refused): break
            default: Issue.record("\(status): \(answer)")
            }
        }
        for failure: HTTPFailure in [
            .unreachable("x"), .certificate("x"), .broken("x", bodyWasSent: true), .unreadable("x"),
        ] {
            #expect(MessageAnswer(failure) == .notNow("x", after: nil))
        }
        #expect(MessageAnswer(.invalid("x")) == .refused("x", after: nil))
        #expect(MessageAnswer(HTTPFailure.cancelled) == .cancelled)
    }

    @Test("Retry-After is read, obeyed, and obeyed within reason only")
    func retryAfter() {
        let busy = HTTPResponse(status: 429, headers: [HTTPHeader("retry-after", "17")])
        #expect(MessageAnswer(busy, at: now) == .notNow("it answered 429", after: .seconds(17)))
        var lane = WebhookQueue()
        var random = Seeded(1)
        for (asked, waited) in [(17, 17), (86_400, 3600)] as [(Int64, Int64)] {
            let step = lane.handle(
                .notNow("x", after: .seconds(asked)), to: message(), at: now, using: &random)
            #expect(step == .again(now + .seconds(waited), counts: false, "x"))
        }
    }

    @Test("what holds a listener costs its messages nothing, and the pauses double up to five minutes")
    func holds() {
        var lane = WebhookQueue()
        var random = Seeded(2)
        for failure in 1...40 {
            let step = lane.handle(.notNow("down", after: nil), to: message(), at: now, using: &random)
            guard case .again(let moment, counts: false, "down") = step else {
                Issue.record("\(step)")
                return
            }
            let ceiling = min(300, 1 << min(failure - 1, 20))
            #expect(moment >= now && moment <= now + .seconds(ceiling))
            #expect(lane.hold == "down")
        }
        #expect(lane.handle(.told, to: message(), at: now, using: &random) == .told)
        #expect(lane.hold == nil && lane.failures == 0)
    }

    @Test("five refusals end a message, and a hold in between does not count")
    func refusals() {
        var lane = WebhookQueue()
        var random = Seeded(3)
        for attempts in 0..<4 {
            let step = lane.handle(
                .refused("no", after: nil), to: message(attempts: attempts), at: now, using: &random)
            guard case .again(_, counts: true, "no") = step else {
                Issue.record("\(step)")
                return
            }
            _ = lane.handle(
                .notNow("down", after: nil), to: message(attempts: attempts), at: now, using: &random)
        }
        let last = lane.handle(.refused("no", after: nil), to: message(attempts: 4), at: now, using: &random)
        #expect(last == .givenUp("no"))
        var patient = WebhookQueue.Settings()
        patient.attempts = 0
        var endless = WebhookQueue(settings: patient)
        let step = endless.handle(
            .refused("no", after: nil), to: message(attempts: 1000), at: now, using: &random)
        guard case .again(_, counts: true, _) = step else {
            Issue.record("\(step)")
            return
        }
    }

    @Test("a moment further ahead than any pause is now: the clock was set back")
    func setBack() {
        let lane = WebhookQueue()
        #expect(lane.moment(for: message(due: now + .seconds(3600)), at: now) == now + .seconds(3600))
        #expect(lane.moment(for: message(due: now + .seconds(3601)), at: now) == now)
    }

    @Test("an address is shown by scheme and host only, and what is none is refused with a sentence")
    func addresses() throws {
        #expect(try WebhookAddress("https://h.example:8443/a/SECRET?t=1").name == "https://h.example:8443")
        #expect(try WebhookAddress("HTTP://h").name == "http://h")
        for wrong in [
            "", "h.example", "ftp://h", "https://", "https:///x", "https://:80/", "https://u:p@h/",
            "https://h/#a", "https://h/a b", "https://h/ä",
            "https://h/" + String(repeating: "x", count: 2000),
        ] {
            #expect(throws: WebhookAddress.Invalid.self, "\(wrong)") { try WebhookAddress(wrong) }
        }
    }
}
