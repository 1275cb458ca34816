import Basics
import Bridge
import HTTPClient
import Posix
import Store
import TestSupport
import Testing
import Upload

/// Over real sockets, by the client that the programs use.
@Suite struct WebhookSocketTests {
    struct Heard: Sendable {
        let key: String
        let timestamp: String
        let signature: String
        let type: String
        let body: [UInt8]
    }

    @Test(
        "a server that loses answers, closes and refuses hears each message at least once, in order, and openssl agrees with each signature",
        .enabled(if: Tool.isThere("openssl")))
    func realSocket() async throws {
        let heard = Shared<[Heard]>([])
        let peer = try HTTPPeer { request in
            let body = try await request.body.all()
            let now = Heard(
                key: request["X-Tetherline-Delivery"] ?? "",
                timestamp: request["X-Tetherline-Timestamp"] ?? "",
                signature: request["X-Tetherline-Signature"] ?? "", type: request["Content-Type"] ?? "",
                body: body)
            let count = heard.change { heard in
                heard.append(now)
                return heard.count
            }
            switch count % 8 {
            case 1: return .nothing(then: .closes)
            case 2: return .nothing(then: .resets)
            case 3: return .text(503, "later", headers: [HTTPHeader("Retry-After", "5")])
            case 4: return .text(200, String(repeating: "x", count: 100_000))
            case 5: return .text(302, "", headers: [HTTPHeader("Location", "http://127.0.0.1:1/")])
            case 6: return .text(422, "no")
            default: return .text(200, "heard")
            }
        }
        let url = "\(peer.url)/hook?token=SECRET"
        let rig = try await WebhookRig(Webhook(url: url, hears: [.staged]))
        try await rig.rig.stage(1...6)
        let keys = try await rig.waiting(url).map(\.key)
        let client = try CurlClient()
        try await rig.running(try rig.sender(client, url)) {
            try await rig.pass { try await rig.waiting(url).isEmpty }
        }
        await client.shutDown()
        await peer.stop()
        var once: [String] = []
        for key in heard.value.map(\.key) where once.last != key { once.append(key) }
        #expect(once == keys)
        #expect(heard.value.count > keys.count)
        let openssl = try #require(Tool("openssl"))
        for heard in heard.value {
            #expect(heard.type == "application/json")
            let judged = try openssl.run(
                ["dgst", "-sha256", "-r", "-hmac", String(decoding: WebhookRig.secret, as: UTF8.self)],
                input: Array("\(heard.timestamp).".utf8) + heard.body)
            let code = try #require(judged.text.split(separator: " ").first)
            #expect(heard.signature == "sha256=\(code)")
        }
        // Nothing that is told of a listener holds what stands behind its host.
        let said = rig.events.value.map { "\($0)" } + (try rig.journal())
        #expect(!said.isEmpty && !said.contains { $0.contains("SECRET") }, "\(said)")
    }

    @Test("where no server listens the message waits, and costs no attempt")
    func nobody() async throws {
        let closed = try HTTPPeer { _ in .text(200, "") }
        let url = "\(closed.url)/"
        await closed.stop()
        let rig = try await WebhookRig(Webhook(url: url, hears: [.staged]))
        try await rig.rig.stage(1...1)
        let client = try CurlClient()
        try await rig.running(try rig.sender(client, url)) {
            try await rig.pass { !rig.events.value.isEmpty }
        }
        await client.shutDown()
        guard case .held(let name, _)? = rig.events.value.first else {
            Issue.record("\(rig.events.value)")
            return
        }
        #expect(name == closed.url)
        let waiting = try await rig.waiting(url)
        #expect(waiting.count == 1 && waiting.first?.attempts == 0)
    }
}
