package import Bridge
import Glibc
package import Posix

/// What a service that manages networks knows about interfaces, by their names.
package protocol ManagedNetworks: Sendable {
    /// As it is now; nothing where no service manages any.
    func facts() async -> [String: ManagedFacts]
    /// Listens until the task is cancelled. Says so each time that ``facts()`` has changed, and once when it is known
    /// for the first time, which is soon, even where there is no such service.
    func run(_ onChange: @Sendable () -> Void) async
}

/// NetworkManager, where it runs. Where it does not, or where there is no bus, nothing is known, and that is no error.
package actor NetworkManager: ManagedNetworks {
    private let reactor: Reactor
    private let address: String
    private var known: [String: ManagedFacts] = [:]
    private var hasSaid = false

    package nonisolated var unownedExecutor: UnownedSerialExecutor { reactor.asUnownedSerialExecutor() }

    /// It answers in milliseconds.
    private static let timeout = Duration.seconds(3)
    /// A bus that went, or never was, is looked for again: no other sign of it comes.
    private static let untilNextLook = Duration.seconds(60)

    /// By default the system's bus, wherever the environment says that it is.
    package init(_ reactor: Reactor, address: String? = nil) {
        self.reactor = reactor
        self.address =
            address ?? Program.environment("DBUS_SYSTEM_BUS_ADDRESS")
            ?? "unix:path=/run/dbus/system_bus_socket"
    }

    package func facts() -> [String: ManagedFacts] { known }

    package func run(_ onChange: @Sendable () -> Void) async {
        while !Task.isCancelled {
            do throws(SystemError) {
                try await listen(onChange)
            } catch {
                if Task.isCancelled { return }
                // What it said last may be long untrue.
                learn([:], onChange)
            }
            do {
                try await reactor.sleep(until: reactor.now + Self.untilNextLook)
            } catch {
                return
            }
        }
    }

    private func learn(_ facts: [String: ManagedFacts], _ onChange: @Sendable () -> Void) {
        guard facts != known || !hasSaid else { return }
        known = facts
        hasSaid = true
        onChange()
    }

    private func listen(_ onChange: @Sendable () -> Void) async throws(SystemError) {
        let bus = try BusConnection(to: address, reactor)
        // Subscribed first and asked then: what changes in between is told.
        for rule in Self.rules {
            try bus.call(
                "org.freedesktop.DBus", "/org/freedesktop/DBus", "org.freedesktop.DBus", "AddMatch",
                text: rule)
        }
        var question: (cookie: UInt64, until: Duration)? = try ask(bus)
        var mayHaveChanged = false
        while true {
            guard let message = try await bus.next(until: question?.until) else {
                throw SystemError("asking NetworkManager", ETIMEDOUT, on: "D-Bus")
            }
            if message.answers == question?.cookie, question != nil {
                question = nil
                // An error when NetworkManager does not run: the bus itself answers that.
                learn(message.isError ? [:] : try ManagedObjects(message).facts, onChange)
            } else if try isWorthAsking(message) {
                mayHaveChanged = true
            }
            // One question at a time, however many signals there are.
            if mayHaveChanged, question == nil {
                mayHaveChanged = false
                question = try ask(bus)
            }
        }
    }

    private func ask(_ bus: borrowing BusConnection) throws(SystemError) -> (cookie: UInt64, until: Duration)
    {
        let cookie = try bus.call(
            ManagedObjects.name, "/org/freedesktop", "org.freedesktop.DBus.ObjectManager", "GetManagedObjects"
        )
        return (cookie, reactor.now + Self.timeout)
    }

    /// The bus passes on only what may matter: access points come and go with every scan.
    private static let rules: [String] = {
        let from = "type='signal',sender='\(ManagedObjects.name)'"
        let changed = "interface='org.freedesktop.DBus.Properties',member='PropertiesChanged'"
        return [
            "type='signal',sender='org.freedesktop.DBus',member='NameOwnerChanged',arg0='\(ManagedObjects.name)'",
            "\(from),\(changed),arg0='\(ManagedObjects.device)'",
            "\(from),\(changed),arg0='\(ManagedObjects.wireless)'",
            "\(from),interface='org.freedesktop.DBus.ObjectManager',arg0path='/org/freedesktop/NetworkManager/Devices/'",
        ]
    }()

    private func isWorthAsking(_ message: borrowing BusMessage) throws(SystemError) -> Bool {
        if message.isSignal("org.freedesktop.DBus.Properties", "PropertiesChanged") {
            guard try message.text() == ManagedObjects.wireless else { return true }
            // Its bit rate changes all the time.
            var isWorth = false
            try message.forEach("sv") { message throws(SystemError) in
                if try message.text() == "ActiveAccessPoint" { isWorth = true }
                try message.skip("v")
            }
            return isWorth
        }
        return message.isSignal("org.freedesktop.DBus", "NameOwnerChanged")
            || message.isSignal("org.freedesktop.DBus.ObjectManager", "InterfacesAdded")
            || message.isSignal("org.freedesktop.DBus.ObjectManager", "InterfacesRemoved")
    }
}
