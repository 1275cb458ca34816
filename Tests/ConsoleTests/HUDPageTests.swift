import Basics
import Console
import Testing

/// The address of the bridge's page on a terminal: no character of it may be missing, and a code is shown whole or not at all.
@Suite struct HUDPageTests {
    private static let address = HUD.PageAddress(
        text: "http://192.168.1.10:8420/#token=abcdefghijklmnopqrstuvwxyz0123456789",
        code: ["█▀█▀█", "▀ █ ▄", "█▄ ▀█"])

    private static func frame(
        _ columns: Int, _ rows: Int, _ charset: Charset = .unicode, _ page: HUD.PageAddress = address
    ) -> Frame {
        HUDGoldenTests.screen(StatusTable.rows[1].status, columns, rows, charset) {
            _ = $0.handle(.page(page), at: .zero)
        }
    }

    private static func shown(_ frame: Frame) -> [String] { HUDGoldenTests.rows(frame) }

    @Test("a code that just fits has the screen for itself, with the address below")
    func fits() {
        #expect(Self.shown(Self.frame(80, 4)) == Self.address.code + [Self.address.text])
        let large = Self.shown(Self.frame(80, 24))
        #expect(large[0].hasPrefix("The bridge's page"))
        #expect(Array(large[1...4]) == Self.address.code + [Self.address.text])
        #expect(large[23] == "any key goes back")
    }

    @Test(
        "a code that does not fit is left out, and the address goes on in the next row",
        arguments: [3, 10, 40, 67])
    func narrow(_ columns: Int) {
        // Sixty-eight characters.
        let needed = (Self.address.text.count + columns - 1) / columns
        let shown = Self.shown(Self.frame(columns, needed + (columns < 5 ? 3 : 2)))
        #expect(shown.joined().contains(Self.address.text), "\(shown)")
        #expect(!shown.contains(Self.address.code[0]))
    }

    @Test("a terminal of ASCII gets the address alone")
    func ascii() {
        let shown = Self.shown(Self.frame(80, 24, .ascii))
        #expect(shown[1] == Self.address.text)
        #expect(shown.allSatisfy { $0.utf8.allSatisfy { 0x20...0x7E ~= $0 } })
    }

    @Test("where there are colours a code is black on white, and without them it is as it came")
    func colours() {
        let bytes = Self.frame(80, 24).bytes(after: nil, hasColours: true)
        // xterm's colours 16 and 231 are #000000 and #ffffff (ctlseqs, 256 colours).
        for row in Self.address.code { #expect(bytes.contains("\u{1B}[38;5;16;48;5;231m\(row)\u{1B}[0m")) }
        let bare = Self.frame(80, 24).bytes(after: nil, hasColours: false)
        #expect(!bare.contains("38;5") && bare.contains(Self.address.code[0]))
    }

    @Test("w shows the page that a run serves; a watch asks each time, since the next run has another one")
    func keys() {
        var run = HUD(.run)
        #expect(run.handle(.key(.character("w")), at: .zero) == [.findPage])
        _ = run.handle(.serves(Self.address), at: .zero)
        #expect(run.mode == .status)
        #expect(run.message?.text.contains("w shows its address") == true)
        #expect(run.handle(.key(.character("w")), at: .zero) == [])
        #expect(run.mode == .page)
        // A key that would stop the bridge elsewhere goes back here.
        #expect(run.handle(.key(.character("q")), at: .zero) == [])
        #expect(run.mode == .status)
        var watch = HUD(.watch)
        for _ in 0..<2 {
            #expect(watch.handle(.key(.character("w")), at: .zero) == [.findPage])
            _ = watch.handle(.page(Self.address), at: .zero)
            #expect(watch.mode == .page)
            _ = watch.handle(.key(.enter), at: .zero)
            #expect(watch.mode == .status)
        }
    }
}
