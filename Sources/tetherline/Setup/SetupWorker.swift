import Arguments
import Basics
import Bridge
import Camera
import Discovery
import Posix
import Store
import Synchronization
import Upload

/// What the setup does, with the means of the commands that do the same.
final class SetupWorker {
    typealias Happening = SetupConversation.Happening

    let home: Home
    /// How long a person has, and how long something may take that a person waits for.
    let patience: Duration
    let reactor: Reactor
    private let interfaces: [String]
    /// What was announced when cameras were looked for last.
    private var found = FoundCameras()

    init(home: Home, patience: Duration, interfaces: [String], reactor: Reactor) {
        self.home = home
        self.patience = patience
        self.interfaces = interfaces
        self.reactor = reactor
    }

    /// What came of it. Only the operator's own Ctrl-C is thrown.
    func perform(_ work: SetupConversation.Work) async throws -> Happening {
        do {
            return try await carryOut(work)
        } catch let error as CameraFailure where error.trouble == .cancelled {
            throw CancellationError()
        } catch let error as CancellationError {
            throw error
        } catch let error as Unclear {
            return .unclear(error.description)
        } catch {
            try Task.checkCancellation()
            return .failed("\(error)")
        }
    }

    private func carryOut(_ work: SetupConversation.Work) async throws -> Happening {
        switch work {
        case .lookForCameras: return try await lookForCameras()
        case .addCamera(let what): return .added(try await addCamera(what))
        case .removeCamera(let camera):
            _ = try await change(HomeCameraChange(.remove, camera.host))
            return .done
        case .nameCameras:
            try nameCameras()
            return .done
        case .pair(let camera):
            let name = try await pair(camera)
            _ = try await change(HomeCameraChange(.letIn, camera.host))
            return .paired(name)
        case .logIn(let login): return .loggedIn(try await logIn(login))
        case .lookAtConsent(let gallery): return try await consent(at: gallery, gives: false)
        case .giveConsent(let gallery): return try await consent(at: gallery, gives: true)
        case .lookForEvents(let gallery): return .events(try await events(at: gallery))
        case .createEvent(let name, let gallery): return .events([try await createEvent(name, at: gallery)])
        case .selectEvent(let event, let gallery): return .placed(try await select(event, at: gallery))
        case .usePlace(let place): return .placed(try await use(place))
        case .takePhoto: return try await takePhoto()
        case .lookForService:
            var advice = try ServiceAdvice(home: home)
            advice.variables = Self.variables(of: try Settings.read(from: home).run.destinations)
            return .service(advice.lines)
        }
    }

    /// What was typed cannot be meant.
    struct Unclear: Error, CustomStringConvertible {
        let description: String
    }

    /// A command line of ours, as it would be typed, for this home.
    func invocation(_ words: [String]) throws -> Invocation {
        guard case .run(let invocation) = try Tetherline.spec.parse(words + ["--home", home.path]) else {
            preconditionFailure("'\(words)' is a command")
        }
        return invocation
    }

    // MARK: Cameras

    private func lookForCameras() async throws -> Happening {
        let look = try await CameraLook(interfaces: interfaces).take(on: reactor)
        found = look.cameras
        let there = found.shown.filter(\.speaksPTP)
        return .found(
            there.map { camera in
                SetupCamera(name: camera.fullName, host: camera.host)
            }, advice: DiscoverView.wayToBeFound(look.interfaces) + (try await wayWithoutAnnouncement()))
    }

    private func wayWithoutAnnouncement() async throws -> [String] {
        let lines = [
            "One that announces nothing is reached by its address. On a camera's own network that is mostly 192.168.1.1 "
                + "(Nikon, Canon) or 192.168.122.1 (Sony)."
        ]
        let gateway = try await RouteNetlink(reactor).route(to: AccessPoint.elsewhere)?.gateway
        guard let perhaps = gateway.flatMap(AccessPoint.camera) else { return lines }
        return lines + [
            "The gateway here, \(perhaps.host), has the address of \(perhaps.make ?? "a camera") on a network of its own."
        ]
    }

    private func addCamera(_ what: String) async throws -> SetupCamera {
        var change = try HomeCameraChange(.add(name: nil), what)
        var announced = found.meant(by: what)
        if change.isLookedFor, announced.isEmpty {
            let look = try await CameraLook(interfaces: interfaces).take(on: reactor)
            found = look.cameras
            announced = found.meant(by: what)
            guard !announced.isEmpty else { throw unknown(what) }
        }
        change.announced = announced
        let camera = try await self.change(change)
        var shown = SetupCamera(camera)
        if let found = announced.first {
            shown.name = camera.name ?? found.fullName
            shown.toPress = DiscoverView.toPress(on: found)
        }
        return shown
    }

    private func unknown(_ what: String) -> CommandRouter.Refused {
        let names = found.all.filter(\.speaksPTP).flatMap { [$0.model, $0.name] }.compactMap { $0 }
        let near = Nearest.to(what, among: names).map { " Did you mean '\($0)'?" } ?? ""
        return CommandRouter.Refused(
            description:
                "No camera that announces itself is called '\(what)', and it is no address such as 192.168.1.5.\(near)"
        )
    }

    private func change(_ change: HomeCameraChange) async throws -> HomeCamera {
        let answer = try await CommandRouter.perform(change.request, in: home, makesHome: true, on: reactor) {
            try await change.perform(in: $0, announced: change.announced ?? []).json
        }
        return HomeCamera(answer: answer)
    }

    private func nameCameras() throws {
        let named = try Settings.read(from: home).run.cameras
        guard !named.contains(.automatic) else { return }
        _ = try SettingsEdit(home, "run.cameras").set(named.map(\.text) + [CameraChoice.automaticWord])
    }

    // MARK: Pairing

    /// How long a camera's own network may take to be back after it has been paired.
    private static let restart = Duration.seconds(60)
    private static let pause = Duration.seconds(3)

    /// By what the camera calls itself. A Nikon ends the connection over which it was paired: then it is connected to once
    /// more, which shows that it lets us in.
    private func pair(_ camera: SetupCamera) async throws -> String {
        let options = try ConnectionOptions(
            invocation(["camera", "info", camera.host, "--wait", "\(patience.wholeMilliseconds)ms"]))
        let hasShownCode = Mutex(false)
        do {
            return try await facts(options) { hasShownCode.withLock { $0 = true } }
        } catch let failure as CameraFailure where hasShownCode.withLock({ $0 }) && failure.isLost {
            printOutput(Visible("\(failure.reason). It is connected to again when it is back.").description)
        }
        let end = reactor.now + Self.restart
        while true {
            try await reactor.sleep(until: reactor.now + Self.pause)
            do {
                return try await facts(options) {}
            } catch let failure as CameraFailure where reactor.now < end && failure.mayComeBack {
                continue
            }
        }
    }

    private func facts(
        _ options: ConnectionOptions, onCode: @escaping @Sendable () -> Void
    ) async throws -> String {
        let facts = try await options.connected(
            on: reactor,
            onStep: { step in
                if case .confirmingCode = step { onCode() }
                ConnectionOptions.show(step)
            },
            { try await $0.facts() })
        let words = [facts.manufacturer, facts.model, facts.serial].filter { !$0.isEmpty }
        return words.isEmpty ? options.host.description : words.joined(separator: " ")
    }
}

extension CameraFailure {
    /// The connection is gone, and nothing has to be done at the body.
    fileprivate var isLost: Bool {
        if case .connectionOver(.lost, _) = trouble { true } else { false }
    }

    /// It is not there yet.
    fileprivate var mayComeBack: Bool { outcome == .unavailable || outcome == .tryAgain }
}

extension FoundCamera {
    /// `Nikon Z 8`; the make is said once.
    var fullName: String {
        let name = spokenName
        guard let make, !name.lowercased().contains(make.lowercased()) else { return name }
        return "\(make) \(name)"
    }
}
