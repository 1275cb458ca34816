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
        if let path = Self.socket(of: address), access(path, F_OK) != 0 {
            throw SystemError("connecting", errno, on: "D-Bus")
        }
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

    /// Where a bus is nothing but a file's name (D-Bus Specification, "Server Addresses"), it can be seen that there is none
    /// without loading libsystemd for it.
    private static func socket(of address: String) -> String? {
        let start = "unix:path="
        let path = address.dropFirst(start.count)
        return address.hasPrefix(start) && !path.contains { ",;%".contains($0) } ? String(path) : nil
    }

    static func check(_ call: String, _ result: Int32) throws(SystemError) {
        if result < 0 { throw SystemError(call, -result, on: "D-Bus") }
    }

    /// Sends a call with one text, or none, as its argument. Gives the number that its answer will carry.
    @discardableResult
    func call(
        _ destination: String, _ path: String, _ interface: String, _ member: String, text: String? = nil
    ) throws(SystemError) -> UInt64 {
        try call(destination, path, interface, member) { arguments throws(SystemError) in
            if let text { try arguments.add(text) }
        }
    }

    /// The same with whatever `add` adds. A service that is not wanted here is not to be started by a question.
    func call(
        _ destination: String, _ path: String, _ interface: String, _ member: String,
        mayStartService: Bool = false, _ add: (borrowing BusArguments) throws(SystemError) -> Void
    ) throws(SystemError) -> UInt64 {
        var message: OpaquePointer?
        try Self.check(
            "making a call",
            sd_bus_message_new_method_call(bus, &message, destination, path, interface, member))
        defer { sd_bus_message_unref(message) }
        guard let made = message else { throw SystemError("making a call", ENOMEM, on: "D-Bus") }
        try Self.check("making a call", sd_bus_message_set_auto_start(made, mayStartService ? 1 : 0))
        try add(BusArguments(message: made))
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

/// What a call carries, in the making: one value after another, as its signature has them.
struct BusArguments: ~Copyable {
    let message: OpaquePointer

    func add(_ text: String) throws(SystemError) {
        // A zero would end it.
        let result = text.filter { $0 != "\0" }.withCString {
            sd_bus_message_append_basic(message, BusType.text, $0)
        }
        try BusConnection.check("making a call", result)
    }

    func add(_ number: UInt32) throws(SystemError) {
        var number = number
        try BusConnection.check(
            "making a call", sd_bus_message_append_basic(message, BusType.number, &number))
    }

    func add(byte: UInt8) throws(SystemError) {
        var byte = byte
        try BusConnection.check("making a call", sd_bus_message_append_basic(message, BusType.byte, &byte))
    }

    func add(expiry: Int32) throws(SystemError) {
        var expiry = expiry
        try BusConnection.check(
            "making a call", sd_bus_message_append_basic(message, BusType.signed, &expiry))
    }

    func container(
        _ type: CChar, _ contents: String, _ add: (borrowing BusArguments) throws(SystemError) -> Void
    ) throws(SystemError) {
        try BusConnection.check("making a call", sd_bus_message_open_container(message, type, contents))
        try add(self)
        try BusConnection.check("making a call", sd_bus_message_close_container(message))
    }
}

/// Types of values as D-Bus writes them.
enum BusType {
    static let text = CChar(UInt8(ascii: "s"))
    static let path = CChar(UInt8(ascii: "o"))
    static let number = CChar(UInt8(ascii: "u"))
    static let signed = CChar(UInt8(ascii: "i"))
    static let byte = CChar(UInt8(ascii: "y"))
    static let array = CChar(UInt8(ascii: "a"))
    static let entry = CChar(UInt8(ascii: "e"))
    static let variant = CChar(UInt8(ascii: "v"))
}
