import Basics
import Bridge
import Posix
import Store
import Upload

/// What an operator changes about the destinations of an event: as a command, as a request to the bridge that runs, and
/// as what becomes of the ledger.
struct DestinationChange: Sendable {
    enum Step: Sendable {
        case add(DestinationAddress)
        /// One that was removed, or replaced by another.
        case useAgain(url: String, kind: DestinationKind)
        case remove(DestinationID)
        case replace(DestinationID, DestinationAddress)
    }

    let event: BridgeEvent
    let step: Step

    /// Nothing is delivered to this event meanwhile.
    func perform(in ledger: Ledger) async throws -> DestinationEnd {
        do {
            switch step {
            case .add(let address):
                try Self.makeFolder(address)
                // A plain folder that is named anew is meant, whatever has been mounted there once.
                if case .folder(let folder, _) = address {
                    try await ledger.forget(Self.diskKey(folder.path))
                }
                return try await ledger.add(address.url, kind: .direct, of: event)
            case .useAgain(let url, let kind): return try await ledger.add(url, kind: kind, of: event)
            case .remove(let id): return try await ledger.remove(id)
            case .replace(let id, let address):
                try Self.makeFolder(address)
                return try await ledger.replace(id, by: address.url, kind: .direct)
            }
        } catch let objection as DestinationObjection {
            throw CommandRouter.Refused(description: Self.sentence(objection))
        }
    }

    /// Named for the first time, so it may be made; from then on a missing one is a disk that is not mounted. Below the folders
    /// that disks are mounted in it is one from the beginning, and is made by the first delivery after that.
    static func makeFolder(_ address: DestinationAddress) throws {
        guard case .folder(let folder, _) = address, try missingDisk(for: address) == nil else { return }
        _ = try Directory.make(path: folder.path)
    }

    /// What is said of a folder whose disk is away; nothing where all is well, or it is a folder that is there.
    static func missingDisk(for address: DestinationAddress) throws -> String? {
        guard case .folder(let folder, _) = address, let disk = DiskPlace(of: folder.path), !disk.isMounted,
            try FileFacts(at: folder.path) == nil
        else { return nil }
        return
            "no disk is mounted at \(folder.path); photos wait here until it is. Where a folder on this machine's own disk is "
            + "meant, make it before: mkdir -p \(folder.path)"
    }

    /// In the ledger: a disk has been seen mounted there.
    static func diskKey(_ path: String) -> String { "disk:\(path)" }

    private static func sentence(_ objection: DestinationObjection) -> String {
        switch objection {
        case .unknown: "it is no destination of the event any more; 'tetherline destination list' shows them."
        case .known(let url):
            "\(url) is a destination of the event already; 'tetherline destination remove' takes the other one away."
        case .otherKind:
            "a gallery cannot be replaced so: 'tetherline destination remove' takes it away, and 'tetherline run --server URL' "
                + "names another."
        }
    }

    // MARK: On its way to the bridge that runs

    static let command = "changeDestinations"

    var request: [(key: String, value: JSONValue)] {
        var members: [(key: String, value: JSONValue)] = [
            (key: "command", value: .string(Self.command)),
            (key: "event", value: .string(event.id)), (key: "name", value: .string(event.name)),
        ]
        switch step {
        case .add(let address): members.append((key: "add", value: .string(address.url)))
        case .useAgain(let url, let kind):
            members.append((key: "useAgain", value: .string(url)))
            members.append((key: "kind", value: .string(kind.rawValue)))
        case .remove(let id): members.append((key: "remove", value: .integer(id.number)))
        case .replace(let id, let address):
            members.append((key: "remove", value: .integer(id.number)))
            members.append((key: "add", value: .string(address.url)))
        }
        return members
    }

    init(event: BridgeEvent, _ step: Step) {
        self.event = event
        self.step = step
    }

    init(_ request: JSONValue) throws {
        guard let id = request["event"]?.string else {
            throw CommandRouter.Refused(description: "the request names no event")
        }
        event = BridgeEvent(id: id, name: request["name"]?.string ?? "")
        if let url = request["useAgain"]?.string {
            guard let kind = request["kind"]?.string.flatMap({ DestinationKind(rawValue: $0) }) else {
                throw CommandRouter.Refused(description: "the request names no kind of destination")
            }
            step = .useAgain(url: url, kind: kind)
            return
        }
        let address = try request["add"]?.string.map { try DestinationAddress($0) }
        switch (request["remove"]?.integer.map { DestinationID($0) }, address) {
        case (.some(let old), .some(let new)): step = .replace(old, new)
        case (.some(let old), nil): step = .remove(old)
        case (nil, .some(let new)): step = .add(new)
        case (nil, nil): throw CommandRouter.Refused(description: "the request names no destination")
        }
    }
}

extension DestinationEnd {
    var json: JSONValue {
        [
            "delivered": .integer(Int64(delivered)), "cancelled": .integer(Int64(cancelled)),
            "moved": .integer(Int64(moved)), "unsendable": .integer(Int64(unsendable)),
        ]
    }

    /// From the bridge that runs.
    init(_ answer: JSONValue) {
        func number(_ key: String) -> Int { answer[key]?.integer.flatMap { Int(exactly: $0) } ?? 0 }
        self.init(
            delivered: number("delivered"), cancelled: number("cancelled"), moved: number("moved"),
            unsendable: number("unsendable"))
    }
}
