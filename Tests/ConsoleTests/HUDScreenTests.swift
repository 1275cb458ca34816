import Basics
import Bridge
import Console
import TestSupport
import Testing

/// A screen of any size, what is written to a terminal for it, and what keys do.
@Suite struct HUDScreenTests {
    private static let sizes = [
        (1, 1), (1, 5), (2, 2), (5, 1), (9, 3), (20, 4), (30, 2), (40, 12), (200, 60),
    ]

    /// Every screen that there is, at every size.
    private static func everyFrame(_ charset: Charset = .unicode) -> [Frame] {
        let choices = (1...30).map { HUD.Choice(id: "\($0)", name: "結婚式 \($0)", remark: "made here") }
        let changes: [(inout HUD) -> Void] = [
            { _ in },
            { _ = $0.handle(.key(.character("?")), at: .zero) },
            { _ = $0.handle(.choices(choices), at: .zero) },
            { _ = $0.handle(.done("it was not possible: \u{1B}[31m結", isBad: true), at: .zero) },
            { _ = $0.handle(.unknown("no \u{9B}31m home"), at: .zero) },
            { _ = $0.handle(.told(TextLine(label: "", text: "P1.JPG\u{1B}[2J")), at: .zero) },
        ]
        return StatusTable.rows.flatMap { row in
            sizes.flatMap { size in
                changes.map { HUDGoldenTests.screen(row.status, size.0, size.1, charset, $0) }
            }
        }
    }

    @Test("no row is wider than the terminal, there are as many as it has, and a terminal obeys none of it")
    func bounds() {
        for charset in [Charset.unicode, .ascii] {
            for frame in Self.everyFrame(charset) {
                #expect(frame.lines.count == frame.size.rows)
                for line in frame.lines {
                    #expect(DisplayWidth.ofScalars(line.text) <= frame.size.columns, "\(line.text)")
                    // C0, DEL and C1 (ECMA-48 §5.2 and §5.3).
                    let obeyed = line.text.unicodeScalars.filter {
                        $0.value < 0x20 || 0x7F...0x9F ~= $0.value
                    }
                    #expect(obeyed.isEmpty, "\(line.text)")
                }
            }
        }
    }

    @Test(
        "what is written after a frame makes a real terminal show the next one, whatever stood there",
        .enabled(if: Tmux.isThere))
    func differences() throws {
        let folder = try TemporaryFolder()
        let frames = StatusTable.rows.map { HUDGoldenTests.screen($0.status, 80, 24) }
        var written = ""
        var last: Frame?
        for round in [frames, frames.reversed(), Array(frames.dropFirst(5))] {
            for frame in round {
                written += frame.bytes(after: last, hasColours: true)
                last = frame
            }
        }
        let shown = try #require(last)
        try folder.write(written, to: "bytes")
        let terminal = try Tmux(
            "stty raw -echo; cat \(folder.file("bytes")); exec cat", columns: 80, rows: 24)
        let screen = try terminal.wait("the last frame") {
            $0.last?.hasPrefix(HUDGoldenTests.rows(shown).last ?? "-") == true && $0.count == 24
                && $0.first == HUDGoldenTests.rows(shown).first
        }
        #expect(screen == HUDGoldenTests.rows(shown))
    }

    @Test("what is the same is not written again")
    func little() {
        let first = HUDGoldenTests.screen(StatusTable.waitingForOK.status, 80, 24)
        #expect(first.bytes(after: first, hasColours: true).isEmpty)
        var later = StatusTable.waitingForOK.status
        later.at = later.at.map { $0 + .seconds(1) }
        let second = HUDGoldenTests.screen(later, 80, 24)
        // "Cursor Position" (ECMA-48 §8.3.21): the first row, where the last figure of the time stands.
        #expect(second.bytes(after: first, hasColours: true) == "\u{1B}[1;80H1")
    }

    @Test("what the bridge tells goes on in the next row while there are rows, the newest first")
    func told() {
        func rows(_ count: Int) -> [String] {
            let frame = HUDGoldenTests.screen(StatusTable.waitingForOK.status, 40, count) {
                for text in [
                    "21:00:00  the camera has gone to sleep, and nothing is lost", "21:00:01  it is back",
                ] {
                    _ = $0.handle(.told(TextLine(label: "", text: text)), at: .zero)
                }
            }
            return Array(HUDGoldenTests.rows(frame).dropFirst(5).dropLast())
        }
        // Forty columns end behind "sleep,", after the time with its two blanks.
        let whole = [
            "21:00:01  it is back", "21:00:00  the camera has gone to sleep,", "and nothing is lost",
        ]
        #expect(Array(rows(24).prefix(3)) == whole)
        #expect(rows(8) == [whole[0], "21:00:00  the camera has gone to sleep,…"])
    }

    @Test("NO_COLOR leaves weight and no colour")
    func colours() {
        let frame = HUDGoldenTests.screen(StatusTable.rows[4].status, 80, 24)
        let bare = frame.bytes(after: nil, hasColours: false)
        for code in 30...37 { #expect(!bare.contains("\(code)m")) }
        #expect(frame.bytes(after: nil, hasColours: true).contains("\u{1B}[31m"))
        #expect(bare.contains("\u{1B}[1m"))
    }

    // MARK: Columns

    @Test("characters take the columns that wcwidth(3) says", .enabled(if: Tool.isThere("wc")))
    func columns() throws {
        let texts = [
            "a", "é", "e\u{301}", "結婚", "ｱ", "Ａ", "가", "\u{1112}\u{1161}\u{11AB}", "→", "😀", "\u{3000}",
            "ж", "א", "ก", "कि", "█░▁…", "a\u{20DD}b",
        ]
        let wc = try #require(Tool("wc"))
        for text in texts {
            let judged = try wc.run(["-L"], input: Array(text.utf8), environment: ["LC_ALL": "C.UTF-8"])
            let columns = Int(judged.text.filter(\.isNumber))
            #expect(columns == DisplayWidth.ofScalars(text), "\(text)")
        }
    }

    @Test("the locale says whether a screen is of ASCII, as POSIX orders its variables")
    func locale() {
        func charset(_ environment: [String: String]) -> Charset { Charset { environment[$0] } }
        #expect(charset(["LANG": "de_DE.UTF-8"]) == .unicode)
        #expect(charset(["LANG": "en_GB.utf8"]) == .unicode)
        #expect(charset(["LANG": "sr_RS.UTF-8@latin"]) == .unicode)
        #expect(charset(["LC_ALL": "C", "LANG": "de_DE.UTF-8"]) == .ascii)
        #expect(charset(["LC_ALL": "", "LC_CTYPE": "C.UTF-8", "LANG": "C"]) == .unicode)
        #expect(charset(["LANG": "de_DE@euro"]) == .ascii)
        #expect(charset(["LANG": "ja_JP.eucJP"]) == .ascii)
        #expect(charset(["LANG": "ja_JP.UTF-8"]) == .unicode)
        #expect(charset(["LANG": "zh_CN.GB18030"]) == .ascii)
        #expect(charset([:]) == .ascii)
    }

    // MARK: Keys

    /// ECMA-48 §5.4 and what xterm's ctlseqs say of its keys.
    private static let typed: [([UInt8], [Key])] = [
        (Array("pq?".utf8), [.character("p"), .character("q"), .character("?")]),
        (Array("é結".utf8), [.character("é"), .character("結")]),
        (Array("\u{1B}[A\u{1B}OB\r\u{7F}\u{0C}".utf8), [.up, .down, .enter, .backspace, .redraw]),
        (Array("\u{1B}[1;5A\u{1B}[15~x".utf8), [.up, .other, .character("x")]),
        (Array("\u{1B}q".utf8), [.other]),
        ([0xFF, 0xC3, 0x28, 0x71], [.other, .character("("), .character("q")]),
        (Array("\u{1B}[200~qqy\u{1B}[201~p".utf8), [.character("p")]),
    ]

    @Test("bytes are the same keys in whatever pieces they come; what is pasted is none", arguments: typed)
    func keys(_ bytes: [UInt8], _ wanted: [Key]) {
        var whole = KeyDecoder()
        #expect(whole.keys(of: bytes) == wanted)
        #expect(!whole.isUndecided)
        var pieces = KeyDecoder()
        #expect(bytes.flatMap { pieces.keys(of: [$0]) } == wanted)
    }

    @Test("ESC alone is a key after a moment, and a paste that never ends locks nothing")
    func escape() {
        var decoder = KeyDecoder()
        #expect(decoder.keys(of: [0x1B]) == [])
        #expect(decoder.isUndecided)
        #expect(decoder.pause() == [.escape])
        #expect(decoder.keys(of: Array("\u{1B}[200~q".utf8)) == [])
        #expect(decoder.isUndecided)
        #expect(decoder.pause() == [])
        #expect(decoder.keys(of: Array("q".utf8)) == [.character("q")])
        // A sequence that never ends is none.
        #expect(decoder.keys(of: Array("\u{1B}[".utf8) + Array(repeating: 0x30, count: 100)).count < 100)
        #expect(decoder.keys(of: Array("q".utf8)) == [.character("q")])
    }

    // MARK: What keys do

    private static func hud(_ role: HUD.Role, _ row: Int) -> HUD {
        var hud = HUD(role)
        _ = hud.handle(.status(StatusTable.rows[row].status.json), at: .zero)
        return hud
    }

    @Test("q ends a watch at once, and a bridge after a question that only y answers with yes")
    func quit() {
        var watch = Self.hud(.watch, 1)
        #expect(watch.handle(.key(.character("q")), at: .zero) == [.end])
        var run = Self.hud(.run, 1)
        for key in [Key.character("n"), .enter, .escape, .character("q")] {
            #expect(run.handle(.key(.character("q")), at: .zero) == [])
            #expect(run.mode == .askingToStop)
            #expect(run.handle(.key(key), at: .zero) == [])
            #expect(run.mode == .status)
        }
        _ = run.handle(.key(.character("q")), at: .zero)
        #expect(run.handle(.key(.character("y")), at: .zero) == [.end])
    }

    @Test(
        "p pauses what runs and resumes what is paused; r begins again; without a status neither does a thing"
    )
    func requests() {
        var running = Self.hud(.watch, 1)
        #expect(running.handle(.key(.character("p")), at: .zero) == [.pause(true)])
        #expect(running.handle(.key(.character("r")), at: .zero) == [.retryFailed])
        var paused = Self.hud(.watch, 2)
        #expect(paused.handle(.key(.character("p")), at: .zero) == [.pause(false)])
        var nothing = HUD(.watch)
        _ = nothing.handle(.unknown("no home"), at: .zero)
        #expect(nothing.handle(.key(.character("p")), at: .zero) == [])
        #expect(nothing.handle(.key(.character("r")), at: .zero) == [])
    }

    @Test("the event is changed only while no bridge runs, by choosing one of those that are known")
    func choosing() {
        var running = Self.hud(.watch, 1)
        #expect(running.handle(.key(.character("e")), at: .zero) == [])
        #expect(running.message?.text.contains("until it ends") == true)
        var idle = Self.hud(.watch, 0)
        #expect(idle.handle(.key(.character("e")), at: .zero) == [.listEvents])
        let choices = ["a", "e", "c"].map { HUD.Choice(id: $0, name: $0.uppercased()) }
        _ = idle.handle(.choices(choices), at: .zero)
        // The event that is shown is "e".
        #expect(idle.mode == .choosing(choices, selected: 1))
        for _ in 0..<5 { _ = idle.handle(.key(.down), at: .zero) }
        #expect(idle.mode == .choosing(choices, selected: 2))
        #expect(idle.handle(.key(.enter), at: .zero) == [.choose(choices[2])])
        #expect(idle.mode == .status)
        _ = idle.handle(.choices(choices), at: .zero)
        #expect(idle.handle(.key(.escape), at: .zero) == [])
        #expect(idle.mode == .status)
    }

    @Test("a message goes after a while, and the keys are there again")
    func messages() {
        var hud = Self.hud(.watch, 0)
        _ = hud.handle(.done("2 deliveries begun again", isBad: false), at: .seconds(1))
        #expect(hud.message?.text == "2 deliveries begun again")
        _ = hud.handle(.status(StatusTable.rows[0].status.json), at: .seconds(5))
        #expect(hud.message != nil)
        _ = hud.handle(.status(StatusTable.rows[0].status.json), at: .seconds(8))
        #expect(hud.message == nil)
    }

    @Test("the pace is what has left from second to second; a bridge that begins anew is no pace")
    func throughput() {
        var pace = Throughput()
        func at(_ second: Int64) -> Timestamp { Timestamp(milliseconds: second * 1000) }
        pace.note(sent: 500, at: at(0))
        #expect(pace.now == nil)
        pace.note(sent: 1500, at: at(1))
        pace.note(sent: 5500, at: at(3))
        #expect(pace.rates == [1000, 2000, 2000])
        pace.note(sent: 7, at: at(4))
        pace.note(sent: 1007, at: at(5))
        // A clock that was set is none, either.
        pace.note(sent: 2007, at: at(4))
        pace.note(sent: 2007, at: at(5))
        #expect(pace.rates == [1000, 2000, 2000, 1000, 0])
        #expect(pace.now == 1200)
    }
}
