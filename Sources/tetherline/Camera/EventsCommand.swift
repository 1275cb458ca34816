import Arguments
import Basics
import Camera
import Posix

/// `camera events`: what the camera tells by itself.
struct EventsCommand {
    let options: ConnectionOptions

    init(_ options: ConnectionOptions) {
        self.options = options
    }

    func run(on reactor: Reactor) async throws -> ExitCode {
        let isJSON = options.isJSON
        do {
            return try await options.connected(on: reactor) { camera in
                await camera.rawNotices { notice in
                    // When its reader has seen enough, going on would hold the camera's one slot for nothing.
                    printOutput(isJSON ? Self.json(notice).compact : notice.text)
                }
                // The sequence ends with the connection, or because of Ctrl-C.
                try await camera.throwIfEnded()
                return .success
            }
        } catch let failure as CameraFailure where Task.isCancelled {
            // Ctrl-C is how this command ends.
            return failure.outcome == .nonsense ? .data : .success
        }
    }

    private static func json(_ notice: RawNotice) -> JSONValue {
        [
            "code": .string(notice.code),
            "name": .string(notice.name),
            "transaction": .optional(notice.transaction) { .unsigned($0) },
            "parameters": .array(notice.parameters.map { .unsigned($0) }),
        ]
    }
}
