import Basics
import Bridge
import Posix
import Store
import TestSupport
import Testing
import Upload

@Suite struct WebhookSenderTests {
    static let one = "https://one.example/hook/SECRET-PATH"
    static let two = "https://two.example/hook"

    @Test("a message is a POST of its JSON, with the key, the time and nothing that follows elsewhere")
    func message() async throws {
        let rig = try await WebhookRig(Webhook(url: Self.one, hears: [.staged]))
        let ear = Ear(rig.rig.calendar) { _, _ throws(HTTPFailure) in Ear.fine }
        try await rig.rig.stage(1...1)
        let message = try #require(try await rig.waiting(Self.one).first)
        try await rig.running(try rig.sender(ear, Self.one)) {
            try await rig.pass { try await rig.waiting(Self.one).isEmpty }
        }
        let heard = try #require(ear.heard.first)
        #expect(ear.heard.count == 1 && heard.body == message.body && heard.key == message.key)
        let request = heard.request
        #expect(request.method == "POST" && request.url == Self.one && request.redirects == 0)
        #expect(request.answerLimit == 65_536)
        #expect(
            request.headers.map(\.name) == [
                "Content-Type", "X-Tetherline-Delivery", "X-Tetherline-Timestamp", "X-Tetherline-Signature",
            ])
        #expect(request.value("Content-Type") == "application/json")
        #expect(request.value("X-Tetherline-Timestamp") == "\(heard.at.seconds)")
        let body = try JSON5.parse(heard.body)
        #expect(body["happening"]?.string == "staged" && body["name"]?.string == "DSC_1.JPG")
        #expect(body["event"]?["name"]?.string == "Wedding" && body["receipts"]?.array?.isEmpty == true)
        #expect(rig.events.value.isEmpty)
    }

    @Test(
        "the signature is what openssl makes of the time, a full stop and the body",
        .enabled(if: Tool.isThere("openssl")))
    func signature() async throws {
        let rig = try await WebhookRig(Webhook(url: Self.one, hears: [.staged]))
        let ear = Ear(rig.rig.calendar) { _, _ throws(HTTPFailure) in Ear.fine }
        try await rig.rig.stage(1...3)
        try await rig.running(try rig.sender(ear, Self.one)) {
            try await rig.pass { try await rig.waiting(Self.one).isEmpty }
        }
        let openssl = try #require(Tool("openssl"))
        #expect(ear.heard.count == 3)
        for heard in ear.heard {
            let signed = "\(heard.request.value("X-Tetherline-Timestamp")).\(heard.body)"
            let judged = try openssl.run(
                ["dgst", "-sha256", "-r", "-hmac", String(decoding: WebhookRig.secret, as: UTF8.self)],
                input: Array(signed.utf8))
            let code = try #require(judged.text.split(separator: " ").first)
            #expect(heard.request.value("X-Tetherline-Signature") == "sha256=\(code)")
        }
    }

    @Test(
        "with lost answers and a listener that is often down, each message is heard at least once, with one key, in order, one at a time",
        arguments: Cases.seeds(full: 100))
    func lostAnswers(seed: UInt64) async throws {
        let rig = try await WebhookRig(
            Webhook(url: Self.one, hears: [.staged]), Webhook(url: Self.two, hears: [.staged]))
        let random = Shared(Seeded(seed))
        let heardWell = Shared<[String: [String]]>([:])
        let ear = Ear(rig.rig.calendar) { heard, _ throws(HTTPFailure) in
            await Task.yield()
            let luck = random.change { Int.random(in: 0..<10, using: &$0) }
            if luck == 0 { throw .unreachable("no route") }
            heardWell.change { $0[heard.request.url, default: []].append(heard.key) }
            switch luck {
            case 1: throw .broken("reset", bodyWasSent: true)
            case 2: return HTTPResponse(status: 503)
            case 3: throw .unreadable("a page to log in at")
            case 4: return HTTPResponse(status: 302, headers: [HTTPHeader("Location", "http://portal/")])
            default: return Ear.fine
            }
        }
        try await rig.rig.stage(1...12)
        var keys: [String: [String]] = [:]
        for url in [Self.one, Self.two] { keys[url] = try await rig.waiting(url).map(\.key) }
        try await rig.running(try rig.sender(ear, Self.one, Self.two)) {
            try await rig.pass {
                let left = try await rig.waiting(Self.one) + rig.waiting(Self.two)
                return left.isEmpty
            }
        }
        for url in [Self.one, Self.two] {
            let heard = heardWell.value[url] ?? []
            // What is heard twice is heard twice in a row.
            var once: [String] = []
            for key in heard where once.last != key { once.append(key) }
            #expect(once == keys[url], "seed \(seed)")
            #expect(once.count == 12)
        }
        #expect(ear.busiest.value == 1)
        #expect(try rig.journal().isEmpty)
    }

    @Test("a webhook that is down holds no other, costs no attempts, and is said once")
    func held() async throws {
        let rig = try await WebhookRig(
            Webhook(url: Self.one, hears: [.staged]), Webhook(url: Self.two, hears: [.staged]))
        let isUp = Shared(false)
        let ear = Ear(rig.rig.calendar) { heard, _ throws(HTTPFailure) in
            if heard.request.url == Self.one, !isUp.value { throw .unreachable("no route") }
            return Ear.fine
        }
        try await rig.rig.stage(1...3)
        try await rig.running(try rig.sender(ear, Self.one, Self.two)) {
            try await rig.pass { ear.heard.count { $0.request.url == Self.one } > 20 }
            #expect(try await rig.waiting(Self.two).isEmpty)
            let waiting = try await rig.waiting(Self.one)
            #expect(waiting.count == 3 && waiting.allSatisfy { $0.attempts == 0 })
            #expect(rig.events.value == [.held(name: "https://one.example", "no route")])
            isUp.change { $0 = true }
            try await rig.pass { try await rig.waiting(Self.one).isEmpty }
        }
        #expect(rig.events.value.last == .released(name: "https://one.example"))
        #expect(ear.heard.filter { $0.request.url == Self.two }.count == 3)
    }

    @Test("a message that is refused five times is given up with a line in the journal, and the next is told")
    func refused() async throws {
        let rig = try await WebhookRig(Webhook(url: Self.one, hears: [.staged]))
        let bad = Shared<String?>(nil)
        let ear = Ear(rig.rig.calendar) { heard, _ throws(HTTPFailure) in
            HTTPResponse(
                status: bad.change {
                    $0 = $0 ?? heard.key
                    return $0 == heard.key
                } ? 422 : 200)
        }
        try await rig.rig.stage(1...2)
        let keys = try await rig.waiting(Self.one).map(\.key)
        try await rig.running(try rig.sender(ear, Self.one)) {
            try await rig.pass { try await rig.waiting(Self.one).isEmpty }
        }
        #expect(ear.heard.map(\.key) == Array(repeating: keys[0], count: 5) + [keys[1]])
        let journal = try rig.journal()
        #expect(
            journal == [
                "https://one.example was not told of a photo (delivery \(keys[0])): it answered 422"
            ])
        #expect(
            rig.events.value == [.givenUp(name: "https://one.example", key: keys[0], "it answered 422")])
    }

    @Test("Retry-After is obeyed to the second")
    func retryAfter() async throws {
        let rig = try await WebhookRig(Webhook(url: Self.one, hears: [.staged]))
        let ear = Ear(rig.rig.calendar) { _, count throws(HTTPFailure) in
            count == 1 ? HTTPResponse(status: 429, headers: [HTTPHeader("Retry-After", "47")]) : Ear.fine
        }
        try await rig.rig.stage(1...1)
        try await rig.running(try rig.sender(ear, Self.one)) {
            try await rig.pass { try await rig.waiting(Self.one).isEmpty }
        }
        #expect(ear.heard.count == 2)
        #expect(ear.heard[1].at - ear.heard[0].at == .seconds(47))
    }

    @Test(
        "a bridge that ends in the middle tells it again the next time, by the same key and not before it is due"
    )
    func restart() async throws {
        let rig = try await WebhookRig(Webhook(url: Self.one, hears: [.staged]))
        try await rig.rig.stage(1...2)
        let endless = Ear(rig.rig.calendar) { _, count throws(HTTPFailure) in
            if count == 1 { return HTTPResponse(status: 503, headers: [HTTPHeader("Retry-After", "600")]) }
            await ScriptedDestination.endlessly()
            throw .cancelled
        }
        let before = try await rig.waiting(Self.one).map(\.key)
        try await rig.running(try rig.sender(endless, Self.one)) {
            while endless.heard.isEmpty { await Task.yield() }
            await rig.rig.clock.waitForSleepers(1)
        }
        #expect(endless.heard.count == 1)
        let due = try #require(try await rig.waiting(Self.one).first?.due)
        #expect(due == endless.heard[0].at + .seconds(600))
        let middle = Ear(rig.rig.calendar) { _, _ throws(HTTPFailure) in
            await ScriptedDestination.endlessly()
            throw .cancelled
        }
        try await rig.running(try rig.sender(middle, Self.one)) {
            try await rig.pass { !middle.heard.isEmpty }
        }
        #expect(middle.heard.map(\.key) == [before[0]] && middle.heard[0].at >= due)
        let ear = Ear(rig.rig.calendar) { _, _ throws(HTTPFailure) in Ear.fine }
        try await rig.running(try rig.sender(ear, Self.one)) {
            try await rig.pass { try await rig.waiting(Self.one).isEmpty }
        }
        #expect(ear.heard.map(\.key) == before)
    }

    @Test("it is told of what is staged and of what is completed, each listener of what it hears")
    func hears() async throws {
        let rig = try await WebhookRig(
            Webhook(url: Self.one, hears: [.staged, .completed]),
            Webhook(url: Self.two, hears: [.completed]))
        let ear = Ear(rig.rig.calendar) { _, _ throws(HTTPFailure) in Ear.fine }
        let destination = try await rig.rig.destination("file:///d")
        try await rig.running(try rig.sender(ear, Self.one, Self.two)) {
            try await rig.rig.stage(1...2)
            for job in try await rig.rig.ledger.claim(10, to: destination.id) {
                try await rig.rig.ledger.save(
                    JobChange(job.id, from: .staged, to: .uploading, attempts: 0, due: job.due))
                try await rig.rig.ledger.save(
                    JobChange(
                        job.id, from: .uploading, to: .completed, attempts: 0, due: job.due,
                        receipt: Receipt(key: "A", size: 1000, sha256: job.photo.sha256)))
            }
            while ear.heard.count < 6 { await Task.yield() }
        }
        func happenings(_ url: String) throws -> [String] {
            try ear.heard.filter { $0.request.url == url }.compactMap {
                let body = try JSON5.parse($0.body)
                return "\(body["happening"]?.string ?? "") \(body["receipts"]?.array?.count ?? -1)"
            }
        }
        #expect(try happenings(Self.one) == ["staged 0", "staged 0", "completed 1", "completed 1"])
        #expect(try happenings(Self.two) == ["completed 1", "completed 1"])
    }
}
