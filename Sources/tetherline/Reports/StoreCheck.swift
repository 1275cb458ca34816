import Arguments
import Basics
import Bridge
import Database
import Posix
import Store

/// `store check`: the ledger's own rows, and each photo in the spool by its SHA-256.
struct StoreCheck {
    static let spec: CommandSpec = {
        var spec = CommandSpec(
            "check", "Reads all of the ledger and holds its rows against the files in the spool, by SHA-256.")
        spec.discussion = [
            "A file that every destination has, or that was let go of by --retention, need not be there.",
            "With --mend what is altered, or missing and not delivered, is fetched again: off a card, else out of a destination that has "
                + "it. Deliveries that are under way with it are stopped first, and go on afterwards. An altered file is kept aside until the "
                + "new one has the SHA-256 that the ledger knows; what has another one is reported, and never used in its place.",
            "Exit code: 0 all is in order, or mended; 65 something is not.",
        ]
        spec.options =
            [
                .flag("mend", "Fetch again what is altered or missing."),
                OptionSpec(
                    "camera", "HOST[:PORT]", mayRepeat: true,
                    "With --mend, where no bridge runs: a camera whose card may have it. [where the event's cameras were last]"
                ), .flag("json", "Print JSON."),
            ] + ConnectionOptions.clientSpecs
        spec.examples = ["tetherline store check --mend"]
        return spec
    }()

    private let invocation: Invocation
    private let home: Home
    private let isJSON: Bool

    /// Rows looked at together.
    private static let page = 200

    init(_ invocation: Invocation) {
        self.invocation = invocation
        home = Home(invocation.value("home"))
        isJSON = invocation.has("json")
    }

    private struct Findings {
        var problems: [String] = []
        /// What could be fetched again, by event.
        var mendable: [String: [CaptureID]] = [:]
        var mended: [String] = []
        var notMended: [String] = []
    }

    func run(on reactor: Reactor) async throws -> ExitCode {
        var findings = Findings()
        findings.problems = try home.reader().database.problems()
        let thread = ThreadExecutor(name: "check")
        defer { thread.shutDown() }
        let repair = SpoolRepair(executor: thread, reserve: Spool.Reserve(), openRoot: home.openSpool)
        try await look(repair, &findings)
        if invocation.has("mend") { try await mend(&findings, on: reactor) }
        show(findings)
        return findings.mended.count == findings.problems.count ? .success : .data
    }

    private func look(_ repair: SpoolRepair, _ findings: inout Findings) async throws {
        let reader = try home.reader()
        var last: CaptureID?
        while true {
            let photos = try reader.spooled(in: nil, after: last, limit: Self.page)
            for photo in photos where !photo.isRemoved { try await look(photo, repair, reader, &findings) }
            guard let end = photos.last else { return }
            last = end.id
        }
    }

    private func look(
        _ photo: SpooledCapture, _ repair: SpoolRepair, _ reader: LedgerReader, _ findings: inout Findings
    ) async throws {
        let problem: String
        do throws(DiskError) {
            switch try await repair.look(at: photo) {
            case .whole: return
            case .missing where photo.isDelivered: return
            case .missing: problem = "\(home.spool)/\(photo.event)/\(photo.file) is not there"
            case .altered(let text): problem = text
            }
        } catch {
            findings.problems.append("\(error)")
            return
        }
        // A bridge may have let go of it just now.
        guard try reader.spooled(photo.id)?.isRemoved == false else { return }
        findings.problems.append(problem)
        findings.mendable[photo.event, default: []].append(photo.id)
    }

    // MARK: Mending

    private func mend(_ findings: inout Findings, on reactor: Reactor) async throws {
        for (event, captures) in findings.mendable.sorted(by: { $0.key < $1.key }) {
            let channel = try RepairChannel(invocation, event: event)
            let lines: [JSONValue]
            if let session = try await channel.sessionWithoutBridge(on: reactor) {
                lines = try await session.lend { try await Self.mended(captures, at: $0, channel) }
            } else {
                lines = try await Self.mended(captures, channel, on: reactor)
            }
            for line in lines { take(line, &findings) }
        }
    }

    private func take(_ line: JSONValue, _ findings: inout Findings) {
        let path = line["path"]?.string ?? "?"
        if line["mended"] != nil { findings.mended.append("\(path): from \(line["from"]?.string ?? "?")") }
        if line["notMended"] != nil { findings.notMended.append("\(path): \(line["reason"]?.string ?? "?")") }
    }

    private static func mended(
        _ captures: [CaptureID], at session: StandaloneSession, _ channel: RepairChannel
    ) async throws -> [JSONValue] {
        var lines: [JSONValue] = []
        try await channel.mending(at: session).mend(captures) { lines.append($0) }
        return lines
    }

    private static func mended(
        _ captures: [CaptureID], _ channel: RepairChannel, on reactor: Reactor
    ) async throws -> [JSONValue] {
        var lines: [JSONValue] = []
        for first in stride(from: 0, to: captures.count, by: RepairService.mostAtOnce) {
            let some = captures[first..<min(first + RepairService.mostAtOnce, captures.count)]
            lines += try await channel.ask(
                [
                    (key: "command", value: .string("mend")),
                    (key: "captures", value: .array(some.map { .integer($0.number) })),
                ], on: reactor)
        }
        return lines
    }

    // MARK: Showing

    private func show(_ findings: Findings) {
        if isJSON {
            func texts(_ texts: [String]) -> JSONValue { .array(texts.map { .string($0) }) }
            let value: JSONValue = [
                "ok": .bool(findings.mended.count == findings.problems.count),
                "problems": texts(findings.problems),
                "mended": texts(findings.mended), "notMended": texts(findings.notMended),
            ]
            printOutput(value.compact)
            return
        }
        guard !findings.problems.isEmpty else {
            printOutput("\(home.database): the ledger is in order, and every staged photo has its file")
            return
        }
        for problem in findings.problems { printOutput(Visible(problem).description) }
        for text in findings.mended { printOutput(Visible("mended  \(text)").description) }
        for text in findings.notMended { printOutput(Visible("not mended  \(text)").description) }
        guard !invocation.has("mend") else { return }
        printError(
            "tetherline: \(findings.problems.count) problems. Start the bridge once: what can be mended it mends by itself; "
                + "'tetherline store check --mend' fetches again what is altered.")
    }
}
