import Arguments
import Basics
import Console
import Posix
import Store

/// `tetherline doctor`: what keeps photos from flowing, and what helps.
struct DoctorCommand {
    /// In the order in which an operator mends them. `setup` has the same.
    static let checks: [any HealthCheck] = [
        HomeCheck(), SettingsCheck(), BridgeCheck(), EventCheck(), DiskCheck(), OpenFilesCheck(),
        ClockCheck(),
        NetworkCheck(), GalleryCheck(), DestinationsCheck(), CamerasCheck(), FirewallCheck(),
    ]

    static let spec: CommandSpec = {
        var spec = CommandSpec("doctor", "What keeps photos from flowing, and what helps.")
        spec.discussion = [
            "Looks at the home, its settings, the disk, the clock, networks, galleries, destinations and cameras, each within a "
                + "deadline and all at once, and changes nothing: at destinations a small file is written and removed again. Works "
                + "while a bridge runs and when none does.",
            "A camera is connected to only where its address is named, here, in the settings or when it was added, and it is "
                + "not greeted: to some cameras a greeting is a password, and to others it ends their pairing.",
            "Ends with 0 when nothing is wrong, with 1 when something should be looked at, and otherwise with the code of the "
                + "first failure.",
        ]
        spec.options = [
            OptionSpec("camera", "HOST[:PORT]", mayRepeat: true, "Try this camera's address, too."),
            .flag("json", "Print JSON, one value a line."),
            OptionSpec("home", "DIR", "The bridge's home. [$TETHERLINE_HOME, or ~/.local/state/tetherline]"),
        ]
        spec.examples = ["tetherline doctor", "tetherline doctor --camera 192.168.1.1 --json"]
        return spec
    }()

    private let home: Home
    private let cameras: [HostPort]
    private let isJSON: Bool

    init(_ invocation: Invocation) throws {
        home = Home(invocation.value("home"))
        cameras = try invocation.all("camera").map {
            try HostPort($0, defaultPort: CamerasCheck.usualPort)
        }
        isJSON = invocation.has("json")
    }

    func run(on reactor: Reactor) async throws -> ExitCode {
        let subject = try CheckedHome(home, cameras: cameras, on: reactor)
        let checks = subject.isAnothers ? [HomeCheck()] : Self.checks
        let running = checks.map { check in
            Task(executorPreference: reactor) { try await check.result(of: subject) }
        }
        defer { for task in running { task.cancel() } }
        var findings: [Finding] = []
        for task in running {
            let found = try await task.value
            for finding in found { show(finding) }
            findings += found
        }
        return Finding.exitCode(of: findings)
    }

    private func show(_ finding: Finding) {
        if isJSON {
            printOutput(finding.json.compact)
            return
        }
        let word =
            switch finding.outcome {
            case .ok: "ok"
            case .notChecked: "?"
            case .warning: "look"
            case .failed: "FAILED"
            }
        func padded(_ text: String, _ width: Int) -> String {
            text + String(repeating: " ", count: max(0, width - text.count))
        }
        let width = Terminal.knownColumns(1)
        // On a narrow terminal sentences stand on rows of their own, and cures below them.
        let indent = String(repeating: " ", count: width.map { $0 < 50 } == true ? 4 : 22)
        var lines = TextTable.hanging(
            padded(word, 8) + padded(finding.name, 14), Visible(finding.sentence).description, width: width)
        if let cure = finding.cure {
            lines += TextTable.hanging("\(indent)-> ", Visible(cure).description, width: width)
        }
        for line in lines { printOutput(line) }
    }
}
