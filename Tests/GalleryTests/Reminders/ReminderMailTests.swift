import Basics
import Glibc
import HTTPClient
import Posix
import TestSupport
import Testing

@testable import Gallery

/// Hosts are told by mail that their events end: taken by an independent server, and read by Python's own library.
@Suite(
    .enabled(if: MailStand.isThere, "aiosmtpd is not installed; tools/setup does it"),
    .timeLimit(.minutes(Cases.minutesOfHang)))
struct ReminderMailTests {
    private static let name = "Anna & Björn – 結婚式"

    /// It ends on 18 November 2026 at 11:06:40 UTC.
    private func reminder(
        _ stage: Reminder.Stage, zone: String? = nil, to address: String = "ann@example.org"
    ) -> Reminder {
        Reminder(
            event: TestIDs.id(1), name: Self.name, slug: "anna-bjoern", email: address, hostName: "Ånn",
            endsAt: GalleryWall.start, zone: zone.flatMap(ZoneName.init), stage: stage, tries: 0)
    }

    private func way(_ stand: MailStand) throws -> ReminderMail {
        let carrier = try CurlMail(try MailServer("smtp://127.0.0.1:\(stand.port)", password: nil))
        let wall = GalleryWall()
        return ReminderMail(
            MailDoor(from: "gallery@example.org") { mail in
                do {
                    try await carrier.send(mail.message, from: mail.from, to: mail.to)
                } catch let failure as CurlMail.Failure {
                    throw Refusal(isRefusal: failure.isRefusal, description: failure.description)
                }
            }, random: SeededSource(1), time: wall.clock, wall: wall)
    }

    /// As the program tells the gallery of it.
    private struct Refusal: MailRefusal, CustomStringConvertible {
        let isRefusal: Bool
        let description: String
    }

    /// What a mail program shows: the subject, and after it the text.
    private static func read(_ lines: [String]) throws -> [String] {
        let message = lines.filter { $0.hasPrefix("| ") }.map { $0.dropFirst(2) }.joined(separator: "\r\n")
        let program = """
            import email, email.policy, sys
            mail = email.message_from_binary_file(sys.stdin.buffer, policy=email.policy.default)
            print(mail["subject"])
            print(mail.get_content())
            assert not mail.defects
            """
        let run = try #require(Tool("python3")).run(
            ["-c", program], input: Array(message.utf8), environment: ["PYTHONIOENCODING": "utf-8"])
        #expect(run.code == 0, "\(run.errors)")
        return run.text.split(whereSeparator: \.isNewline).map(String.init)
    }

    @Test(
        "a mail says in any script which event ends and when, and where its host goes",
        arguments: Reminder.Stage.allCases)
    func mails(stage: Reminder.Stage) async throws {
        let stand = try MailStand()
        let told = reminder(stage, zone: stage == .ended ? nil : "Pacific/Auckland")
        try await way(stand).tell(told, publicURL: "https://photos.example.org")
        let lines = try stand.waitForMail()
        #expect(lines.contains("MAIL gallery@example.org ['ann@example.org'] open -"), "\(lines)")
        let mail = try Self.read(lines)
        #expect(
            mail.first
                == (stage == .ended ? "Your event has ended" : "Guests see your event until 19 November 2026")
        )
        #expect(mail.contains("Hello Ånn,"), "\(mail)")
        let text = mail.joined(separator: " ")
        let end =
            stage == .ended ? "18 November 2026, 11:06 (UTC)" : "19 November 2026, 00:06 (Pacific/Auckland)"
        #expect(text.contains(Self.name) && text.contains(end), "\(mail)")
        // RFC 2045 §6.8, behind the two characters of the stand's own.
        #expect(lines.allSatisfy { !$0.hasPrefix("| ") || $0.count <= 78 }, "\(lines)")
        #expect(mail.contains("https://photos.example.org/host#event/\(TestIDs.id(1))"), "\(mail)")
        #expect(mail.contains("https://photos.example.org/e/anna-bjoern") == (stage != .ended), "\(mail)")
    }

    @Test("a mailbox that takes nothing refuses, and a server that is away does not")
    func refused() async throws {
        let stand = try MailStand()
        let full = await #expect(throws: OperatorProblem.self) {
            let told = reminder(.ended, to: "full@example.org")
            try await way(stand).tell(told, publicURL: "https://photos.example.org")
        }
        #expect(
            full?.description.contains("552") == true && full?.isRefusal == true, "\(full as Any)")
        #expect(full?.description.contains(TestIDs.id(1)) == true, "\(full as Any)")
        let away = await #expect(throws: OperatorProblem.self) {
            let carrier = try CurlMail(
                try MailServer("smtp://127.0.0.1:\(try FreePort.next())", password: nil))
            let wall = GalleryWall()
            let door = MailDoor(from: "gallery@example.org") { mail in
                try await carrier.send(mail.message, from: mail.from, to: mail.to)
            }
            let way = ReminderMail(door, random: SeededSource(1), time: wall.clock, wall: wall)
            try await way.tell(reminder(.ended), publicURL: "https://photos.example.org")
        }
        #expect(away?.isRefusal == false, "\(away as Any)")
    }

    @Test("an address gets so many mails a day, whichever way it is written, and others get theirs")
    func limit() async throws {
        let (wall, sent, isAway) = (GalleryWall(), Shared(0), Shared(true))
        let door = MailDoor(from: "gallery@example.org") { _ in
            if isAway.value { throw Surprise("it is away") }
            sent.change { $0 += 1 }
        }
        let way = ReminderMail(door, random: SeededSource(1), time: wall.clock, wall: wall)
        let url = "https://photos.example.org"
        await #expect(throws: OperatorProblem.self) { try await way.tell(reminder(.ended), publicURL: url) }
        isAway.change { $0 = false }
        // What was not taken does not count.
        for _ in 0..<ReminderMail.mostOfAddress.tries { try await way.tell(reminder(.ended), publicURL: url) }
        let problem = await #expect(throws: OperatorProblem.self) {
            try await way.tell(reminder(.ended, to: "Ann@Example.org"), publicURL: url)
        }
        #expect(problem?.isRefusal == false)
        try await way.tell(reminder(.ended, to: "bob@example.org"), publicURL: url)
        #expect(sent.value == ReminderMail.mostOfAddress.tries + 1)
        wall.go(.seconds(86_401))
        try await way.tell(reminder(.ended), publicURL: url)
    }

    @Test("where a server for mail is named, and no other way, a host gets it")
    func program() async throws {
        try await aside { try served() }
    }

    private func served() throws {
        let stand = try MailStand()
        let program = try GalleryProgram()
        let end =
            #"{"expiresAt":"\#(CivilTime.rfc3339(milliseconds: SystemWallTime().wallNow.milliseconds))"}"#
        let changed = try program.ask("PATCH", "/events/\(program.event)", end)
        #expect(changed.status == 200, "\(changed.text)")
        program.end()
        let again = try Daemon(
            Built.gallery,
            [
                "serve", "--listen", "127.0.0.1:0", "--public-url", "http://127.0.0.1",
                "--smtp", "smtp://127.0.0.1:\(stand.port)", "--mail-from", "gallery@example.org",
            ] + program.serving, environment: program.environment, isLeashed: true)
        defer { again.letGo() }
        let lines = try stand.waitForMail()
        #expect(lines.contains("MAIL gallery@example.org ['host@example.org'] open -"), "\(lines)")
        #expect(try Self.read(lines).joined(separator: " ").contains("Wedding no more"), "\(lines)")
    }
}
