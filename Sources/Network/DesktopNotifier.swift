import CSystemd
import Glibc
package import Posix

/// Shows a note on the desktop, where there is one: by the session's bus, as org.freedesktop.Notifications has it.
package struct DesktopNotifier: Sendable {
    package struct Note: Equatable, Sendable {
        package var title: String
        package var text: String
        package var isUrgent: Bool
        /// The note whose place it takes; 0 for none.
        package var replaces: UInt32

        package init(title: String, text: String, isUrgent: Bool, replaces: UInt32 = 0) {
            self.title = title
            self.text = text
            self.isUrgent = isUrgent
            self.replaces = replaces
        }
    }

    private let reactor: Reactor
    private let address: String

    /// A desktop answers in milliseconds; one that the bus has to start takes a little longer.
    private static let timeout = Duration.seconds(5)
    private static let service = "org.freedesktop.Notifications"

    /// Nothing where the environment names no session's bus.
    package init?(_ reactor: Reactor, environment: (String) -> String? = { Program.environment($0) }) {
        self.reactor = reactor
        if let named = environment("DBUS_SESSION_BUS_ADDRESS"), !named.isEmpty {
            address = named
        } else if let folder = environment("XDG_RUNTIME_DIR"), access("\(folder)/bus", F_OK) == 0 {
            address = "unix:path=\(folder)/bus"
        } else {
            return nil
        }
    }

    /// Gives the note's number.
    @discardableResult
    package func show(_ note: Note) async throws(SystemError) -> UInt32 {
        let bus = try BusConnection(to: address, reactor)
        let cookie = try bus.call(
            Self.service, "/org/freedesktop/Notifications", Self.service, "Notify", mayStartService: true
        ) { arguments throws(SystemError) in
            // "Notify(s app_name, u replaces_id, s app_icon, s summary, s body, as actions, a{sv} hints, i expire_timeout)"
            // (Desktop Notifications Specification 1.2).
            try arguments.add("Tetherline")
            try arguments.add(note.replaces)
            try arguments.add("camera-photo")
            try arguments.add(note.title)
            try arguments.add(Self.withoutMarkup(note.text))
            try arguments.container(BusType.array, "s") { _ throws(SystemError) in }
            try arguments.container(BusType.array, "{sv}") { hints throws(SystemError) in
                try hints.container(BusType.entry, "sv") { entry throws(SystemError) in
                    try entry.add("urgency")
                    // "2: Critical"; those stay until they are taken away.
                    try entry.container(BusType.variant, "y") { value throws(SystemError) in
                        try value.add(byte: note.isUrgent ? 2 : 1)
                    }
                }
            }
            // "-1: the notification's expiration time is dependent on the notification server's settings".
            try arguments.add(expiry: -1)
        }
        let deadline = reactor.now + Self.timeout
        while let message = try await bus.next(until: deadline) {
            guard message.answers == cookie else { continue }
            if let problem = message.errorText {
                let isAbsent = message.errorName == "org.freedesktop.DBus.Error.ServiceUnknown"
                throw SystemError(
                    "showing a note (\(problem))", isAbsent ? ENOENT : ECONNREFUSED, on: "the desktop")
            }
            return try message.number()
        }
        throw SystemError("showing a note", ETIMEDOUT, on: "the desktop")
    }

    /// "Markup is XML-based": a body is read so by some desktops.
    private static func withoutMarkup(_ text: String) -> String {
        text.replacing("&", with: "&amp;").replacing("<", with: "&lt;").replacing(">", with: "&gt;")
    }
}
