import Arguments
import Bridge
import Camera
import Posix

/// `camera thumb`: the small picture of a file.
struct ThumbCommand {
    let options: ConnectionOptions
    let photo: PhotoReference
    let destination: String?

    init(_ options: ConnectionOptions, _ invocation: Invocation) throws(UsageError) {
        self.options = options
        photo = try CameraCommands.reference(invocation.positionals[1])
        destination = invocation.value("to")
        if destination == nil, Terminal.isTerminal(1) {
            throw UsageError(
                "A picture does not belong on a terminal: say where to with --to FILE, or use a pipe.")
        }
    }

    func run(on reactor: Reactor) async throws -> ExitCode {
        let (photo, destination) = (photo, destination)
        return try await options.connected(on: reactor) { camera in
            let picture = try await camera.thumbnail(photo)
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
