import Arguments
import Basics
import Camera
import Posix

/// `camera info`: what the camera is and what cards it holds.
struct InfoCommand {
    let options: ConnectionOptions
    private let report: CameraReport?

    init(_ options: ConnectionOptions, report path: String?) {
        self.options = options
        report = path.flatMap { path in options.tap.map { CameraReport(path: path, tap: $0) } }
    }

    func run(on reactor: Reactor) async throws -> ExitCode {
        do {
            let facts = try await show(on: reactor)
            try report?.write(facts)
            return .success
        } catch let failure as CameraFailure {
            // How a body refuses is worth as much.
            try report?.write(nil)
            throw failure
        }
    }

    private func show(on reactor: Reactor) async throws -> BodyFacts {
        let isJSON = options.isJSON
        return try await options.connected(on: reactor) { camera in
            let facts = try await camera.facts()
            if let problem = facts.storesProblem {
                printError("tetherline: the cards cannot be looked at: \(Visible(problem))")
            }
            if isJSON {
                printOutput(Self.json(facts).compact)
            } else {
                for line in Self.text(facts) { printOutput(line) }
            }
            return facts
        }
    }

    private static func json(_ facts: BodyFacts) -> JSONValue {
        [
            "name": .optional(facts.name) { .string($0) },
            "guid": .optional(facts.wireID) { .string($0) },
            "manufacturer": .string(facts.manufacturer),
            "model": .string(facts.model),
            "version": .string(facts.version),
            "serial": .string(facts.serial),
            "vendor": .optional(facts.dialect) { .string($0) },
            "operations": .array(facts.operations.map { .string($0) }),
            "storages": .array(facts.stores.map(json)),
        ]
    }

    private static func json(_ store: BodyFacts.Store) -> JSONValue {
        [
            "id": .string(store.name),
            "description": store.isEmpty ? .null : .string(store.text),
            "label": store.isEmpty ? .null : .string(store.label),
            "capacity": .optional(store.capacity) { .unsigned($0) },
            "free": .optional(store.free) { .unsigned($0) },
        ]
    }

    private static func text(_ facts: BodyFacts) -> [String] {
        var rows = [
            ["camera", "\(facts.manufacturer) \(facts.model)"], ["name", facts.name ?? ""],
            ["version", facts.version], ["serial", facts.serial],
            ["guid", facts.wireID ?? ""], ["dialect", facts.dialect ?? "unknown"],
        ]
        for store in facts.stores {
            guard !store.isEmpty else {
                rows.append(["storage", "\(store.name)  empty"])
                continue
            }
            let free = store.free.map { Human.bytes($0) } ?? "?"
            let capacity = store.capacity.map { Human.bytes($0) } ?? "?"
            rows.append(["storage", "\(store.name)  \(store.label)  \(free) free of \(capacity)"])
        }
        rows.append(["operations", facts.operations.joined(separator: " ")])
        return Human.table(rows.map { $0.map { Visible($0).description } })
    }
}
