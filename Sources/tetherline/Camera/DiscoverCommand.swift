import Arguments
import Basics
import Discovery
import HTTPClient
import Posix
import Store

/// `camera discover`: the cameras that announce themselves on the networks here.
struct DiscoverCommand {
    static let spec: CommandSpec = {
        var spec = CommandSpec("discover", "The cameras that announce themselves on the networks here.")
        spec.discussion = [
            "Listens and asks by mDNS and SSDP. It connects to no camera: most have room for one client, and some leave "
                + "their pairing screen when they are connected to. A camera that announces nothing is reached by its address."
        ]
        spec.options = [
            .flag("watch", "Print arrivals and departures until Ctrl-C."),
            OptionSpec("for", "TIME", "How long to look. [5s; with --watch until Ctrl-C]"),
            OptionSpec(
                "interface", "NAME", mayRepeat: true,
                "Look only on this network interface. [every one that can be used]"),
            .flag(
                "upnp",
                "Answer cameras that look for a computer by UPnP, as Canon's compacts do; not yet seen on a body."
            ),
            OptionSpec(
                "home", "DIR",
                "With --upnp: whose identity they are told. [$TETHERLINE_HOME, or ~/.local/state/tetherline]"),
            .flag("json", "Print JSON, one value a line."),
        ]
        spec.examples = ["tetherline camera discover", "tetherline camera discover --watch --json"]
        return spec
    }()

    private let watches: Bool
    private let isJSON: Bool
    private let time: Duration?
    private let interfaces: [String]
    private let host: HostDescription?

    init(_ invocation: Invocation) throws {
        watches = invocation.has("watch")
        isJSON = invocation.has("json")
        let given = try invocation.duration("for", in: .milliseconds(100)...(.seconds(86_400)))
        time = given ?? (watches ? nil : .seconds(5))
        interfaces = invocation.all("interface")
        let home = Home(invocation.value("home"))
        host =
            invocation.has("upnp")
            ? try ConnectionOptions.Client(try Settings.read(from: home), home).description : nil
    }

    func run(on reactor: Reactor) async throws -> ExitCode {
        // A description is fetched from the camera itself, so nothing of the home's servers matters here.
        let transport = try CurlClient(CurlClient.Configuration(usesProxies: false))
        let view = DiscoverView(watches: watches, isJSON: isJSON)
        let finder = CameraFinder(
            reactor, transport: transport, interfaces: interfaces, random: SystemRandomSource(),
            host: host, tell: { view.tell($0) })
        let looking = Task(executorPreference: reactor) { try await finder.run() }
        let clock = Task(executorPreference: reactor) {
            guard let time = self.time else { return }
            do throws(CancellationError) {
                try await reactor.sleep(until: reactor.now + time)
            } catch {
                return
            }
            looking.cancel()
        }
        let outcome = await withTaskCancellationHandler {
            await looking.result
        } onCancel: {
            looking.cancel()
        }
        clock.cancel()
        await transport.shutDown()
        try outcome.get()
        view.finish(gateway: try await RouteNetlink(reactor).route(to: AccessPoint.elsewhere)?.gateway)
        return .success
    }
}
