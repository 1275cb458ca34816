import Arguments
import Basics
import Bridge
import Posix
import Store

/// `destination list`: each with what it has got, and with what a bridge that runs knows of it.
struct DestinationList {
    let home: Home
    let event: BridgeEvent
    let isJSON: Bool

    func run(on reactor: Reactor) async throws -> ExitCode {
        let known = try home.reader().knownDestinations(of: event.id)
        let live = try await live(on: reactor)
        if known.isEmpty, !isJSON {
            printOutput(
                "'\(Visible(event.name))' has no destination: 'tetherline destination add URL' names one.")
        }
        for destination in known {
            let status = live.first { $0["url"]?.string == destination.url }
            if isJSON {
                printOutput(Self.json(destination, status).compact)
            } else {
                for line in Self.lines(destination, status) { printOutput(Visible(line).description) }
            }
        }
        return .success
    }

    /// What the bridge that runs says of its destinations; nothing where none runs, or one for another event.
    private func live(on reactor: Reactor) async throws -> [JSONValue] {
        let status = try await CommandRouter.ask([(key: "command", value: "status")], in: home, on: reactor)
        guard status?["event"]?["id"]?.string == event.id else { return [] }
        return status?["destinations"]?.array ?? []
    }

    private static func json(_ destination: KnownDestination, _ status: JSONValue?) -> JSONValue {
        func number(_ group: JobGroup) -> JSONValue { .integer(Int64(destination.jobs[group, default: 0])) }
        var members: [(key: String, value: JSONValue)] = [
            (key: "id", value: .integer(destination.id.number)),
            (key: "url", value: .string(destination.url)),
            (key: "kind", value: .string(destination.kind == .gallery ? "gallery" : "direct")),
            (key: "state", value: .string(word(destination))),
            (
                key: "removedAt",
                value: .optional(destination.removedAt) {
                    .string(CivilTime.rfc3339(milliseconds: $0.milliseconds))
                }
            ),
            (key: "replacedBy", value: .optional(destination.replacedBy, JSONValue.string)),
        ]
        members += JobGroup.allCases.map { (key: $0.rawValue, value: number($0)) }
        members += [
            (key: "cancelled", value: .integer(Int64(destination.cancelled))),
            (key: "withoutCaption", value: .integer(Int64(destination.withoutCaption))),
            (key: "hold", value: status?["hold"] ?? .null), (key: "way", value: status?["way"] ?? .null),
        ]
        return .object(members)
    }

    private static func word(_ destination: KnownDestination) -> String {
        if destination.removedAt == nil { return "used" }
        return destination.replacedBy == nil ? "removed" : "replaced"
    }

    private static func lines(_ destination: KnownDestination, _ status: JSONValue?) -> [String] {
        var lines = ["\(destination.id.number)  \(destination.url)"]
        var counts = JobGroup.allCases.compactMap { group -> String? in
            let number = destination.jobs[group, default: 0]
            let word = group == .completed ? "delivered" : group.rawValue
            return number > 0 ? "\(number) \(word)" : nil
        }
        if destination.cancelled > 0 { counts.append("\(destination.cancelled) cancelled") }
        if destination.withoutCaption > 0 {
            counts.append("\(destination.withoutCaption) of them without their caption")
        }
        lines.append("   " + (counts.isEmpty ? "nothing yet" : counts.joined(separator: ", ")))
        if let removed = destination.removedAt {
            let how = destination.replacedBy.map { "replaced by \($0)" } ?? "removed"
            lines.append("   \(how) at \(removed.onTheWall)")
        }
        if let reason = status?["hold"]?["reason"]?.string { lines.append("   waits: \(reason)") }
        return lines
    }
}
