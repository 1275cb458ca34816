import Arguments
import Digest
import Link
import PTP
import PacketCapture
import Posix
import Simulator

/// A camera in software, from the command line.
@main
enum Camsim {
    static func main() {
        let arguments = Program.arguments
        Program.run(name: "camsim") { reactor, signals in
            do {
                switch try CamsimOptions.spec.parse(arguments) {
                case .help(let text):
                    printOutput(text)
                case .version:
                    printOutput("camsim \(CommandSpec.version)")
                case .run(let invocation) where invocation.has("list-models"):
                    printOutput(CamsimOptions.models)
                case .run(let invocation) where invocation.value("faults") == "help":
                    printOutput(FaultScript.help)
                case .run(let invocation):
                    try await run(CamsimOptions(invocation), reactor, signals)
                }
                return ExitCode.success.rawValue
            } catch let error as UsageError {
                printError("camsim: \(error)")
                return ExitCode.usage.rawValue
            } catch {
                printError("camsim: \(error)")
                return exitCode(of: error).rawValue
            }
        }
    }

    private static func exitCode(of error: any Error) -> ExitCode {
        switch error {
        case is FaultScript.Unreadable: .data
        case is VirtualCard.UnusableFolder: .noInput
        case is PcapFile.Unreadable: .data
        case is Recorder.CannotRecord: .cannotCreate
        case is LinkError: .unavailable
        case let error as SystemError where error.kind == .missing: .noInput
        case is SystemError: .inputOutput
        default: .failure
        }
    }

    private static func run(
        _ options: CamsimOptions, _ reactor: Reactor, _ signals: TerminationSignals
    ) async throws {
        let camera = try options.camera(on: reactor)
        let listener = try TCPListener(on: options.listen, reactor: reactor)
        let recorder = try options.record.map { path in
            try Recorder(
                path: path, leavesOutPhotos: options.leavesOutPhotos, clock: WallClock.microseconds,
                onFailure: { printError("camsim: \($0)") })
        }
        if let path = options.portFile {
            try write("\(listener.localEndpoint.port)\n", whole: path, of: "port-file")
        }
        printOutput("camsim: listening on \(listener.localEndpoint)")
        await withTaskGroup(of: Void.self) { group in
            group.addTask(executorPreference: reactor) {
                await camera.run {
                    let link = try await listener.accept()
                    guard let recorder else { return link }
                    return RecordingLink(
                        link, recorder, local: link.localEndpoint, remote: link.remoteEndpoint,
                        isClient: false)
                }
            }
            if let number = await signals.next(on: reactor) {
                printOutput("camsim: ended by signal \(number)")
            }
            listener.close()
            group.cancelAll()
        }
        recorder?.close()
        if let path = options.manifest { try write(await manifest(of: camera), whole: path, of: "manifest") }
    }

    /// Every photo that it has or had, as `sha256sum` lists files.
    private static func manifest(of camera: SimulatedCamera) async throws -> String {
        var text = ""
        for photo in await camera.everyPhoto() {
            let hash = SHA256()
            var offset: UInt64 = 0
            while offset < photo.size {
                let end = min(offset + (1 << 20), photo.size)
                hash.update(try photo.bytes(offset..<end))
                offset = end
            }
            text += "\(hash.finish())  \(photo.name)\n"
        }
        return text
    }

    /// Whole or not at all: those who wait for the file find it complete.
    private static func write(_ text: String, whole path: String, of option: String) throws {
        let parts = path.split(separator: "/", omittingEmptySubsequences: false)
        guard let name = parts.last, !name.isEmpty else {
            throw UsageError("--\(option) names a file, not '\(path)'.")
        }
        let folder = parts.count == 1 ? "." : parts.dropLast().joined(separator: "/")
        let directory = try Directory(path: folder.isEmpty ? "/" : folder)
        try writeAtomically(Array(text.utf8), to: String(name), in: directory, mode: 0o644)
    }
}
