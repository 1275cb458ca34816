import Basics
import HTTPServer
import TestSupport
import Testing

@testable import Gallery

/// Lines about what people did.
@Suite struct ActivityLogTests {
    private let lines = Shared<[String]>([])
    private let clock = ManualClock()
    private let activity: ActivityLog

    init() {
        let lines = lines
        activity = ActivityLog(GalleryLog { _, line in lines.change { $0.append(line) } }, time: clock)
    }

    @Test("a line is a word and its fields, and what clients wrote cannot look like others")
    func fields() {
        activity.note(.login, ["account": "ann@example.org", "from": "2001:db8::1", "by": "password"])
        activity.note(.uploadFailed, ["because": "it is\n\"no\" image = café", "code": ""])
        activity.note(.deleted, ["event": String(repeating: "x", count: 5000)])
        #expect(
            lines.value == [
                "login account=ann@example.org from=2001:db8::1 by=password",
                "upload-failed because=\"it is??no? image = caf?\" code=\"\"",
                "deleted event=\(String(repeating: "x", count: 100))",
            ])
    }

    @Test(
        "a flood is some lines and a sum, and other kinds are said meanwhile",
        arguments: ActivityLog.Kind.allCases)
    func flood(kind: ActivityLog.Kind) {
        for number in 0..<1000 { activity.note(kind, ["number": "\(number)"]) }
        #expect(
            lines.value.count == kind.most && lines.value.last == "\(kind.rawValue) number=\(kind.most - 1)")
        for other in ActivityLog.Kind.allCases where other != kind { activity.note(other, [:]) }
        #expect(lines.value.count == kind.most + ActivityLog.Kind.allCases.count - 1)
        activity.flush()
        clock.advance(by: ActivityLog.period)
        activity.flush()
        #expect(lines.value.last == "\(kind.rawValue) more=\(1000 - kind.most) seconds=10")
        activity.flush()
        activity.note(kind, [:])
        #expect(lines.value.last == kind.rawValue)
        #expect(lines.value.count == kind.most + ActivityLog.Kind.allCases.count + 1)
    }

    @Test("a sum is said at the latest with the next line, or at the end")
    func sums() {
        for _ in 0..<15 { activity.note(.pinFailed, [:]) }
        clock.advance(by: .seconds(60))
        activity.note(.pinFailed, ["event": "1"])
        #expect(lines.value.suffix(2) == ["pin-failed more=5 seconds=10", "pin-failed event=1"])
        for _ in 0..<12 { activity.note(.pinFailed, [:]) }
        activity.flush(isEnd: true)
        #expect(lines.value.last == "pin-failed more=3 seconds=10")
    }

    @Test("a line of a request ends with its id; a sum, and what happens by itself, has none")
    func named() {
        for _ in 0..<11 { activity.note(.pinFailed, [:]) }
        clock.advance(by: .seconds(60))
        Request.$answeredID.withValue("r-1") { activity.note(.pinFailed, ["because": "a request=r-2"]) }
        activity.note(.uploaded, ["photo": "1"])
        #expect(
            lines.value.suffix(3) == [
                "pin-failed more=1 seconds=10", "pin-failed because=\"a request=r-2\" request=r-1",
                "uploaded photo=1",
            ])
    }

    @Test("a line has a time and a level, or those of a service's journal")
    func written() {
        let now = Timestamp(milliseconds: 1_795_669_589_007)
        #expect(
            GalleryLog.line(.warning, "two\nlines", node: nil, isService: false, at: now)
                == "2026-11-26T05:06:29.007Z warning two lines")
        #expect(
            GalleryLog.line(.error, "gone", node: "a", isService: true, at: now) == "<3>node=a gone")
        #expect(
            GalleryLog.line(.info, "login", node: "b", isService: false, at: now)
                == "2026-11-26T05:06:29.007Z info node=b login")
    }

    @Test("what becomes of photos and events is written down, and which request deleted them")
    func changes() async throws {
        let gallery = try GalleryGround()
        let host = try await gallery.host()
        let photo = try #require(try await gallery.upload("one", for: host)?["id"]?.string)
        _ = try await gallery.call("DELETE", "/photos/\(photo)", token: gallery.token(host))
        _ = try await gallery.call("DELETE", "/events/\(host.event)", token: gallery.token(host))
        let said = gallery.told.value
        // Its bytes are the three of "one".
        #expect(said.contains("uploaded photo=\(photo) event=\(host.event) bytes=3"))
        #expect(said.contains("deleted photo=\(photo) event=\(host.event) request=test"), "\(said)")
        #expect(said.contains("deleted event=\(host.event) request=test"), "\(said)")
    }
}
