import Basics
import TestSupport
import Testing

/// A camera that looks for a computer, as a Canon compact does, played by Python from the UPnP Device Architecture.
@Suite(
    .enabled(if: NetworkSpace.isPossible, "network namespaces need root and iproute2"),
    .enabled(if: Tool.isThere("python3"), "python3 is not installed"))
struct HostDescriptionTests {
    private static let compact = #"""
        import socket, sys, urllib.request, xml.etree.ElementTree as tree
        s = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        s.bind(("10.9.0.2", 0))
        s.setsockopt(socket.IPPROTO_IP, socket.IP_MULTICAST_IF, socket.inet_aton("10.9.0.2"))
        s.settimeout(0.5)
        search = b"M-SEARCH * HTTP/1.1\r\nHOST: 239.255.255.250:1900\r\nMAN: \"ssdp:discover\"\r\nMX: 1\r\nST: upnp:rootdevice\r\n\r\n"
        for _ in range(40):
            s.sendto(search, ("239.255.255.250", 1900))
            try:
                data, sender = s.recvfrom(4096)
                break
            except TimeoutError:
                pass
        lines = data.decode().split("\r\n")
        assert lines[0] == "HTTP/1.1 200 OK" and lines[-2:] == ["", ""], lines
        headers = dict((l.split(":", 1)[0].upper(), l.split(":", 1)[1].strip()) for l in lines[1:-2])
        assert headers["ST"] == "upnp:rootdevice" and "EXT" in headers, headers
        assert headers["LOCATION"].startswith("http://10.9.0.1:") and sender[0] == "10.9.0.1", headers
        with urllib.request.urlopen(headers["LOCATION"], timeout=5) as answer:
            root = tree.fromstring(answer.read())
        ns = "{urn:schemas-upnp-org:device-1-0}"
        device = root.find(ns + "device")
        udn = device.find(ns + "UDN").text
        assert headers["USN"] == udn + "::upnp:rootdevice", headers
        place = headers["LOCATION"].split("/")[2].split(":")
        for raw in [b"GET /etc/passwd HTTP/1.1\r\n\r\n", b"\x00" * 5000, b"GET / "]:
            with socket.create_connection((place[0], int(place[1])), timeout=10) as c:
                try:
                    c.sendall(raw)
                    c.shutdown(socket.SHUT_WR)
                    said = c.recv(4096)
                except OSError:
                    # It hangs up on what is no request.
                    said = b""
                assert said == b"" or said.startswith(b"HTTP/1.1 404 "), said
        print(udn, device.find(ns + "friendlyName").text)
        """#

    @Test("a camera that looks for a computer is told of this one, by the same UUID each time")
    func compact() throws {
        let cable = try Cable()
        let person = try Operator()
        try person.settings("{camera: {name: 'Desk & <Hall>'}}")
        var said: Set<String> = []
        for _ in 1...2 {
            let words = cable.near.words([
                Built.tetherline, "camera", "discover", "--upnp", "--watch", "--home", person.home,
            ])
            let watch = try Daemon(#require(Tool(words[0])).path, Array(words.dropFirst()))
            try watch.wait(for: "looking on w0")
            let camera = cable.far.words(["python3", "-c", Self.compact])
            let run = try #require(Tool(camera[0])).run(Array(camera.dropFirst()))
            #expect(run.code == 0, "\(run.errors)")
            said.formUnion(run.lines)
            #expect(watch.stop() == 0)
        }
        let only = try #require(said.count == 1 ? said.first : nil)
        #expect(only.hasPrefix("uuid:") && only.hasSuffix(" Desk & <Hall>"), "\(said)")
        // It tells nothing of what is a password to paired cameras.
        let secret = String(
            decoding: try readFile(person.folder.file("home/identity")), as: UTF8.self
        ).filter(\.isHexDigit)
        #expect(!only.filter(\.isHexDigit).contains(secret) && secret.count == 32)
    }

    /// From each of these networks, one after another and then from the first again, a search and the description.
    private static let networks = #"""
        import socket, sys, urllib.request
        search = b"M-SEARCH * HTTP/1.1\r\nHOST: 239.255.255.250:1900\r\nMAN: \"ssdp:discover\"\r\nMX: 1\r\nST: upnp:rootdevice\r\n\r\n"
        for network in sys.argv[1:]:
            s = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
            s.bind((network + ".2", 0))
            s.setsockopt(socket.IPPROTO_IP, socket.IP_MULTICAST_IF, socket.inet_aton(network + ".2"))
            s.settimeout(0.5)
            data = b""
            for _ in range(20):
                s.sendto(search, ("239.255.255.250", 1900))
                try:
                    data, sender = s.recvfrom(4096)
                    break
                except TimeoutError:
                    pass
            places = [l.split(" ")[1] for l in data.decode().split("\r\n") if l.startswith("LOCATION:")]
            assert len(places) == 1 and places[0].startswith("http://" + network + ".1:"), (network, data)
            with urllib.request.urlopen(places[0], timeout=5) as answer:
                assert b"<friendlyName>" in answer.read()
        print("all")
        """#

    @Test("a computer that has had many addresses is described at each of them")
    func manyAddresses() throws {
        let cable = try Cable()
        let person = try Operator()
        let networks = (1...12).map { "10.9.\($0)" }
        try cable.near.ip(networks.map { "addr add \($0).1/24 dev w0" }.joined(separator: "\n"))
        try cable.far.ip(networks.map { "addr add \($0).2/24 dev w1" }.joined(separator: "\n"))
        let words = cable.near.words([
            Built.tetherline, "camera", "discover", "--upnp", "--watch", "--home", person.home,
        ])
        let watch = try Daemon(#require(Tool(words[0])).path, Array(words.dropFirst()))
        try watch.wait(for: "looking on w0")
        let camera = cable.far.words(["python3", "-c", Self.networks] + networks + [networks[0]])
        let run = try #require(Tool(camera[0])).run(Array(camera.dropFirst()))
        #expect(run.lines == ["all"], "\(run.errors)")
        #expect(watch.stop() == 0)
    }
}
