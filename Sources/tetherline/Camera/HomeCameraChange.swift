import Basics
import Bridge
import Camera
import Discovery
import Posix
import Store

/// A camera is added to the home's or removed from them: by the bridge that runs, which begins at once, or without one.
struct HomeCameraChange {
    enum Step: Equatable {
        case add(name: String?)
        case remove
        /// It has let this computer in.
        case letIn
    }

    static let command = "changeCameras"
    private static let longestName = 64
    /// An address may be a host's name.
    private static let longestWord = 300

    let step: Step
    /// An address, a name, a model or a serial number.
    let what: String
    /// What the command itself has heard, where it has listened: the cameras that may be meant.
    var announced: [FoundCamera]?

    init(_ step: Step, _ what: String) throws(CommandRouter.Refused) {
        guard CameraName(what) != nil, what.count <= Self.longestWord else {
            throw CommandRouter.Refused(description: "'\(what)' names no camera")
        }
        if case .add(let name?) = step, CameraName(name) == nil || name.count > Self.longestName {
            throw CommandRouter.Refused(
                description:
                    "a camera's name has from 1 to \(Self.longestName) characters, and letters or digits among them"
            )
        }
        self.step = step
        self.what = what
    }

    // MARK: Between processes

    var request: [(key: String, value: JSONValue)] {
        var members: [(key: String, value: JSONValue)] = [(key: "command", value: .string(Self.command))]
        switch step {
        case .add(let name):
            members.append((key: "add", value: .string(what)))
            members.append((key: "name", value: .optional(name, JSONValue.string)))
            let found = announced.map { $0.prefix(Sightings.most).map(\.asRequested) }
            members.append((key: "announced", value: .optional(found, JSONValue.array)))
        case .remove: members.append((key: "remove", value: .string(what)))
        case .letIn: members.append((key: "letIn", value: .string(what)))
        }
        return members
    }

    init(_ request: JSONValue) throws {
        if let what = request["add"]?.string {
            try self.init(.add(name: request["name"]?.string), what)
            announced = try request["announced"]?.array.map { cameras in
                try cameras.prefix(Sightings.most).map { try FoundCamera(requested: $0) }
            }
        } else if let what = request["remove"]?.string {
            try self.init(.remove, what)
        } else if let what = request["letIn"]?.string {
            try self.init(.letIn, what)
        } else {
            throw CommandRouter.Refused(description: "the request names no camera")
        }
    }

    /// Its announcement says which camera is meant. An address is the operator's word, and needs none.
    var isLookedFor: Bool {
        if case .add = step { Self.address(what) == nil } else { false }
    }

    /// What a bridge that looks for no cameras answers: the command is to say what is announced.
    static let look: JSONValue = ["look": .bool(true)]
    static func isToLook(_ answer: JSONValue) -> Bool { answer["look"]?.bool == true }

    // MARK: Doing

    /// `announced`: the cameras that announce themselves now and may be meant.
    func perform(in ledger: Ledger, announced: [FoundCamera]) async throws -> HomeCamera {
        let home = try await ledger.homeCameras()
        switch step {
        case .add(let name):
            let (camera, former) = try added(name, home, announced)
            try await ledger.keep(camera, insteadOf: former)
            // One place has one camera: the operator has just said which.
            for var other in home
            where other.isAddedByPlace && other.place == camera.place && other.key != former {
                other.isAddedByPlace = false
                try await ledger.keep(other)
            }
            return camera
        case .remove:
            let camera = try only(home.filter(isMeant), or: "this home knows no camera '\(what)'")
            try await ledger.remove(camera)
            return camera
        case .letIn:
            var camera = try only(home.filter(isMeant), or: "this home knows no camera '\(what)'")
            camera.hasLetIn = true
            try await ledger.keep(camera, insteadOf: camera.key)
            return camera
        }
    }

    /// With the key that it has so far.
    private func added(
        _ name: String?, _ home: [HomeCamera], _ announced: [FoundCamera]
    ) throws -> (HomeCamera, former: String?) {
        if let found = announced.first {
            guard announced.count == 1 else {
                throw several(announced.map { "\($0.spokenName) at \($0.host)" })
            }
            if var known = home.surely(found) {
                let former = known.key
                known.name = name ?? known.name
                return (known, former)
            }
            var camera = HomeCamera()
            camera.name = name
            camera.model = found.model
            camera.serial = found.details.serial
            camera.announced = found.id
            camera.place = found.place
            return (camera, nil)
        }
        // Which body is at an address the operator knows better than the home, which will see when it meets it.
        let known = home.filter { isMeant($0) && (Self.address(what) == nil || $0.body == nil) }
        guard var camera = known.first ?? atAddress else {
            throw CommandRouter.Refused(
                description:
                    "no camera that announces itself is called '\(what)'. 'tetherline camera discover' lists them; the address "
                    + "on the camera's own screen always works.")
        }
        guard known.count <= 1 else { throw several(known.map(\.line)) }
        let former = camera.key
        camera.name = name ?? camera.name
        return (camera, former)
    }

    /// Where it was announced or met it is that camera; any other address is taken at the operator's word.
    private var atAddress: HomeCamera? {
        guard let host = Self.address(what) else { return nil }
        var camera = HomeCamera()
        camera.place = "\(host)"
        camera.isAddedByPlace = true
        return camera
    }

    /// What can only be an address.
    static func address(_ what: String) -> HostPort? {
        guard what.contains(where: { ".:".contains($0) }) else { return nil }
        do throws(HostPort.Unreadable) {
            return try HostPort(what, defaultPort: TCPLinks.usualPort)
        } catch {
            return nil
        }
    }

    private func isMeant(_ camera: HomeCamera) -> Bool {
        if let host = Self.address(what) { return camera.place == "\(host)" }
        return CameraName(what)?.means(camera.expected) ?? false
    }

    private func only(_ cameras: [HomeCamera], or nothing: String) throws -> HomeCamera {
        guard let camera = cameras.first else {
            throw CommandRouter.Refused(description: "\(nothing); 'tetherline camera known' lists them.")
        }
        guard cameras.count == 1 else { throw several(cameras.map(\.line)) }
        return camera
    }

    private func several(_ cameras: [String]) -> CommandRouter.Refused {
        CommandRouter.Refused(
            description:
                "'\(what)' may be each of \(cameras.joined(separator: "; ")): say its address or serial number."
        )
    }
}

extension [HomeCamera] {
    /// The one that announces itself so, or bears that number; that it is at the same address is not enough.
    fileprivate func surely(_ found: FoundCamera) -> HomeCamera? {
        let likely = compactMap { camera in camera.expected.likeness(to: found).map { ($0, camera) } }
        return likely.filter { $0.0 > ExpectedCamera.byPlace }.max { $0.0 < $1.0 }?.1
    }
}

extension HomeCamera {
    /// In one line.
    var line: String { row.filter { !$0.isEmpty }.joined(separator: "  ") }

    var row: [String] {
        [
            name ?? "", model ?? "", serial ?? "", place ?? "",
            body != nil ? "met" : hasLetIn ? "paired, not met by a run yet" : "added, not met yet",
        ]
    }

    var json: JSONValue {
        [
            "name": .optional(name, JSONValue.string), "model": .optional(model, JSONValue.string),
            "serial": .optional(serial, JSONValue.string), "address": .optional(place, JSONValue.string),
            "announcedAs": .optional(announced, JSONValue.string), "met": .bool(body != nil),
        ]
    }

    /// As the bridge that runs tells it.
    init(answer: JSONValue) {
        self.init()
        name = answer["name"]?.string
        model = answer["model"]?.string
        serial = answer["serial"]?.string
        place = answer["address"]?.string
        announced = answer["announcedAs"]?.string
    }
}
