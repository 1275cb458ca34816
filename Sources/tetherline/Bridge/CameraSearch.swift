import Basics
import Bridge
import Camera
import Discovery
import HTTPClient
import Posix
import Store
import Transfer

/// Looks for cameras while a bridge runs, and has those of the home tethered: it carries out what ``SearchPlan`` says.
actor CameraSearch {
    enum Word: Sendable {
        case found(CameraFinder.News)
        case camera(CameraNews)
        /// Cameras have been added or removed.
        case homeChanged
        case answered(place: String, Bool)
        case ended(place: String)
        case gateway(FoundCamera?)
    }

    /// What the search needs of its bridge.
    struct Bridge: Sendable {
        let ledger: Ledger
        let cameras: TetheredCameras
        let makeCamera: @Sendable (HostPort, HomeCamera?, ExpectedBody) throws -> CameraTransfer
        let tell: @Sendable (SearchNews) -> Void
        let note: @Sendable (String) -> Void
    }

    private nonisolated let reactor: Reactor
    nonisolated var unownedExecutor: UnownedSerialExecutor { reactor.asUnownedSerialExecutor() }

    private let interfaces: [String]
    private let host: HostDescription?
    private let bridge: Bridge
    private nonisolated let words = Mailbox<Word>()
    private var plan: SearchPlan
    private var home: [HomeCamera] = []

    /// Before an interface that is not there is looked for again, or a ledger that does not answer is asked again.
    private static let pause = Duration.seconds(5)

    /// `host`: how this computer is described to cameras that look for one, if it is.
    init(
        _ run: RunSettings, interface: String?, host: HostDescription?, _ bridge: Bridge, on reactor: Reactor
    ) {
        self.host = host
        plan = SearchPlan(
            isAutomatic: run.cameras.contains(.automatic), names: run.names,
            fixed: run.addresses.map { "\($0)" })
        interfaces = interface.map { [$0] } ?? []
        self.bridge = bridge
        self.reactor = reactor
    }

    /// From any thread; takes no time.
    nonisolated func hear(_ word: Word) {
        if case .camera(let news) = word {
            switch news.event {
            case .met, .connection: break
            default: return
            }
        }
        words.post(word)
    }

    /// Until the task is cancelled.
    func run() async {
        await withTaskCancellationHandler {
            await withDiscardingTaskGroup { group in
                group.addTask(executorPreference: reactor) { await self.look() }
                group.addTask(executorPreference: reactor) { await self.watchGateway() }
                words.post(.homeChanged)
                while !Task.isCancelled, let batch = await words.next() {
                    for word in batch {
                        do {
                            for action in try await happened(word) { carryOut(action, &group) }
                        } catch {
                            bridge.note("the search for cameras cannot go on with one: \(error)")
                        }
                    }
                }
                group.cancelAll()
            }
        } onCancel: {
            words.close()
        }
    }

    private func look() async {
        // A description is fetched from the camera itself, so nothing of the settings for servers matters here.
        while !Task.isCancelled {
            do {
                let transport = try CurlClient(CurlClient.Configuration(usesProxies: false))
                let finder = CameraFinder(
                    reactor, transport: transport, interfaces: interfaces, random: SystemRandomSource(),
                    host: host, tell: { self.hear(.found($0)) })
                let end: Result<Void, any Error>
                do {
                    try await finder.run()
                    end = .success(())
                } catch {
                    end = .failure(error)
                }
                await transport.shutDown()
                try end.get()
            } catch {
                bridge.note("no camera is looked for now; it is tried again: \(error)")
            }
            do {
                try await reactor.sleep(until: reactor.now + Self.pause)
            } catch {
                return
            }
        }
    }

    private func watchGateway() async {
        var last: FoundCamera?
        while !Task.isCancelled {
            do {
                let gateway = try await RouteNetlink(reactor).route(to: AccessPoint.elsewhere)?.gateway
                let camera = gateway.flatMap(AccessPoint.camera)
                if camera != last { hear(.gateway(camera)) }
                last = camera
                try await reactor.sleep(until: reactor.now + Self.pause)
            } catch is CancellationError {
                return
            } catch {
                // A route is a hint; cameras are found without it.
                bridge.note("the network's gateway is not known: \(error)")
                return
            }
        }
    }

    // MARK: What happens

    private func happened(_ word: Word) async throws -> [SearchPlan.Action] {
        switch word {
        case .found(.found(let camera)): return plan.handle(.found(camera))
        case .found(.changed(let camera)): return plan.handle(.changed(camera))
        case .found(.gone(let camera)): return plan.handle(.gone(camera))
        case .found(.listening(let names)):
            if names.isEmpty { bridge.note("there is no network to look for cameras on yet") }
            return []
        case .found(.remark(let text)):
            bridge.note(text)
            return []
        case .homeChanged:
            home = try await bridge.ledger.homeCameras()
            return plan.handle(.home(home.map(\.expected)))
        case .gateway(let camera): return plan.handle(.gateway(camera))
        case .answered(let place, let answers): return plan.handle(.answered(place: place, answers))
        case .ended(let place):
            bridge.tell(.leaves(place: place))
            return plan.handle(.ended(place: place))
        case .camera(let news):
            switch news.event {
            case .met(let body): return try await met(body, at: news.place)
            case .connection(let state):
                let actions = plan.handle(.connected(place: news.place, state == .ready))
                guard case .waiting = state, await bridge.cameras[news.place]?.lastFailure is UnknownBody
                else {
                    return actions
                }
                return actions + plan.handle(.refused(place: news.place))
            default: return []
            }
        }
    }

    /// The body at a place has said who it is: what it was added as, and what it announces itself as, are its own.
    private func met(_ body: CameraIdentity, at place: String) async throws -> [SearchPlan.Action] {
        home = try await bridge.ledger.homeCameras()
        let added = home.first { $0.body == nil && $0.key == plan.key(at: place) }
        let known = home.first { $0.body == body }
        // A body that the operator has removed is tethered where its address is named, and stays removed.
        if var camera = known ?? added {
            camera.body = body
            camera.name = added?.name ?? camera.name
            camera.isAddedByPlace = camera.isAddedByPlace || added?.isAddedByPlace ?? false
            camera.announced = added?.announced ?? camera.announced
            camera.announced = plan.announcement(of: camera.expected, at: place)?.id ?? camera.announced
            if camera != known || added != nil {
                try await bridge.ledger.keep(camera, insteadOf: added?.key)
            }
            home = try await bridge.ledger.homeCameras()
        }
        return plan.handle(.met(place: place, key: body.key, home: home.map(\.expected)))
    }

    // MARK: What follows

    private func carryOut(_ action: SearchPlan.Action, _ group: inout DiscardingTaskGroup) {
        switch action {
        case .tether(let place, let key): tether(key, at: place)
        case .leave(let place): bridge.cameras.leave(place)
        case .ask(let place):
            let camera = bridge.cameras[place]
            group.addTask(executorPreference: reactor) {
                self.hear(.answered(place: place, await camera?.answers() ?? false))
            }
        case .show(let found):
            bridge.tell(.new(place: found.place, name: found.spokenName, advice: found.adviceToAdd))
        case .hide(let found): bridge.tell(.notNew(place: found.place))
        }
    }

    private func tether(_ key: String, at place: String) {
        let known = home.first { $0.key == key }
        do {
            let host = try HostPort(place, defaultPort: TCPLinks.usualPort)
            let camera = try bridge.makeCamera(
                host, known, known?.body.map(ExpectedBody.body) ?? .added)
            bridge.tell(.tethers(place: place))
            bridge.cameras.begin(camera)
        } catch {
            bridge.note("\(place) cannot be tethered now: \(error)")
            hear(.ended(place: place))
        }
    }

    /// The cameras that announce themselves now and are called so, or are at that address.
    func announced(as what: String) -> [FoundCamera] { plan.announced(as: what) }

    /// It announces itself as a camera of the home and is another body.
    func isDisproved(at place: String) -> Bool { plan.isDisproved(at: place) }
}

extension FoundCamera {
    /// For a sentence: `Canon EOS R6`, or what it announces.
    var spokenName: String { services.isEmpty ? "the network's gateway" : model ?? name ?? id }

    var adviceToAdd: String {
        let command = "tetherline camera add \(host)"
        guard services.isEmpty else { return "a new camera; to take its photos: \(command)" }
        return
            "perhaps a camera: it has the address of \(make ?? "one") on a network of its own. If it is: \(command)"
    }
}
