import Arguments
import Bridge
import Camera
import PTP
import Posix

/// `camera events`: what the camera tells by itself.
struct EventsCommand {
    let options: ConnectionOptions

    init(_ options: ConnectionOptions) {
        self.options = options
    }

    func run(on reactor: Reactor) async throws -> ExitCode {
        let isJSON = options.isJSON
        let session = options.session(on: reactor)
        do {
            return try await session.run { session in
                let vendor = try await session.device().vendor
                for await notice in session.notices {
                    let line = isJSON ? Self.json(notice, vendor).compact : Self.text(notice, vendor)
                    // Whoever read this has seen enough; going on would hold the camera's one slot for nobody.
                    guard printOutput(line) else { return .success }
                }
                // The sequence ends with the connection, or because somebody pressed Ctrl-C.
                try await session.throwIfEnded()
                return .success
            }
        } catch let error as CameraError where Task.isCancelled {
            // Ctrl-C is how this command ends.
            return error.problem.exitCode == .data ? .data : .success
        }
    }

    private static func text(_ notice: EventPacket, _ vendor: Vendor?) -> String {
        let parameters = notice.parameters.map { Hex.code($0) }.joined(separator: " ")
        return "\(notice.code.described(for: vendor)) \(parameters)"
    }

    private static func json(_ notice: EventPacket, _ vendor: Vendor?) -> JSONValue {
        [
            "code": .string(Hex.code(notice.code.rawValue)),
            "name": .string(notice.code.described(for: vendor)),
            "transaction": notice.transaction == .none
                ? .null : .unsigned(UInt64(notice.transaction.rawValue)),
            "parameters": .array(notice.parameters.map { .unsigned(UInt64($0)) }),
        ]
    }
}
