import Arguments
import Basics
import Bridge
import Camera
import Link
import Posix
import Store

/// Whether anything listens where cameras are said to be. They are not greeted.
struct CamerasCheck: HealthCheck {
    let name = "camera"
    static let usualPort = TCPLinks.usualPort
    private static let patience = Duration.seconds(5)

    func findings(of subject: CheckedHome) async throws -> [Finding] {
        let known = try subject.reader()?.homeCameras() ?? []
        let settings = try Settings.read(from: subject.home).run.cameras
        do {
            if let live = try await Self.live(subject) {
                let named = Set(live.map(\.address))
                let others = subject.cameras.filter { !named.contains("\($0)") }
                return live.map(\.finding) + (await Self.findings(of: others, on: subject.reactor))
            }
        } catch let error as SystemError {
            return [
                .notChecked(
                    "the bridge that runs here holds its cameras, and does not say how they are: \(error)")
            ]
        }
        var hosts = subject.cameras
        for case .address(let host) in settings.map({ $0.resolved(among: known.map(\.expected)) }) {
            if !hosts.contains(host) { hosts.append(host) }
        }
        var findings: [Finding] = []
        for camera in known {
            guard let place = camera.place else { continue }
            let host = try HostPort(place, defaultPort: Self.usualPort)
            if hosts.contains(host) { continue }
            if camera.isAddedByPlace {
                hosts.append(host)
            } else {
                findings.append(
                    .notChecked(
                        "\(camera.line) is not named by its address, which may be another camera's by now: not connected to.",
                        cure:
                            "'tetherline camera discover' looks for it; 'tetherline doctor --camera \(host)' tries that address."
                    ))
            }
        }
        findings += await Self.findings(of: hosts, on: subject.reactor)
        guard findings.isEmpty else { return findings }
        return [
            .notChecked(
                "no camera is known in this home.",
                cure:
                    "'tetherline setup camera' finds one, and says what to press on it; 'tetherline camera discover' looks for "
                    + "one, and 'tetherline camera add HOST' makes it this home's."
            )
        ]
    }

    /// A bridge that runs holds their only places, and knows better.
    private static func live(_ subject: CheckedHome) async throws -> [(address: String, finding: Finding)]? {
        let request: [(key: String, value: JSONValue)] = [(key: "command", value: "status")]
        guard
            let status = try await CommandRouter.ask(
                request, in: subject.home, on: subject.reactor, timeout: patience)
        else { return nil }
        return (status["cameras"]?.array ?? []).map { camera in
            let words = [camera["address"], camera["name"], camera["state"]].compactMap { $0?.string }
            let sentence = words.joined(separator: "  ")
            let address = camera["address"]?.string ?? ""
            guard camera["loss"]?.string != nil else { return (address, .ok(sentence)) }
            return (
                address,
                .failed(
                    sentence,
                    cure: "Do what the line says; 'tetherline status' shows when it is there again.",
                    .unavailable)
            )
        }
    }

    /// All at once: one that does not answer takes the whole patience.
    private static func findings(of hosts: [HostPort], on reactor: Reactor) async -> [Finding] {
        let tries = hosts.map { host in
            Task(executorPreference: reactor) { await finding(host, on: reactor) }
        }
        var findings: [Finding] = []
        for task in tries { findings.append(await task.value) }
        return findings
    }

    private static func finding(_ host: HostPort, on reactor: Reactor) async -> Finding {
        var options = TCPLink.Options()
        options.connectLimit = patience
        do throws(LinkError) {
            let link = try await TCPLink.connect(to: host, options: options, reactor: reactor)
            link.close(.orderly)
            return .notChecked(
                "\(host) lets us connect; it was not greeted, so whether it is a camera and lets us in is not known.",
                cure: "'tetherline camera info \(host)' greets it.")
        } catch {
            return .failed(
                "\(error).",
                cure:
                    "Switch the camera and its Wi-Fi on, choose its connection to a computer, and join the same network; "
                    + "'tetherline camera discover' shows which cameras announce themselves.", .unavailable)
        }
    }
}
