import Arguments
import Bridge
import Camera
import PTP
import Posix

/// `camera info`: what the camera is and what cards it holds.
struct InfoCommand {
    let options: ConnectionOptions

    init(_ options: ConnectionOptions) {
        self.options = options
    }

    func run(on reactor: Reactor) async throws -> ExitCode {
        let isJSON = options.isJSON
        return try await options.session(on: reactor).run { session in
            let device = try await session.device()
            let storages = try await Self.storages(of: session)
            let peer = await session.peer
            if isJSON {
                printOutput(Self.json(device, storages, peer).compact)
            } else {
                for line in Self.text(device, storages, peer) { printOutput(line) }
            }
            return .success
        }
    }

    /// A camera that only takes orders shows nobody its card; what it is can be said all the same.
    private static func storages(of session: CameraSession) async throws(CameraError) -> [Storage] {
        do throws(CameraError) {
            return try await session.storages()
        } catch {
            guard case .answered = error.problem else { throw error }
            printError("tetherline: the cards cannot be looked at: \(Visible("\(error)"))")
            return []
        }
    }

    private static func json(_ device: DeviceInfo, _ storages: [Storage], _ peer: Peer?) -> JSONValue {
        [
            "name": .optional(peer?.name) { .string($0) },
            "guid": .optional(peer?.guid) { .string("\($0)") },
            "manufacturer": .string(device.manufacturer),
            "model": .string(device.model),
            "version": .string(device.deviceVersion),
            "serial": .string(device.serialNumber),
            "vendor": .optional(device.vendor) { .string($0.rawValue) },
            "operations": .array(device.operations.map { .string($0.described(for: device.vendor)) }),
            "storages": .array(storages.map(json)),
        ]
    }

    private static func json(_ storage: Storage) -> JSONValue {
        [
            "id": .string("\(storage.id)"),
            "description": .optional(storage.info) { .string($0.storageDescription) },
            "label": .optional(storage.info) { .string($0.volumeLabel) },
            "capacity": .optional(storage.info?.knownCapacity) { .unsigned($0) },
            "free": .optional(storage.info?.knownFreeSpace) { .unsigned($0) },
        ]
    }

    private static func text(_ device: DeviceInfo, _ storages: [Storage], _ peer: Peer?) -> [String] {
        var rows = [
            ["camera", "\(device.manufacturer) \(device.model)"], ["name", peer?.name ?? ""],
            ["version", device.deviceVersion], ["serial", device.serialNumber],
            ["guid", peer.map { "\($0.guid)" } ?? ""], ["dialect", device.vendor?.rawValue ?? "unknown"],
        ]
        for storage in storages {
            guard let info = storage.info else {
                rows.append(["storage", "\(storage.id)  empty"])
                continue
            }
            let free = info.knownFreeSpace.map { Human.bytes($0) } ?? "?"
            let capacity = info.knownCapacity.map { Human.bytes($0) } ?? "?"
            rows.append(["storage", "\(storage.id)  \(info.volumeLabel)  \(free) free of \(capacity)"])
        }
        let names = device.operations.map { $0.described(for: device.vendor) }
        rows.append(["operations", names.joined(separator: " ")])
        return Human.table(rows.map { $0.map { Visible($0).description } })
    }
}
