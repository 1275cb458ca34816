import Glibc
import Posix
import TestSupport
import Testing

/// A bus of a test's own with dbusmock's NetworkManager, which starts with the first thing that it is asked.
final class PrivateBus: Sendable {
    let address: String
    private let folder: TemporaryFolder
    private let daemon: Daemon

    static let python = "/usr/bin/python3"

    static let isPossible: Bool = {
        guard Tool.isThere("dbus-daemon"), Tool.isThere("dbus-send"), let python = Tool(python) else {
            return false
        }
        do {
            return try python.run(["-c", "import dbusmock"]).code == 0
        } catch {
            return false
        }
    }()

    init() throws {
        let daemon = try #require(Tool("dbus-daemon"))
        folder = try TemporaryFolder()
        address = "unix:path=\(folder.file("bus"))"
        folder.makeFolder("services")
        try folder.write(
            """
            [D-BUS Service]
            Name=org.freedesktop.NetworkManager
            Exec=/usr/bin/env DBUS_SYSTEM_BUS_ADDRESS=\(address) \(Self.python) -m dbusmock --template networkmanager

            """, to: "services/org.freedesktop.NetworkManager.service")
        try folder.write(
            """
            <!DOCTYPE busconfig PUBLIC "-//freedesktop//DTD D-Bus Bus Configuration 1.0//EN"
             "http://www.freedesktop.org/standards/dbus/1.0/busconfig.dtd">
            <busconfig>
              <type>session</type>
              <listen>\(address)</listen>
              <auth>EXTERNAL</auth>
              <servicedir>\(folder.file("services"))</servicedir>
              <policy context="default">
                <allow send_destination="*" eavesdrop="true"/><allow eavesdrop="true"/><allow own="*"/>
              </policy>
            </busconfig>

            """, to: "bus.conf")
        self.daemon = try Daemon(
            daemon.path, ["--config-file=\(folder.file("bus.conf"))", "--nofork", "--print-address"])
        try self.daemon.wait(for: "unix:path=")
    }

    /// Calls a method of a service on it, and gives what comes back.
    @discardableResult
    func send(
        to destination: String = "org.freedesktop.NetworkManager",
        at path: String = "/org/freedesktop/NetworkManager", _ member: String, _ arguments: String...
    ) throws -> String {
        let tool = try #require(Tool("dbus-send"))
        let output = try tool.run(
            ["--bus=\(address)", "--print-reply=literal", "--dest=\(destination)", path, member] + arguments)
        #expect(output.code == 0, "\(member): \(output.errors)")
        return output.text
    }

    private static let mock = "org.freedesktop.DBus.Mock"

    /// A device that is up; gives its path.
    func addDevice(_ kind: String, _ interface: String) throws -> String {
        let path = try send(
            "\(Self.mock).Add\(kind)Device", "string:\(interface.filter { $0 != "-" })",
            "string:\(interface)",
            "int32:100"
        ).filter { !$0.isWhitespace }
        try send(
            at: path, "\(Self.mock).AddProperty", "string:org.freedesktop.NetworkManager.Device",
            "string:Metered", "variant:uint32:0")
        return path
    }

    /// As NetworkManager does, with a signal.
    func set(_ path: String, _ interface: String, _ property: String, _ value: String) throws {
        try send(
            at: path, "org.freedesktop.DBus.Properties.Set",
            "string:org.freedesktop.NetworkManager.\(interface)", "string:\(property)", "variant:\(value)")
    }

    func stopManager() throws {
        let answer = try send(
            to: "org.freedesktop.DBus", at: "/org/freedesktop/DBus",
            "org.freedesktop.DBus.GetConnectionUnixProcessID", "string:org.freedesktop.NetworkManager")
        let pid = try #require(answer.split(separator: " ").last.flatMap { Int32($0.filter(\.isNumber)) })
        kill(pid, SIGTERM)
    }
}
