import Arguments
import Camera
import Link
import PTP
import Posix

/// What every command that connects to a camera takes.
struct ConnectionOptions {
    let host: HostPort
    let isJSON: Bool
    private let interface: String?
    private let personLimit: Duration
    private let name: String
    private let guid: GUID

    static let specs: [OptionSpec] = [
        OptionSpec("wait", "TIME", "How long to wait for somebody to press OK on the camera. [3min]"),
        OptionSpec("name", "NAME", "What the camera shows as our name. [Tetherline]"),
        OptionSpec(
            "guid", "GUID",
            "Who we say we are, where a camera was paired with something else. [kept in the home]"),
        OptionSpec(
            "home", "DIR", "Where the identity is kept. [$TETHERLINE_HOME, or ~/.local/state/tetherline]"),
        OptionSpec("interface", "NAME", "Connect only through this network interface."),
    ]

    init(_ invocation: Invocation) throws {
        host = try HostPort(invocation.positionals[0], defaultPort: TCPLinks.usualPort)
        isJSON = invocation.has("json")
        interface = invocation.value("interface")
        personLimit = try invocation.duration("wait", in: .seconds(1)...(.seconds(86_400))) ?? .seconds(180)
        name = invocation.value("name") ?? "Tetherline"
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
        on reactor: Reactor, _ change: (inout CameraSession.Options) -> Void = { _ in }
    ) -> CameraSession {
        var linkOptions = TCPLink.Options()
        linkOptions.interface = interface
        var options = CameraSession.Options(identity: InitCommandRequest(guid: guid, name: name))
        options.patience.person = personLimit
        options.onProgress = { progress in
            guard case .waitingForPerson = progress else { return }
            printError("The camera has not answered yet: look at its screen and press OK if it asks.")
        }
        change(&options)
        return CameraSession(
            links: TCPLinks(to: host, options: linkOptions, reactor: reactor), executor: reactor,
            time: reactor,
            options: options)
    }
}
