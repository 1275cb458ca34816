import Network
import Posix
import TestSupport
import Testing

/// Against the notification service of python-dbusmock on a bus of its own.
@Suite(.enabled(if: PrivateBus.isPossible, "dbus-daemon, dbus-send or python3-dbusmock is not installed"))
struct DesktopNotifierTests {
    private static func notifier(_ reactor: Reactor, _ environment: [String: String]) -> DesktopNotifier? {
        DesktopNotifier(reactor, environment: { environment[$0] })
    }

    @Test("a note is shown with its title, text without markup, and urgency; numbers are the service's")
    func shows() async throws {
        let bus = try PrivateBus()
        let service = try Daemon(
            PrivateBus.python, ["-u", "-m", "dbusmock", "--template", "notification_daemon"],
            environment: ["DBUS_SESSION_BUS_ADDRESS": bus.address])
        try bus.wait(for: "org.freedesktop.Notifications")
        let reactor = try Reactor(name: "test")
        let desktop = try #require(Self.notifier(reactor, ["DBUS_SESSION_BUS_ADDRESS": bus.address]))
        let first = try await Task(executorPreference: reactor) {
            try await desktop.show(.init(title: "A camera is away", text: "Z 9 <b> & more", isUrgent: true))
        }.value
        let second = try await Task(executorPreference: reactor) {
            try await desktop.show(.init(title: "Over", text: "é", isUrgent: false, replaces: first))
        }.value
        #expect(first == 1 && second == 1, "what takes another's place has its number")
        // As the mock says what it was asked: "TIME Notify ARGUMENTS".
        try service.wait(for: " Notify ", times: 2)
        let calls = service.output.filter { $0.contains(" Notify ") }
        #expect(
            calls.first?.contains(
                #"Notify "Tetherline" 0 "camera-photo" "A camera is away" "Z 9 &lt;b&gt; &amp; more" [] {"urgency": 2} -1"#
            )
                == true, "\(calls)")
        #expect(calls.last?.contains(#""Over" "é" [] {"urgency": 1} -1"#) == true, "\(calls)")
    }

    @Test(
        "a bus without a desktop, and one that is not there, are errors with their reasons; no session is none"
    )
    func absent() async throws {
        let bus = try PrivateBus()
        let reactor = try Reactor(name: "test")
        for address in [bus.address, "unix:path=/nonexistent/bus"] {
            let desktop = try #require(Self.notifier(reactor, ["DBUS_SESSION_BUS_ADDRESS": address]))
            let error = await #expect(throws: SystemError.self) {
                try await Task(executorPreference: reactor) {
                    try await desktop.show(.init(title: "t", text: "t", isUrgent: false))
                }.value
            }
            #expect(error?.kind == .missing, "\(address): \(error.map { "\($0)" } ?? "")")
        }
        #expect(Self.notifier(reactor, [:]) == nil)
        #expect(Self.notifier(reactor, ["XDG_RUNTIME_DIR": "/nonexistent"]) == nil)
    }
}

extension PrivateBus {
    /// Until a service has that name on it.
    func wait(for name: String) throws {
        for _ in 0..<2000 {
            let answer = try send(
                to: "org.freedesktop.DBus", at: "/org/freedesktop/DBus", "org.freedesktop.DBus.NameHasOwner",
                "string:\(name)")
            if answer.contains("true") { return }
        }
        Issue.record("\(name) never came")
    }
}
