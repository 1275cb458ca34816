import Glibc
import TestSupport
import Testing

/// The address of the bridge's page on a terminal, for a phone beside it: tmux is the terminal, and zbarimg the phone.
@Suite(.enabled(if: Tmux.isThere && Tool.isThere("zbarimg"))) struct PageOnTerminalTests {
    /// Black on white, as the colours say; what tmux has trimmed is white.
    private static func picture(of rows: [String]) -> [UInt8] {
        let scale = 6
        let columns = (rows.map(\.count).max() ?? 0) + 8
        var pixels: [[UInt8]] = []
        for row in rows {
            for dark: Set<Character> in [["█", "▀"], ["█", "▄"]] {
                let padded = "    " + row + String(repeating: " ", count: columns - 4 - row.count)
                let line = padded.flatMap { [UInt8](repeating: dark.contains($0) ? 0 : 255, count: scale) }
                pixels += Array(repeating: line, count: scale)
            }
        }
        return Array("P5 \(columns * scale) \(pixels.count) 255\n".utf8) + pixels.joined()
    }

    private static func expectCode(_ rows: [String], _ address: String, _ folder: TemporaryFolder) throws {
        try folder.write(picture(of: rows.filter { !$0.contains(address) }), to: "code.pgm")
        let read = try #require(Tool("zbarimg")).run(["-q", "--raw", folder.file("code.pgm")])
        #expect(read.lines.first == address, "\(rows.joined(separator: "\n"))")
    }

    @Test(
        "w shows it as a code that a phone reads, in the bridge's own terminal and in one beside it, at 80x24"
    )
    func page() throws {
        let camera = try Camsim("--photos", "1", "--photo-size", "5000")
        let person = try Operator()
        // Ctrl-C goes to the shell as well, which stays.
        func terminal(_ words: String) throws -> Tmux {
            try Tmux(
                "trap : INT; \(Built.tetherline) \(words); exec cat", columns: 80, rows: 24,
                environment: ["TETHERLINE_HOME": person.home, "LC_ALL": "C.UTF-8", "PATH": "/usr/bin:/bin"])
        }
        let run = try terminal(
            "run --camera \(camera.address) --event Wedding --destination file://\(person.out) --since all "
                + "--hud 0.0.0.0:0")
        try run.wait(for: "1 completed")
        try run.wait(for: "w page")
        let address = String(decoding: try readFile("\(person.home)/hud.url"), as: UTF8.self)
            .filter { !$0.isWhitespace }
        let watch = try terminal("watch")
        try watch.wait(for: "1 completed")
        for terminal in [run, watch] {
            try terminal.press("w")
            let screen = try terminal.wait("the address") { $0.contains { $0.contains(address) } }
            // Where this machine is in no network no phone gets to it.
            if !address.contains("//127.") { try Self.expectCode(screen, address, person.folder) }
            try terminal.press("Escape")
            try terminal.wait(for: "q quit")
        }
        try run.press("C-c")
        try run.wait(for: "Wedding: photos: 1 staged")
        try watch.wait(for: "not running")
        try watch.press("w")
        try watch.wait(for: "there is no page")
    }
}
