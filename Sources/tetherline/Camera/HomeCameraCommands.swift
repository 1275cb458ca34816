import Arguments
import Basics
import Bridge
import Discovery
import Posix
import Store

/// `camera known`, `camera add` and `camera remove`: which cameras 'run --camera auto' tethers.
struct HomeCameraCommands {
    static let specs: [CommandSpec] = [known, add, remove]
    static let names = specs.map(\.name)

    private static let homeSpec = OptionSpec(
        "home", "DIR", "The bridge's home. [$TETHERLINE_HOME, or ~/.local/state/tetherline]")
    private static let json = OptionSpec.flag("json", "Print JSON, one value a line.")

    private static let known: CommandSpec = {
        var spec = CommandSpec("known", "The cameras of this home, which 'run --camera auto' tethers.")
        spec.discussion = ["Each camera that a run has tethered is one of them, and each that was added."]
        spec.options = [json, homeSpec]
        spec.examples = ["tetherline camera known"]
        return spec
    }()

    private static let add: CommandSpec = {
        var spec = CommandSpec("add", "Takes a camera among those of this home.")
        spec.discussion = [
            "No camera is connected to before it is one of the home's: what we say of ourselves then is the password of old "
                + "pairings. The bridge that runs begins with it at once.",
            "A camera that announces itself is called by its address, name, model or serial number, and is the same when its "
                + "address changes. One that announces nothing is called by its address.",
        ]
        spec.positionals = [
            PositionalSpec("CAMERA", .one, "As 'tetherline camera discover' shows it, or its address.")
        ]
        spec.options = [
            OptionSpec("name", "NAME", "What you call it, for 'run --camera NAME'."),
            OptionSpec(
                "interface", "NAME", mayRepeat: true,
                "Look only on this network interface. [every one that can be used]"),
            json, homeSpec,
        ]
        spec.examples = [
            "tetherline camera add 192.168.1.5", "tetherline camera add 'Z 8' --name Anna",
        ]
        return spec
    }()

    private static let remove: CommandSpec = {
        var spec = CommandSpec("remove", "Takes a camera out of those of this home.")
        spec.discussion = [
            "'run --camera auto' leaves it alone then. Its photos stay, and so does what was learned of it; 'camera add' takes "
                + "it back."
        ]
        spec.positionals = [PositionalSpec("CAMERA", .one, "Its address, name, model or serial number.")]
        spec.options = [json, homeSpec]
        spec.examples = ["tetherline camera remove Anna"]
        return spec
    }()

    private let home: Home
    private let invocation: Invocation
    private let isJSON: Bool

    init(_ invocation: Invocation) {
        home = Home(invocation.value("home"))
        self.invocation = invocation
        isJSON = invocation.has("json")
    }

    func run(on reactor: Reactor) async throws -> ExitCode {
        switch invocation.path.last {
        case "known": return try list()
        case "add":
            let camera = try await change(.add(name: invocation.value("name")), on: reactor)
            return tell("added", camera)
        default: return tell("removed", try await change(.remove, on: reactor))
        }
    }

    private func list() throws -> ExitCode {
        let cameras: [HomeCamera]
        do {
            cameras = try home.reader().homeCameras()
        } catch is NothingThere {
            cameras = []
        }
        if isJSON {
            for camera in cameras { printOutput(camera.json.compact) }
        } else {
            var table = RowPrinter(["name", "model", "serial number", "address", "remarks"])
            for camera in cameras { table.add(camera.row) }
            table.flush()
            if cameras.isEmpty {
                printError(
                    "This home knows no camera yet: 'tetherline camera discover' shows which there are.")
            }
        }
        return .success
    }

    private func tell(_ done: String, _ camera: HomeCamera) -> ExitCode {
        printOutput(isJSON ? camera.json.compact : "\(done): \(Visible(camera.line))")
        return .success
    }

    private func change(_ step: HomeCameraChange.Step, on reactor: Reactor) async throws -> HomeCamera {
        var change = try HomeCameraChange(step, invocation.positionals[0])
        let isOnOne = !invocation.all("interface").isEmpty
        if change.isLookedFor, isOnOne {
            change.announced = try await announced(as: change.what, on: reactor)
        }
        if let answer = try await CommandRouter.ask(change.request, in: home, on: reactor),
            !HomeCameraChange.isToLook(answer)
        {
            return HomeCamera(answer: answer)
        }
        if change.isLookedFor, !isOnOne {
            change.announced = try await announced(as: change.what, on: reactor)
        }
        let heard = change
        let answer = try await CommandRouter.perform(
            heard.request, in: home, makesHome: step != .remove, on: reactor
        ) { ledger in
            try await heard.perform(in: ledger, announced: heard.announced ?? []).json
        }
        return HomeCamera(answer: answer)
    }

    /// Those that announce themselves and may be meant.
    private func announced(as what: String, on reactor: Reactor) async throws -> [FoundCamera] {
        let look = CameraLook(interfaces: invocation.all("interface"))
        return try await look.take(on: reactor).cameras.meant(by: what)
    }
}

extension RunningBridge {
    /// A camera that is added is tethered at once where the run tethers what it finds.
    func changeHome(_ request: JSONValue) async throws -> JSONValue {
        let change = try HomeCameraChange(request)
        if search == nil, change.isLookedFor, change.announced == nil { return HomeCameraChange.look }
        var announced: [FoundCamera] = []
        if let heard = change.announced {
            announced = heard
        } else if let search {
            announced = await search.announced(as: change.what)
        }
        // The operator says that it is meant all the same.
        if let place = HomeCameraChange.address(change.what),
            await search?.isDisproved(at: "\(place)") == true
        {
            announced = []
        }
        let camera = try await change.perform(in: ledger, announced: announced)
        search?.hear(.homeChanged)
        return camera.json
    }
}
