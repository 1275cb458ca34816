import Arguments
import Camera
import Capture
import Link
import PTP
import Posix
import Store

/// What every command that connects to a camera takes.
struct ConnectionOptions {
    let host: HostPort
    let isJSON: Bool
    private let identity: Identity
    private let recorder: Recorder?

    static let specs: [OptionSpec] =
        identitySpecs + [
            OptionSpec(
                "record", "FILE",
                "Record the conversation into this pcap file, for Wireshark and camsim --replay."),
            .flag("without-photos", "Leave the bytes of photos out of the recording."),
        ]

    static let identitySpecs: [OptionSpec] = [
        OptionSpec("wait", "TIME", "How long to wait for somebody to press OK on the camera. [3min]"),
        OptionSpec("name", "NAME", "What the camera shows as our name. [Tetherline]"),
        OptionSpec(
            "guid", "GUID",
            "Who we say we are, where a camera was paired with something else. [kept in the home]"),
        OptionSpec(
            "home", "DIR",
            "Where identity, ledger and spool are kept. [$TETHERLINE_HOME, or ~/.local/state/tetherline]"),
        OptionSpec("interface", "NAME", "Connect only through this network interface."),
    ]

    init(_ invocation: Invocation) throws {
        host = try HostPort(invocation.positionals[0], defaultPort: TCPLinks.usualPort)
        isJSON = invocation.has("json")
        identity = try Identity(invocation, Settings())
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

    func session(
        on reactor: Reactor, _ change: (inout CameraSession.Options) -> Void = { _ in }
    ) -> CameraSession {
        identity.session(
            to: host, on: reactor, recorder,
            onProgress: { progress in
                guard case .waitingForPerson = progress else { return }
                printError("The camera has not answered yet: look at its screen and press OK if it asks.")
            }, change)
    }
}

extension ConnectionOptions {
    /// Who we are to a camera, and through what we reach it.
    struct Identity: Sendable {
        private let guid: GUID
        private let name: String
        private let personLimit: Duration
        private let interface: String?

        init(_ invocation: Invocation, _ settings: Settings) throws {
            interface = invocation.value("interface")
            personLimit =
                try invocation.duration("wait", in: .seconds(1)...(.seconds(86_400))) ?? settings.cameraWait
                ?? .seconds(180)
            name = invocation.value("name") ?? settings.cameraName ?? "Tetherline"
            if let text = invocation.value("guid") {
                guard let guid = GUID(text: text) else {
                    throw UsageError("--guid is 32 hexadecimal digits, not '\(text)'.")
                }
                self.guid = guid
            } else {
                guid = try Home(invocation.value("home")).identity()
            }
        }

        func session(
            to host: HostPort, on reactor: Reactor, _ recorder: Recorder? = nil,
            onProgress: @escaping @Sendable (ConnectionProgress) -> Void,
            _ change: (inout CameraSession.Options) -> Void = { _ in }
        ) -> CameraSession {
            var linkOptions = TCPLink.Options()
            linkOptions.interface = interface
            var options = CameraSession.Options(identity: InitCommandRequest(guid: guid, name: name))
            options.patience.person = personLimit
            options.onProgress = onProgress
            change(&options)
            let links = TCPLinks(to: host, options: linkOptions, reactor: reactor)
            return CameraSession(
                links: recorder.map { RecordedLinks(links, $0) } ?? links, executor: reactor, time: reactor,
                options: options)
        }
    }
}

/// Links that are recorded as they come up.
private struct RecordedLinks: LinkOpening {
    private let inner: TCPLinks
    private let recorder: Recorder

    init(_ inner: TCPLinks, _ recorder: Recorder) {
        self.inner = inner
        self.recorder = recorder
    }

    var target: String { inner.target }

    func open(_ channel: Channel) async throws(LinkError) -> any ByteLink {
        let link = try await inner.connect()
        return RecordingLink(
            link, recorder, local: link.localEndpoint, remote: link.remoteEndpoint, isClient: true)
    }
}
