import Arguments
import Camera
import PTP
import Posix

/// `camera thumb`: the small picture of a file.
struct ThumbCommand {
    let options: ConnectionOptions
    let handle: ObjectHandle
    let destination: String?

    init(_ options: ConnectionOptions, _ invocation: Invocation) throws(UsageError) {
        self.options = options
        handle = try CameraCommands.handle(invocation.positionals[1])
        destination = invocation.value("to")
        if destination == nil, Terminal.isTerminal(1) {
            throw UsageError(
                "A picture does not belong on a terminal: say where to with --to FILE, or use a pipe.")
        }
    }

    func run(on reactor: Reactor) async throws -> ExitCode {
        let (handle, destination) = (handle, destination)
        return try await options.session(on: reactor).run { session in
            let picture = try await session.thumbnail(of: handle)
            guard let destination else {
                return writeAll(picture, to: 1) ? .success : .inputOutput
            }
            let parts = destination.split(separator: "/", omittingEmptySubsequences: false)
            guard let name = parts.last, !name.isEmpty else {
                throw UsageError("--to names a file, not '\(destination)'.")
            }
            let folder = parts.count == 1 ? "." : parts.dropLast().joined(separator: "/")
            try writeAtomically(
                picture, to: String(name), in: Directory(path: folder.isEmpty ? "/" : folder), mode: 0o666)
            return .success
        }
    }
}
