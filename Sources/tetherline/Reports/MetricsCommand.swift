import Arguments
import Basics
import Bridge
import Console
import Posix
import Store
import Upload

/// `tetherline metrics`: the status for Prometheus.
struct MetricsCommand {
    static let spec: CommandSpec = {
        var spec = CommandSpec("metrics", "The status as figures for Prometheus.")
        spec.discussion = [
            "The text format 0.0.4. Works while a bridge runs and when none does, which 'tetherline_bridge_up' says: that alone "
                + "is no error. Where no event is known yet little more is there.",
            "With --file the figures take the place of that file in one step, as the textfile collector of node_exporter wants "
                + "it; it reads files that end in .prom.",
        ]
        spec.options = [
            OptionSpec("file", "PATH", "Write them there instead, for all to read."),
            OptionSpec("home", "DIR", "The bridge's home. [$TETHERLINE_HOME, or ~/.local/state/tetherline]"),
        ]
        spec.examples = [
            "tetherline metrics",
            "tetherline metrics --file /var/lib/prometheus/node-exporter/tetherline.prom",
        ]
        return spec
    }()

    /// What a running bridge is asked.
    static let command = "metrics"

    private let home: Home
    private let file: String?

    init(_ invocation: Invocation) throws(UsageError) {
        home = Home(invocation.value("home"))
        file = invocation.value("file")
        if let file, Directory.place(of: file) == nil {
            throw UsageError("--file names a file, not '\(file)'.")
        }
    }

    func run(on reactor: Reactor) async throws -> ExitCode {
        let text = try await text(on: reactor)
        guard let file, let (folder, name) = Directory.place(of: file) else {
            // It ends with a line's end of its own.
            printOutput(String(text.dropLast()))
            return .success
        }
        do throws(SystemError) {
            try writeAtomically(Array(text.utf8), to: name, in: try Directory(path: folder), mode: 0o644)
        } catch {
            throw CannotWrite(description: "the figures cannot be written to \(file): \(error)")
        }
        return .success
    }

    /// The bridge's own where one answers: only it knows how much memory it holds, and what it has confirmed so far.
    private func text(on reactor: Reactor) async throws -> String {
        var isSilent = false
        do {
            let said = try await CommandRouter.ask(
                [(key: "command", value: .string(Self.command))], in: home, on: reactor,
                timeout: BridgeStatusSource.patience)
            if let text = said?["text"]?.string { return text }
        } catch let error as SystemError where error.isTooLate {
            isSilent = true
        }
        let status = try StatusAtRest(home: home, isSilent: isSilent).status()
        return MetricsText.render(status, ProgramFigures(version: CommandSpec.version))
    }

    struct CannotWrite: Error, CustomStringConvertible {
        let description: String
    }
}

extension RunningBridge {
    /// All figures of this bridge, as ``MetricsText/contentType`` has them: for 'tetherline metrics', and for a server that
    /// Prometheus asks.
    func metrics() async throws -> String {
        let figures = ProgramFigures(
            version: CommandSpec.version, process: try ProcessFigures.now(), imageCache: images.figures)
        var status = try await board.status()
        for destination in deliveries.destinations {
            guard let index = status.destinations.firstIndex(where: { $0.url == destination.url }) else {
                continue
            }
            status.destinations[index].path = uplink.way(to: destination.id)?.path
        }
        return MetricsText.render(status, figures)
    }
}
