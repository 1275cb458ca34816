import Basics
import Bridge
import Testing

/// The journal of a night: what went on is one line, with how long it was.
@Suite struct OutageLogTests {
    private static let start = Timestamp(milliseconds: 1_795_000_000_000)

    /// The journal as it would read.
    private struct Journal {
        var log = OutageLog()
        var lines: [Int: String] = [:]
        var levels: [Int: JournalEntry.Level] = [:]

        mutating func tell(_ news: BridgeNews, _ seconds: Int) {
            for change in log.apply(news, at: start + .seconds(seconds)) {
                switch change {
                case .begin(let line, let entry, _): (lines[line], levels[line]) = (entry.text, entry.level)
                case .renew(let line, let text): lines[line] = text
                }
            }
        }

        mutating func camera(_ event: TransferEvent, _ seconds: Int, at place: String = "a:1") {
            tell(.camera(CameraNews(place: place, camera: CameraID(1), event)), seconds)
        }

        var text: [String] { lines.sorted { $0.key < $1.key }.map(\.value) }
    }

    private static func lost(_ reason: String) -> TransferEvent {
        .connection(.waiting(until: .seconds(1), because: .lost(reason)))
    }

    @Test("twenty-seven tries to reach a camera are one line, which says how long it was away")
    func camera() {
        var journal = Journal()
        journal.camera(.met(CameraIdentity(manufacturer: "Canon", model: "EOS R5", body: "42")), 0)
        journal.camera(.connection(.ready), 1)
        for number in 0..<27 {
            journal.camera(Self.lost("the link is gone."), 60 + number * 20)
            journal.camera(.connection(.connecting), 61 + number * 20)
        }
        #expect(journal.text == ["a:1 (EOS R5 (42)): no connection: the link is gone."])
        journal.camera(.connection(.ready), 660)
        #expect(
            journal.text == [
                "a:1 (EOS R5 (42)): there was no connection for 10 min 0 s: the link is gone."
            ])
        #expect(journal.levels[1] == .warning)
        // The same trouble a minute later; another one an hour later.
        journal.camera(Self.lost("the link is gone."), 720)
        journal.camera(.connection(.ready), 750)
        #expect(
            journal.text == [
                "a:1 (EOS R5 (42)): there was no connection for 10 min 30 s, 2 times: the link is gone."
            ])
        journal.camera(Self.lost("nothing answers."), 4400)
        #expect(journal.text.count == 2)
        #expect(journal.text[1] == "a:1 (EOS R5 (42)): no connection: nothing answers.")
    }

    @Test(
        "a destination that takes nothing, and a network that leads nowhere, are told until photos go again")
    func destination() {
        var journal = Journal()
        journal.tell(.upload(.held(url: "sftp://h", nil, "no answer")), 0)
        journal.tell(.upload(.held(url: "sftp://h", .settings, "no such user")), 30)
        #expect(journal.text == ["sftp://h takes no photos: no such user"])
        journal.tell(.upload(.released(url: "sftp://h")), 90)
        #expect(journal.text == ["sftp://h took no photos for 1 min 30 s: no such user"])
        journal.tell(.upload(.way(url: "sftp://h", "usb0 is metered: 0")), 100)
        journal.tell(.upload(.slots(url: "sftp://h", 0)), 100)
        journal.tell(.upload(.slots(url: "sftp://h", 0)), 101)
        #expect(journal.text.last == "no photos go to sftp://h: usb0 is metered: 0")
        journal.tell(.upload(.slots(url: "sftp://h", 3)), 105)
        #expect(journal.text.last == "no photos went to sftp://h for 5.0 s: usb0 is metered: 0")
        #expect(journal.text.count == 2)
    }

    @Test("a full disk is one line, however many cameras wait for it")
    func disk() {
        var journal = Journal()
        for place in ["a:1", "b:1"] {
            journal.camera(.held("no room", .noRoom), 0, at: place)
            journal.camera(.state(.held("no room", .noRoom)), 0, at: place)
        }
        #expect(journal.text == ["the disk takes no photos, and nothing is fetched: no room"])
        #expect(journal.levels[1] == .error)
        journal.camera(.state(.fetching("P1.JPG")), 3600)
        #expect(journal.text == ["the disk took no photos, and nothing was fetched for 1 h 0 min: no room"])
    }
}
