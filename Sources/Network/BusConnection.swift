import CSystemd
import Glibc
import Posix

/// A connection to D-Bus that never blocks: what is sent waits in a queue, what comes is taken by ``next(until:)``.
///
/// sd-bus is there wherever systemd is, speaks the protocol that all others on the bus speak, and works without
/// threads or callbacks of its own. It belongs to the reactor's thread.
struct BusConnection: ~Copyable {
    private let bus: OpaquePointer
    private let reactor: Reactor

    /// Begins to connect.
    init(to address: String, _ reactor: Reactor) throws(SystemError) {
        var made: OpaquePointer?
        try Self.check("sd_bus_new", sd_bus_new(&made))
        guard let made else { throw SystemError("sd_bus_new", ENOMEM, on: "D-Bus") }
        do throws(SystemError) {
            try Self.check("connecting", sd_bus_set_address(made, address))
            try Self.check("connecting", sd_bus_set_bus_client(made, 1))
            try Self.check("connecting", sd_bus_start(made))
        } catch {
            sd_bus_unref(made)
            throw error
        }
        bus = made
        self.reactor = reactor
    }

    deinit {
        sd_bus_close_unref(bus)
    }

    static func check(_ call: String, _ result: Int32) throws(SystemError) {
        if result < 0 { throw SystemError(call, -result, on: "D-Bus") }
    }

    /// Sends a call with one text, or none, as its argument. Gives the number that its answer will carry.
    @discardableResult
    func call(
        _ destination: String, _ path: String, _ interface: String, _ member: String, text: String? = nil
    ) throws(SystemError) -> UInt64 {
        var message: OpaquePointer?
        try Self.check(
            "making a call",
            sd_bus_message_new_method_call(bus, &message, destination, path, interface, member))
        defer { sd_bus_message_unref(message) }
        // A service that is not wanted here is not to be started by a question.
        try Self.check("making a call", sd_bus_message_set_auto_start(message, 0))
        if let text {
            let result = text.withCString { sd_bus_message_append_basic(message, BusType.text, $0) }
            try Self.check("making a call", result)
        }
        var cookie: UInt64 = 0
        try Self.check("calling", sd_bus_send(bus, message, &cookie))
        return cookie
    }

    /// The next message, as soon as there is one. Nothing when the deadline has come.
    func next(until deadline: Duration?) async throws(SystemError) -> BusMessage? {
        while true {
            var message: OpaquePointer?
            let result = sd_bus_process(bus, &message)
            if let message { return BusMessage(owning: message) }
            try Self.check("processing", result)
            if result > 0 { continue }
            guard try await wait(until: deadline) else { return nil }
        }
    }

    private func wait(until deadline: Duration?) async throws(SystemError) -> Bool {
        let descriptor = sd_bus_get_fd(bus)
        try Self.check("waiting", descriptor)
        let events = sd_bus_get_events(bus)
        try Self.check("waiting", events)
        let wakening =
            events & POLLOUT != 0
            ? await reactor.waitWritable(descriptor, until: deadline)
            : await reactor.waitReadable(descriptor, until: deadline)
        switch wakening {
        case .ready: return true
        case .deadline: return false
        case .closed, .cancelled: throw SystemError("waiting", ECANCELED, on: "D-Bus")
        }
    }
}

/// Types of values as D-Bus writes them.
enum BusType {
    static let text = CChar(UInt8(ascii: "s"))
    static let path = CChar(UInt8(ascii: "o"))
    static let number = CChar(UInt8(ascii: "u"))
    static let byte = CChar(UInt8(ascii: "y"))
    static let array = CChar(UInt8(ascii: "a"))
    static let entry = CChar(UInt8(ascii: "e"))
    static let variant = CChar(UInt8(ascii: "v"))
}
