import Glibc
import TestSupport
import Testing

/// A bridge at work, as an operator starts one: `tetherline run` with a home and a destination of its own.
extension Operator {
    var home: String { folder.file("home") }

    func arguments(_ cameras: [Camsim], _ more: [String]) -> [String] {
        ["run", "--event", "Wedding", "--destination", "file://\(out)"]
            + cameras.flatMap { ["--camera", $0.address] } + more
    }

    /// Everything on the cards, to its end.
    func runOnce(_ cameras: [Camsim], _ more: String...) throws -> Tool.Output {
        try run(arguments(cameras, ["--once", "--since", "all", "--idle", "300ms"] + more))
    }

    /// Runs until it is told to end, and says what it does in JSON.
    func start(_ cameras: [Camsim], _ more: String...) throws -> Daemon {
        try start(arguments(cameras, ["--json", "--since", "all"] + more))
    }

    func start(_ arguments: [String], under words: [String] = []) throws -> Daemon {
        let line = words + [Built.tetherline] + arguments
        return try Daemon(
            #require(Tool(line[0])).path, Array(line.dropFirst()), environment: ["TETHERLINE_HOME": home])
    }

    /// Looks for what is not told soon: some cameras say nothing of a shot.
    func settings(_ text: String) throws {
        folder.makeFolder("home")
        try folder.write(text, to: "home/config.json5")
    }

    /// The photos on a camera's card, fetched by another command; sorted, because names may differ.
    func card(of camera: Camsim) throws -> [String: [UInt8]] {
        let other = try Operator()
        let got = try other.run("camera", "get", camera.address, "--all", "--to", other.out, "--no-sync")
        #expect(got.code == 0, "\(got.errors)")
        return try other.arrived()
    }

    /// Each photo of the cards is there once, byte for byte, and nothing else is.
    func expectEverything(
        of cameras: [Camsim], sourceLocation: SourceLocation = #_sourceLocation
    ) throws {
        let wanted = try cameras.flatMap { try card(of: $0).values }
        let arrived = try arrived()
        #expect(arrived.count == wanted.count, sourceLocation: sourceLocation)
        #expect(Set(arrived.values) == Set(wanted), sourceLocation: sourceLocation)
        let strays = folder.contents().filter { $0.hasSuffix(".part") || $0.contains("/strays/") }
        #expect(strays.isEmpty, "\(strays)", sourceLocation: sourceLocation)
    }

    /// The rows of the ledger, as an independent program reads them.
    func query(_ sql: String) throws -> [String] {
        let answer = try #require(Tool("sqlite3")).run(["-readonly", "\(home)/tetherline.sqlite", sql])
        #expect(answer.code == 0, "\(answer.errors)")
        return answer.lines
    }
}

extension Daemon {
    /// Waits until so many photos have their receipts.
    func waitForDelivered(_ count: Int) throws {
        try wait(for: #""event":"delivered""#, times: count)
    }

    func lines(_ event: String) -> [String] {
        output.filter { $0.contains(#""event":"\#(event)""#) }
    }

    /// Ends it in order and sees that it was well.
    func end(sourceLocation: SourceLocation = #_sourceLocation) {
        let code = stop(SIGINT)
        #expect(code == 0, "\(output)", sourceLocation: sourceLocation)
    }
}

/// A camera with a fault script.
func camsim(faults: String, _ arguments: String...) throws -> Camsim {
    let folder = try TemporaryFolder()
    try folder.write(faults + "\n", to: "faults")
    // It has read the script when it listens, and the folder may go.
    return try Camsim(
        Daemon(
            Built.camsim, ["--listen", "127.0.0.1:0", "--faults", folder.file("faults")] + arguments))
}

/// A card of files with dates that a test chooses, and the camera that holds it.
struct DatedCard {
    let folder: TemporaryFolder

    init() throws {
        folder = try TemporaryFolder()
        folder.makeFolder("DCIM")
        folder.makeFolder("DCIM/100DATED")
    }

    func add(_ name: String, _ date: String, bytes: Int = 1000) throws {
        let text = "\(name) of \(date) "
        let content = Array(String(repeating: text, count: bytes / text.utf8.count + 1).utf8.prefix(bytes))
        try add(name, date, content: content)
    }

    func add(_ name: String, _ date: String, content: [UInt8]) throws {
        let path = "DCIM/100DATED/\(name)"
        try folder.write(content, to: path)
        let touched = try #require(Tool("touch")).run(["-d", date, folder.file(path)])
        #expect(touched.code == 0)
    }

    func camera(_ arguments: String...) throws -> Camsim {
        try Camsim(
            Daemon(Built.camsim, ["--listen", "127.0.0.1:0", "--card", folder.path] + arguments))
    }
}
