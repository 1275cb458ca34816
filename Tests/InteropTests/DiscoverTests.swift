import Basics
import TestSupport
import Testing

/// `tetherline camera discover` across a cable, against announcers that are not ours.
@Suite(
    .enabled(if: NetworkSpace.isPossible, "network namespaces need root and iproute2"),
    .enabled(if: Tool.isThere("python3"), "python3 is not installed"))
struct DiscoverTests {
    private let cable: Cable
    private let folder: TemporaryFolder

    init() throws {
        cable = try Cable()
        folder = try TemporaryFolder()
    }

    private var near: NetworkSpace { cable.near }
    private var far: NetworkSpace { cable.far }

    private func discover(_ words: String..., measuresMemory: Bool = false) throws -> Tool.Output {
        let command = near.words([Built.tetherline, "camera", "discover"] + words)
        return try #require(Tool(command[0])).run(
            Array(command.dropFirst()), environment: ["TETHERLINE_HOME": folder.file("home")],
            measuresMemory: measuresMemory)
    }

    private func cameras(_ output: Tool.Output) throws -> [JSONValue] {
        try output.lines.map { try JSON5.parse($0) }
    }

    @Test("cameras that are there are found within three seconds, by both protocols, and not connected to")
    func found() throws {
        let nikon = try cable.announcer("mdns", "10.9.0.2", "NIKON Z 8")
        let canon = try cable.announcer("ssdp", "10.9.0.3", "uuid:00000000-0000-0000-0001-AABBCCDDEEFF")
        // The same serial number, another camera.
        let second = try cable.announcer("ssdp", "10.9.0.4", "uuid:00000000-0000-0000-0001-AABBCCDDEE00")
        let run = try discover("--json", "--for", "3s")
        #expect(run.code == 0 && run.errors.isEmpty, "\(run.errors)")
        let found = try cameras(run).sorted { $0["address"]?.string ?? "" < $1["address"]?.string ?? "" }
        #expect(found.map { $0["address"]?.string } == ["10.9.0.2", "10.9.0.3", "10.9.0.4"], "\(run.text)")
        #expect(found.map { $0["make"]?.string } == ["Nikon", "Canon", "Canon"])
        #expect(found.map { $0["name"]?.string } == ["NIKON Z 8", "R6 of 10.9.0.3", "R6 of 10.9.0.4"])
        #expect(found.map { $0["serial"]?.string } == [nil, "42", "42"])
        #expect(
            found.allSatisfy {
                $0["next"]?.string?.hasPrefix("tetherline camera info \($0["address"]?.string ?? "")") == true
            })
        let text = try discover("--for", "2s", "--interface", "w0")
        #expect(text.lines.count == 6 && text.text.contains("Canon EOS R6"), "\(text.text)")
        for daemon in [nikon, canon, second] { #expect(!daemon.output.contains("TOUCHED")) }
    }

    @Test("--watch tells who comes and who goes")
    func watch() throws {
        let command = near.words([Built.tetherline, "camera", "discover", "--watch", "--json"])
        let watch = try Daemon(#require(Tool(command[0])).path, Array(command.dropFirst()))
        try watch.wait(for: "looking on w0")
        let nikon = try cable.announcer("mdns", "10.9.0.2", "Z 6III")
        try watch.wait(for: "\"found\"", and: "Z 6III")
        let canon = try cable.announcer("ssdp", "10.9.0.3", "uuid:one")
        try watch.wait(for: "\"found\"", and: "R6 of 10.9.0.3")
        #expect(nikon.stop() == 0)
        try watch.wait(for: "\"gone\"", and: "Z 6III")
        #expect(canon.stop() == 0)
        try watch.wait(for: "\"gone\"", and: "R6 of 10.9.0.3")
        // With another address it is the same camera.
        let again = try cable.announcer("mdns", "10.9.0.2", "Z 8")
        try watch.wait(for: "\"found\"", and: "Z 8")
        again.letGo()
        let moved = try cable.announcer("mdns", "10.9.0.4", "Z 8")
        try watch.wait(for: "\"changed\"", and: "10.9.0.4")
        #expect(watch.stop() == 0)
        #expect(!moved.output.contains("TOUCHED"))
    }

    @Test("a description is asked for where the camera is, whatever proxy the environment names")
    func proxy() throws {
        let canon = try cable.announcer("ssdp", "10.9.0.3", "uuid:one")
        let command = near.words([Built.tetherline, "camera", "discover", "--json", "--for", "2s"])
        let run = try #require(Tool(command[0])).run(
            Array(command.dropFirst()),
            environment: ["http_proxy": "http://10.9.0.2:3128", "all_proxy": "http://10.9.0.2:3128"])
        #expect(try cameras(run).map { $0["model"]?.string } == ["Canon EOS R6"], "\(run.text)\(run.errors)")
        #expect(canon.output.contains { $0.hasPrefix("asked for /dd.xml") })
    }

    @Test("a camera at the address that cameras have on networks of their own is shown with the way there")
    func accessPoint() throws {
        try near.ip("addr add 192.168.122.2/24 dev w0")
        try far.ip("addr add 192.168.122.1/24 dev w1")
        let camera = try cable.announcer("ssdp", "192.168.122.1", "uuid:one")
        let found = try cameras(try discover("--json", "--for", "2s"))
        let next = found.first?["next"]?.string ?? ""
        #expect(
            found.count == 1 && next.hasPrefix("tetherline camera info 192.168.122.1 --interface w0 "),
            "\(next)")
        withExtendedLifetime(camera) {}
    }

    @Test("a port that another program holds for itself costs what is said there, until it is free")
    func held() throws {
        let hold = """
            import socket, time
            s = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
            s.bind(("", 5353))
            print("held", flush=True)
            time.sleep(600)
            """
        let words = near.words(["python3", "-c", hold])
        let holder = try Daemon(#require(Tool(words[0])).path, Array(words.dropFirst()))
        try holder.wait(for: "held")
        let command = near.words([Built.tetherline, "camera", "discover", "--watch", "--json"])
        let watch = try Daemon(#require(Tool(command[0])).path, Array(command.dropFirst()))
        try watch.wait(for: "looking on w0")
        let canon = try cable.announcer("ssdp", "10.9.0.3", "uuid:one")
        try watch.wait(for: "\"found\"", and: "R6 of 10.9.0.3")
        #expect(watch.output.count { $0.contains("224.0.0.251:5353") } == 1, "\(watch.output)")
        let nikon = try cable.announcer("mdns", "10.9.0.2", "Z 8")
        holder.letGo()
        try watch.wait(for: "\"found\"", and: "Z 8")
        #expect(watch.stop() == 0)
        withExtendedLifetime((canon, nikon)) {}
    }

    @Test("none found is no failure, and says what to check; an interface that is not there is one")
    func none() throws {
        let run = try discover("--for", "200ms")
        #expect(run.code == 0 && run.output.isEmpty)
        #expect(run.errors.contains("No camera has announced itself on w0."))
        #expect(run.errors.contains("'Remote control (EOS Utility)'") && run.errors.contains("PC Remote"))
        let missing = try discover("--interface", "wlan7")
        #expect(missing.code != 0 && missing.errors.contains("wlan7"), "\(missing.errors)")
    }

    @Test(
        "lies, recursive XML, documents without end, loops and floods: few lines, little memory, and cameras are found beside them"
    )
    func lies() throws {
        let camera = try cable.announcer("mdns", "10.9.0.2", "Z 8")
        let command = near.words([Built.tetherline, "camera", "discover", "--watch"])
        let watch = try Daemon(#require(Tool(command[0])).path, Array(command.dropFirst()))
        try watch.wait(for: "looking on w0")
        try watch.wait(for: "found", and: "Z 8")
        let liar = try cable.announcer("lie", "10.9.0.3", until: "lied")
        // None of its documents is one: what announces itself is listed, as what it is, and not as what it says.
        try watch.wait(for: "found", and: "uuid:slow")
        let late = try cable.announcer("mdns", "10.9.0.4", "Z 9")
        try watch.wait(for: "found", and: "Z 9")
        let peak = try #require(try watch.peakBytes())
        #expect(peak < Operator.mostMemory, "\(peak >> 20) MiB")
        #expect(watch.stop() == 0)
        let said = watch.output
        #expect(said.count < 40, "\(said.joined(separator: "\n"))")
        #expect(said.count { $0.contains("found") } == 6)
        #expect(said.contains { $0.contains("is not believed: its LOCATION leads to 10.9.0.2") })
        #expect(!said.contains { $0.contains("aaaaaaaaaa") || $0.contains("elsewhere") })
        for daemon in [camera, liar, late] { #expect(!daemon.output.contains("TOUCHED")) }
        // A redirect is not followed.
        #expect(!liar.output.contains("asked for /dd.xml"))
    }

    @Test(
        "avahi's service is found, and avahi beside the command keeps its port",
        .enabled(if: Tool.isThere("avahi-daemon"), "avahi-daemon is not installed"))
    func avahi() throws {
        let here = try avahi(in: near, "beside")
        let there = try avahi(in: far, "NIKON Z 9")
        let found = try cameras(try discover("--json", "--for", "3s"))
        // Its own is heard, too: it is on this network.
        #expect(found.contains { $0["name"]?.string == "NIKON Z 9" && $0["make"]?.string == "Nikon" })
        #expect(found.count == 2, "\(found.map(\.compact))")
        #expect(here.stop() == 0 && there.stop() == 0)
    }

    /// Without D-Bus, and with files of its own where it looks for them.
    private func avahi(in space: NetworkSpace, _ name: String) throws -> Daemon {
        let service = """
            <service-group><name>\(name)</name><service><type>_ptp._tcp</type><port>15740</port></service>\
            </service-group>
            """
        try folder.write(Array(service.utf8), to: "\(space.name).service")
        try folder.write(
            Array("[server]\nuse-ipv6=no\nenable-dbus=no\nhost-name=\(space.name)\n".utf8),
            to: "\(space.name).conf")
        let script = """
            mount --make-rprivate / && mount -t tmpfs tmpfs /run && mkdir "$0" &&
            cp "$0.service" "$0/ptp.service" && mount --bind "$0" /etc/avahi/services &&
            exec avahi-daemon --no-drop-root --no-chroot --no-rlimits -f "$0.conf"
            """
        let command = space.words(["unshare", "-m", "sh", "-c", script, folder.file(space.name)])
        let daemon = try Daemon(#require(Tool(command[0])).path, Array(command.dropFirst()))
        try daemon.wait(for: "successfully established")
        return daemon
    }
}
