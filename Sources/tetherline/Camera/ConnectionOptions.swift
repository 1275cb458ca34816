import Arguments
import Basics
import Bridge
import Camera
import Digest
import Discovery
import Link
import PacketCapture
import Posix
import Store
import Transfer

/// What every command that connects to a camera takes.
struct ConnectionOptions {
    let host: HostPort
    let isJSON: Bool
    let client: Client
    private let recorder: Recorder?
    /// Hears everything that passes, for a report.
    let tap: GreetingTap?
    /// What is known of the body that answered here last.
    let known: KnownBody?
    private let memory: BodyMemory

    static let specs: [OptionSpec] =
        clientSpecs + [
            OptionSpec(
                "record", "FILE",
                "Record the conversation into this pcap file, for Wireshark and camsim --replay."),
            .flag("without-photos", "Leave the bytes of photos out of the recording."),
        ]

    static let clientSpecs: [OptionSpec] = [
        OptionSpec("wait", "TIME", "How long to wait for OK to be pressed on the camera. [3min]"),
        OptionSpec("name", "NAME", "What the camera shows as our name. [Tetherline]"),
        OptionSpec(
            "guid", "GUID",
            "Who we say we are, where a camera was paired with something else. [kept in the home]"),
        OptionSpec(
            "home", "DIR",
            "Where identity, ledger and spool are kept. [$TETHERLINE_HOME, or ~/.local/state/tetherline]"),
        OptionSpec("interface", "NAME", "Connect only through this network interface."),
        OptionSpec(
            "driver", "DRIVER",
            "How to work with the camera: \(DriverChoice.words.joined(separator: ", ")). [auto: by what it says of itself]",
            .oneOf(DriverChoice.words)),
    ]

    init(_ invocation: Invocation) throws {
        host = try HostPort(invocation.positionals[0], defaultPort: TCPLinks.usualPort)
        isJSON = invocation.has("json")
        let home = Home(invocation.value("home"))
        client = try Client(invocation, in: home)
        known = home.body(at: host)
        // A ledger that does not know the body that was here, or cannot be read, is not asked about another.
        if known == nil { memory = { _ in nil } } else { memory = home.memory(of: host) }
        tap = invocation.value("report").map { _ in GreetingTap(clock: WallClock.microseconds) }
        recorder = try invocation.value("record").map { path in
            try Recorder(
                path: path, leavesOutPhotos: invocation.has("without-photos"), clock: WallClock.microseconds,
                onFailure: { printError("tetherline: \($0)") })
        }
        if recorder == nil, invocation.has("without-photos") {
            throw UsageError("--without-photos is about --record FILE.")
        }
    }

    /// Before the program ends: what was recorded is in its file, or it is said why not.
    func finishRecording() {
        recorder?.close()
    }

    func connector(
        on reactor: Reactor, _ change: (inout GenericSettings) -> Void = { _ in }
    ) -> GenericConnector {
        client.connector(to: host, on: reactor, recorder, tap, change)
    }

    /// Connects, lets `use` work with the camera, and ends the connection in order.
    func connected<Result: Sendable>(
        on reactor: Reactor, onStep: @escaping @Sendable (ConnectionStep) -> Void = show,
        _ use: @Sendable (any CameraDriver) async throws -> Result
    ) async throws -> Result {
        try await connector(on: reactor).connected(
            knowing: known, recalling: memory, onStep: onStep, use)
    }

    /// The same for looking at everything there is: one object that ends the connection is left out.
    func looking<Result: Sendable>(
        on reactor: Reactor, _ look: @Sendable (any CameraDriver, SurveyOptions) async throws -> Result
    ) async throws -> Result {
        try await connector(on: reactor).looking(
            knowing: known, recalling: memory, onStep: Self.show, look)
    }

    @Sendable static func show(_ step: ConnectionStep) {
        if let question = step.question { printError("\(Visible(question.sentence))") }
    }
}

extension ConnectionOptions {
    /// Who we are to a camera, and through what we reach it.
    struct Client: Sendable {
        private let identity: ClientIdentity
        private let camera: CameraSettings
        private let folder: String
        /// How long it may send nothing in the middle of a photo.
        let timeout: Duration

        /// For a command about cameras, by its own options and the settings of its home.
        init(_ invocation: Invocation, in home: Home) throws {
            var settings = try Settings.read(from: home)
            try settings.apply(invocation, Settings.reaching)
            try self.init(settings, home)
        }

        init(_ settings: Settings, _ home: Home) throws {
            camera = settings.camera
            folder = home.path
            timeout = settings.transfer.machine.timeout
            identity = try camera.id ?? home.identity(named: camera.name)
        }

        /// How we are described to cameras that look for a computer. What we show when we connect is a secret, and cannot be
        /// found from this.
        var description: HostDescription {
            var id = Array(SHA256.of(Array("UPnP \(identity.id)".utf8)).bytes.prefix(16))
            // "version 8 … vendor-specific" (RFC 9562 §5.8).
            id[6] = id[6] & 0x0F | 0x80
            id[8] = id[8] & 0x3F | 0x80
            return HostDescription(name: identity.name, id: id)
        }

        func connector(
            to host: HostPort, known: ExpectedCamera? = nil, on reactor: Reactor, _ recorder: Recorder? = nil,
            _ tap: GreetingTap? = nil,
            _ change: (inout GenericSettings) -> Void = { _ in }
        ) -> GenericConnector {
            var linkOptions = TCPLink.Options()
            linkOptions.interface = camera.interface
            var settings = GenericSettings(identity: identity)
            settings.waitForPerson = camera.wait
            settings.noProgress = timeout
            let body = camera.bodies.first { $0.isAbout(host, known) }
            settings.traits = body?.traits ?? [:]
            settings.ssh = body?.ssh?.access(in: "\(folder)/ssh")
            settings.driver = camera.driver ?? body?.driver ?? .automatic
            change(&settings)
            return GenericConnector(to: host, settings: settings, reactor: reactor, linkOptions: linkOptions)
            { link in
                let heard = tap?.listen(to: link) ?? link
                guard let recorder else { return heard }
                return RecordingLink(
                    heard, recorder, local: link.localEndpoint, remote: link.remoteEndpoint, isClient: true)
            }
        }
    }
}

extension Home {
    /// What the ledger knows of a body that has said who it is, of those that bear its serial number.
    func memory(of host: HostPort) -> BodyMemory {
        { body in
            let known = try reader().bodies(like: body, at: "\(host)")
            return BodyRecognition.likeliest(body, at: "\(host)", known: known)
        }
    }

    /// What the ledger knows of the body that was last met at this address; nothing before a bridge has run. A ledger that
    /// cannot be read, or not before the next run has brought it up to date, is no reason not to look at a camera.
    func body(at host: HostPort) -> KnownBody? {
        do {
            return try reader().body(at: "\(host)")
        } catch is NothingThere {
            return nil
        } catch {
            printError("tetherline: what is known of the camera is left out: \(Visible("\(error)"))")
            return nil
        }
    }
}
