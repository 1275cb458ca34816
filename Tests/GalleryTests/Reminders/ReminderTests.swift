import Basics
import HTTPClient
import HTTPServer
import TestSupport
import Testing

@testable import Gallery

/// Hosts hear of the end of their events before it comes.
@Suite(.timeLimit(.minutes(Cases.minutesOfHang))) struct ReminderTests {
    /// A program that notes what it is told, and may be out of order for a while.
    private final class Way: ReminderWay {
        let told = Shared<[JSONValue]>([])
        let failures = Shared(0)

        func tell(_ reminder: Reminder, publicURL: String) async throws(OperatorProblem) {
            let fails = failures.change { left in
                left -= 1
                return left >= 0
            }
            if fails { throw OperatorProblem(description: "out of order") }
            told.change { $0.append(reminder.json(publicURL: publicURL)) }
        }

        var stages: [String] { told.value.compactMap { $0["reminder"]?.string } }
    }

    private static func days(_ count: Int) -> Duration { .seconds(count * 86_400) }

    private let way = Way()
    private let gallery: GalleryGround
    private let host: GalleryGround.Host
    private let reminder: HostReminder

    /// An event that ends in twenty days.
    init() async throws {
        gallery = try GalleryGround()
        host = try await gallery.host(
            event: ["name": "Wedding", "expiresAt": (GalleryWall.start + Self.days(20)).json])
        reminder = Self.reminder(gallery, way)
    }

    private static func reminder(_ gallery: GalleryGround, _ way: any ReminderWay) -> HostReminder {
        HostReminder(
            store: gallery.server.store, way: way, publicURL: "http://gallery.example",
            time: gallery.wall.clock, log: GalleryLog { _, _ in })
    }

    private static let ended = Reminder(
        event: TestIDs.id(1), name: "Ann's $(day)", slug: "ann", email: "ann@example.org", hostName: "Ann",
        endsAt: GalleryWall.start, zone: nil, stage: .ended, tries: 0)

    /// All that is due now.
    private func tell() async -> [String] {
        let before = way.stages.count
        while case .told = await reminder.turn() {}
        return Array(way.stages[before...])
    }

    private func change(_ wish: JSONValue) async throws {
        let changed = try await gallery.call(
            "PATCH", "/events/\(host.event)", wish, token: gallery.token(host))
        #expect(changed.status == 200, "\(changed)")
    }

    @Test("a host is told two weeks and three days before the end and when it has come, each once")
    func stages() async throws {
        #expect(await tell() == [])
        gallery.wall.go(Self.days(6))
        #expect(await tell() == ["14-days"])
        let said = try #require(way.told.value.last)
        #expect(said["host"]?["email"] == "host@example.org")
        #expect(said["event"]?["name"] == "Wedding" && said["event"]?["id"] == .string(host.event))
        #expect(said["endsAt"] == (GalleryWall.start + Self.days(20)).json)
        #expect(said["link"] == .string("http://gallery.example/host#event/\(host.event)"))
        #expect(await tell() == [])
        gallery.wall.go(Self.days(11))
        #expect(await tell() == ["3-days"])
        gallery.wall.go(Self.days(2))
        #expect(await tell() == [])
        gallery.wall.go(Self.days(1))
        #expect(await tell() == ["ended"])
        gallery.wall.go(Self.days(1))
        #expect(await tell() == [])
    }

    @Test("only the latest stage is told, none that was past when the event was made, and no end of long ago")
    func late() async throws {
        gallery.wall.go(Self.days(18))
        #expect(await tell() == ["3-days"])
        // An event that is made five days before its end.
        let made = try await gallery.call(
            "POST", "/events",
            ["name": "Soon", "expiresAt": (gallery.wall.wallNow + Self.days(5)).json],
            token: gallery.token(host))
        #expect(made.status == 201)
        #expect(await tell() == [])
        gallery.wall.go(Self.days(2))
        #expect(await tell() == ["ended", "3-days"])
        gallery.wall.go(GalleryStore.longestLate + Self.days(4))
        #expect(await tell() == [], "the second has ended, and for too long")
    }

    @Test("another end is told of anew; without one, or without the event, nothing is told")
    func changes() async throws {
        gallery.wall.go(Self.days(18))
        #expect(await tell() == ["3-days"])
        try await change(["expiresAt": (gallery.wall.wallNow + Self.days(10)).json])
        #expect(await tell() == ["14-days"])
        gallery.wall.go(Self.days(8))
        #expect(await tell() == ["3-days"])
        try await change(["expiresAt": .null])
        gallery.wall.go(Self.days(3))
        #expect(await tell() == [])
        try await change(["expiresAt": (gallery.wall.wallNow + Self.days(1)).json])
        let gone = try await gallery.call("DELETE", "/events/\(host.event)", token: gallery.token(host))
        #expect(gone.status == 204)
        #expect(await tell() == [])
    }

    @Test("what fails is tried again, later and later, until it is told")
    func failures() async throws {
        gallery.wall.go(Self.days(17))
        way.failures.change { $0 = 3 }
        for pause in [60, 120, 240] {
            #expect(await reminder.turn() == .failed("out of order"))
            #expect(await reminder.turn() == .nothing, "not at once")
            gallery.wall.go(.seconds(pause - 1))
            #expect(await reminder.turn() == .nothing)
            gallery.wall.go(.seconds(1))
        }
        #expect(await tell() == ["3-days"])
        #expect(await tell() == [])
    }

    @Test("one node tells at a time, and another when that one was killed")
    func nodes() async throws {
        gallery.wall.go(Self.days(17))
        let taken = try #require(try await gallery.store.takeReminder())
        #expect(taken.stage == .threeDays)
        #expect(await tell() == [], "the first is at it")
        gallery.wall.go(.seconds(300))
        #expect(await tell() == [], "also where the other's clock is five minutes ahead")
        gallery.wall.go(GalleryStore.reminderLease)
        #expect(await tell() == ["3-days"])
        // It was only slow.
        try await gallery.store.giveBack(taken)
        gallery.wall.go(.seconds(60))
        #expect(await tell() == [])
    }

    @Test("what is refused is asked for once a day, and told as soon as it is taken")
    func refused() async throws {
        let refusal = OperatorProblem(description: "there is no such mailbox", isRefusal: true)
        let refusing = Self.reminder(gallery, Refusing(problem: refusal))
        gallery.wall.go(Self.days(6))
        #expect(await refusing.turn() == .failed("there is no such mailbox"))
        gallery.wall.go(.seconds(86_399))
        #expect(await refusing.turn() == .nothing)
        gallery.wall.go(.seconds(1))
        #expect(await refusing.turn() == .failed("there is no such mailbox"))
        gallery.wall.go(Self.days(1))
        #expect(await tell() == ["14-days"])
    }

    private struct Refusing: ReminderWay {
        let problem: OperatorProblem

        func tell(_ reminder: Reminder, publicURL: String) async throws(OperatorProblem) { throw problem }
    }

    @Test("the operator's program is told by one argument, and what it says by its end counts")
    func command() async throws {
        func command(_ program: String) throws -> ReminderCommand {
            ReminderCommand(
                OperatorCommand(program, environment: [:], on: try GalleryThreads.time()))
        }
        let folder = try TemporaryFolder()
        try folder.writeProgram(
            """
            #!/bin/sh
            printf '%s: %s' "$#" "$1" > '\(folder.file("told"))'

            """, to: "remind")
        let url = "http://gallery.example"
        try await command(folder.file("remind")).tell(Self.ended, publicURL: url)
        let told = String(decoding: try readFile(folder.file("told")), as: UTF8.self)
        let event = #"{"id":"\#(TestIDs.id(1))","name":"Ann's $(day)","guestUrl":"\#(url)/e/ann"}"#
        let rest = #""endsAt":"2026-11-18T11:06:40.000Z","link":"\#(url)/host#event/\#(TestIDs.id(1))""#
        let host = #"{"email":"ann@example.org","name":"Ann"}"#
        #expect(told == #"1: {"reminder":"ended","event":\#(event),"host":\#(host),\#(rest)}"#)
        await #expect(throws: OperatorProblem(description: "/bin/false ended with exit code 1")) {
            try await command("/bin/false").tell(Self.ended, publicURL: url)
        }
    }

    @Test("the operator's address is told by POST until it answers 2xx, and by no other one")
    func webhook() async throws {
        struct Heard: Sendable {
            let line: String
            let type: String?
            let authorization: String?
            let body: JSONValue
        }
        let heard = Shared<[Heard]>([])
        let peer = try HTTPPeer { request in
            let now = Heard(
                line: "\(request.method) \(request.target)", type: request["Content-Type"],
                authorization: request["Authorization"],
                body: try JSON5.parse(try await request.body.all()))
            let count = heard.change { heard in
                heard.append(now)
                return heard.count
            }
            switch count {
            case 1: return .text(503, "later")
            case 2: return .text(307, "", headers: [HTTPHeader("Location", "/elsewhere")])
            default: return .text(202, "it is on its way")
            }
        }
        let client = try CurlClient()
        let hook = ReminderWebhook(
            OperatorWebhook(
                "the reminder URL", "\(peer.url)/remind?by=mail", authorization: "Bearer SECRET", http: client
            ))
        let reminder = Self.reminder(gallery, hook)
        gallery.wall.go(Self.days(17))
        #expect(await reminder.turn() == .failed("the reminder URL answered 503"))
        gallery.wall.go(.seconds(60))
        #expect(await reminder.turn() == .failed("the reminder URL answered 307"))
        gallery.wall.go(.seconds(120))
        guard case .told = await reminder.turn() else {
            Issue.record("an address that answered 202 is not told")
            return
        }
        #expect(await reminder.turn() == .nothing)
        let expected: JSONValue = [
            "reminder": "3-days",
            "event": [
                "id": .string(host.event), "name": "Wedding",
                "guestUrl": .string("http://gallery.example/e/\(host.slug)"),
            ],
            "host": ["email": "host@example.org", "name": "Host"],
            "endsAt": (GalleryWall.start + Self.days(20)).json,
            "link": .string("http://gallery.example/host#event/\(host.event)"),
        ]
        #expect(heard.value.map(\.body) == [expected, expected, expected])
        for heard in heard.value {
            #expect(heard.line == "POST /remind?by=mail" && heard.type == "application/json")
            #expect(heard.authorization == "Bearer SECRET")
        }
        await peer.stop()
        let problem = await #expect(throws: OperatorProblem.self) {
            try await hook.tell(Self.ended, publicURL: "http://gallery.example")
        }
        let words = try #require(problem?.description)
        #expect(
            words.hasPrefix("the reminder URL cannot be asked: ") && !words.contains("SECRET"), "\(words)")
        await client.shutDown()
    }

    @Test(
        "what cannot be meant is refused before anything is served",
        arguments: [
            (["--reminder-url", "mail"], "--reminder-url needs an address"),
            (["--reminder-command", "/nowhere/remind"], "--reminder-command"),
            (["--reminder-command", "/bin/true", "--reminder-url", "https://a"], "say one of them"),
        ])
    func refused(options: [String], words: String) throws {
        let folder = try TemporaryFolder()
        let said = try #require(Tool(Built.gallery)).run(
            ["serve", "--data", folder.file("data"), "--listen", "127.0.0.1:0"] + options)
        #expect(said.code == 64 && said.errors.contains(words), "\(said.text) \(said.errors)")
    }

    @Test("guests read until which day the photos are there once that is within two weeks")
    func page() async throws {
        let words = "These photos are here until 8 December 2026"
        func page() async throws -> String { try await gallery.call("GET", "/e/\(host.slug)").text }
        // The start is 2026-11-18T11:06:40Z.
        #expect(try await !page().contains("These photos are here until"))
        gallery.wall.go(Self.days(6))
        #expect(try await page().contains(words))
        let german = try await gallery.call(
            "GET", "/e/\(host.slug)", headers: [HTTPHeader("Accept-Language", "de")])
        #expect(german.text.contains("Diese Fotos sind bis zum 8. Dezember 2026 hier"))
        // An end at midnight is the day before.
        try await change(["expiresAt": "2026-12-05T00:00:00.000Z"])
        #expect(try await page().contains("here until 4 December 2026"))
        try await change(["expiresAt": .null])
        #expect(try await !page().contains("here until"))
    }
}
