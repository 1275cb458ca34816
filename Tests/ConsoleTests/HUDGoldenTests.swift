import Basics
import Bridge
import Console
import TestSupport
import Testing

/// The terminal's screen of each status, written down by hand for 80 columns and 24 rows: below the first row the counts,
/// then what works, then what is to be known, and the keys.
@Suite struct HUDGoldenTests {
    static func screen(
        _ status: BridgeStatus, _ columns: Int, _ rows: Int, _ charset: Charset = .unicode,
        _ change: (inout HUD) -> Void = { _ in }
    ) -> Frame {
        var hud = HUD(.watch)
        _ = hud.handle(.status(status.json), at: .zero)
        change(&hud)
        let look = HUDScreen.Look(size: ScreenSize(columns: columns, rows: rows), charset: charset)
        return HUDScreen.frame(hud, look) { _ in 3600 }
    }

    static func rows(_ frame: Frame) -> [String] {
        frame.lines.map { String($0.text.reversed().drop { $0 == " " }.reversed()) }
    }

    /// The event and its state at the left, the time of day at the right end of 80 columns.
    private static func head(_ text: String, columns: Int) -> String {
        text + String(repeating: " ", count: 80 - columns - 8) + "21:00:00"
    }

    private static let keys = "q quit  ? help  p pause  r retry failed"
    private static let none = "0 queued   0 uploading   0 awaiting   0 completed   0 failed"

    private static let golden: [String: [String]] = [
        "idle": [
            head("Wedding: not running", columns: 20), none, "to         file:///desk  nothing yet",
            "photos     none yet", keys + "  e event",
        ],
        "running": [
            head("Wedding: running", columns: 16),
            "1 queued   1 uploading   0 awaiting   10 completed   0 failed",
            "camera     192.168.1.1:15740  Canon EOS R5 042  connected, fetching P13.JPG, 1",
            "           to fetch", "           deliveries: 1 queued, 1 uploading, 10 completed",
            "to         file:///desk  1 queued, 1 uploading, 10 completed  (wlan0 is Wi-Fi: 3",
            "           at a time)",
            "           12.5 photos, 96.0 MB a minute; what waits is there in 9.6 s",
            "           confirmed 4.1 s after the shutter, 95 in 100 within 12 s; 90 % as",
            "           promised", "spool      12.3 GB free, room for about 1500 photos",
            "photos     1 receiving, 12 staged", "oldest     P11.JPG waits since 20:59, for 10 s", keys,
        ],
        "edits on their way": [
            head("Wedding: running", columns: 16), none, "to         https://g  nothing yet",
            "           3 edits not sent yet, 2 of them before their photo's upload:",
            "           'tetherline sync' says more",
            "           1 edit not taken there: 'tetherline sync' shows which",
            "to         https://h  nothing yet",
            "           1 edit not sent yet: 'tetherline sync' says more", "photos     none yet", keys,
        ],
        "paused": [
            head("Wedding: running, PAUSED: 'tetherline resume' goes on", columns: 53),
            "3 queued   0 uploading   0 awaiting   0 completed   0 failed",
            "to         file:///desk  3 queued",
            "photos     none yet", "q quit  ? help  p resume  r retry failed",
        ],
        "window closed": [
            head("Wedding: not running", columns: 20),
            "0 queued   0 uploading   0 awaiting   2 completed   0 failed",
            "to         file:///desk  2 completed",
            "closed     19:30: what was shot since stays on the card; a run opens the event",
            "           again",
            "left out   4 photos that were shot while no bridge ran: 'tetherline events take'",
            "           downloads them, 'tetherline events decline' leaves them on the card",
            "photos     2 staged", keys + "  e event",
        ],
        "held destination": [
            head("Wedding: running", columns: 16),
            "7 queued   0 uploading   0 awaiting   0 completed   0 failed", "to         https://g  4 queued",
            "           waits since 20:58: consent is missing",
            "           to do: read and give the consent: 'tetherline consent --give'; it",
            "           goes on by itself then.", "to         sftp://s  3 queued",
            "           no way for photos: no way leads there: 0 at a time; 'tetherline",
            "           network' says more", "           waits since 20:59: no answer",
            "           last error 20:50: P1.JPG: it was refused", "           to do: look at it.",
            "photos     none yet", keys,
        ],
        "full disk": [
            head("Wedding: running", columns: 16), none,
            "camera     10.0.0.2:15740  connected, nothing is fetched: no room  (since 20:55)",
            "           to do: make room.", "spool      2.0 MB free, room for about 0 photos",
            "           nothing is fetched: no room", "photos     2 staged", keys,
        ],
        "camera lost": [
            head("Wedding: running", columns: 16), none,
            "camera     10.0.0.2:15740  Nikon Z 9  no connection: no route to it  (since",
            "           2026-11-22 22:10)", "           to do: check the camera.", "photos     none yet",
            keys,
        ],
        "waiting for OK": [
            head("Wedding: running", columns: 16), none,
            "camera     10.0.0.2:15740  press OK on the camera  (since 20:59)", "photos     none yet", keys,
        ],
        "failures": [
            head("Wedding: running", columns: 16),
            "0 queued   0 uploading   0 awaiting   1 completed   2 failed",
            "to         file:///desk  1 completed, 2 failed", "           last error: P3.JPG: name refused",
            "           to do: retry it.",
            "photos     3 staged, 1 given up for now ('tetherline journal' says why)",
            "missing    100/P4.JPG: cut", "note       the ledger cannot be written: disk full", keys,
        ],
        "a hundred thousand jobs": [
            head("Wedding: running", columns: 16),
            "99000 queued   0 uploading   0 awaiting   1000 completed   0 failed",
            "to         file:///desk  99000 queued, 1000 completed",
            "           300 photos, 3.0 GB a minute; what waits is there in 5 h 30 min",
            "photos     100000 staged", keys,
        ],
        "names with control characters and wide characters": [
            head(#"結婚式\u{1B}[2J: running"#, columns: 24), none, #"camera     a:1  x\u{A}y  connected"#,
            "photos     none yet", #"oldest     写真\u{202E}GPJ.\u{7} waits since 19:00, for 2 h"#, keys,
        ],
        // Of the last it is not known how large it is: there is no share of it. Bars have 35 columns.
        "photos under way": [
            head("Wedding of Anna and Bert: running", columns: 33),
            "3 queued   2 uploading   0 awaiting   480 completed   1 failed",
            "camera     a:1  Z 8  connected, fetching P13.JPG",
            "fetching   P13.JPG  █████████████████░░░░░░░░░░░░░░░░░░   50 %  4.2 MB of 8.4 MB",
            "sending    P11.JPG  ███████████████████████████████████  100 %  8.0 MB of 8.0 MB",
            "sending    P12.JPG  500 B",
            "to         file:///d  3 queued, 2 uploading, 480 completed, 1 failed",
            "failed     20:50 P1.JPG at file:///d: it was refused", "           to do: look at it.",
            "photos     none yet", keys,
        ],
        // What the operator is called for stands above all that works.
        "the operator has been called": [
            head("Wedding: running", columns: 16), none,
            "ALERT      Nikon Z 9 (10.0.0.2:15740) is not connected  (since 20:58)",
            "ALERT      room for about 12 more photos  (since 20:30)", "           to do: make room.",
            "photos     none yet", keys,
        ],
        // Seventy-two columns, and eight for the time, would stand against each other.
        "a bridge that gives no answer": [
            "Wedding: a bridge runs and does not answer; this is what its ledger says",
            "3 queued   0 uploading   0 awaiting   0 completed   0 failed",
            "to         file:///desk  3 queued",
            "           waits: no answer", "photos     none yet", keys,
        ],
    ]

    @Test("each status is seen at 80x24 as it was written down by hand", arguments: StatusTable.rows)
    func wide(_ row: StatusTable.Row) throws {
        let wanted = try #require(Self.golden[row.name], "no screen was written down for \(row.name)")
        let shown = Self.rows(Self.screen(row.status, 80, 24))
        #expect(shown.count == 24)
        #expect(shown.last == wanted.last)
        #expect(Array(shown.prefix(wanted.count - 1)) == Array(wanted.dropLast()))
        #expect(shown.dropFirst(wanted.count - 1).dropLast().allSatisfy { $0.isEmpty })
    }

    @Test("forty columns and nine rows keep a row of what matters, and say how many more there are")
    func small() {
        #expect(
            Self.rows(Self.screen(StatusTable.underWay.status, 40, 9)) == [
                // The state is worth more than the end of a name; there is no room for the time.
                "Wedding of Anna and Bert: running",
                // All words take 54 columns, those that count something 43.
                "480/486 1 failed", "camera     a:1  Z 8  connected, fetchin…",
                // 29 columns for a name of 7, two blanks, and a bar of 20, half full.
                "fetching   P13.JPG  ██████████░░░░░░░░░░", "sending    P11.JPG  ████████████████████",
                "sending    P12.JPG  500 B", "to         file:///d  3 queued, 2…",
                "failed     20:50 P1.JPG at file:///d: i…", Self.keys,
            ])
    }

    @Test("a terminal of ASCII gets ASCII, of as many columns")
    func ascii() {
        for row in StatusTable.rows {
            for line in Self.screen(row.status, 40, 12, .ascii).lines {
                #expect(line.text.utf8.allSatisfy { 0x20...0x7E ~= $0 }, "\(line.text)")
            }
        }
        let shown = Self.rows(Self.screen(StatusTable.underWay.status, 40, 9, .ascii))
        #expect(shown.contains("fetching   P13.JPG  ##########.........."))
        // Six columns of a name that has three characters.
        let strange = Self.rows(Self.screen(StatusTable.strange.status, 80, 24, .ascii))
        #expect(strange[0].hasPrefix(#"??????\u{1B}[2J: running"#))
    }
}
