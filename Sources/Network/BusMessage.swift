import CSystemd
import Posix

/// A message of the bus, read from its beginning to its end.
struct BusMessage: ~Copyable {
    private let message: OpaquePointer

    init(owning message: OpaquePointer) {
        self.message = message
    }

    deinit {
        sd_bus_message_unref(message)
    }

    /// The number of the call that it answers.
    var answers: UInt64? {
        var cookie: UInt64 = 0
        return sd_bus_message_get_reply_cookie(message, &cookie) >= 0 ? cookie : nil
    }

    var isError: Bool { sd_bus_message_is_method_error(message, nil) > 0 }

    /// What kind of refusal it is.
    var errorName: String? {
        guard isError, let name = sd_bus_message_get_error(message)?.pointee.name else { return nil }
        return String(cString: name)
    }

    /// Why a call was refused; nothing where it was not.
    var errorText: String? {
        guard isError, let error = sd_bus_message_get_error(message) else { return nil }
        return (error.pointee.message ?? error.pointee.name).map { String(cString: $0) } ?? "refused"
    }

    func isSignal(_ interface: String, _ member: String) -> Bool {
        sd_bus_message_is_signal(message, interface, member) > 0
    }

    func text(_ type: CChar = BusType.text) throws(SystemError) -> String {
        var text: UnsafePointer<CChar>?
        try BusConnection.check("reading", sd_bus_message_read_basic(message, type, &text))
        return text.map { String(cString: $0) } ?? ""
    }

    func number() throws(SystemError) -> UInt32 {
        var number: UInt32 = 0
        try BusConnection.check("reading", sd_bus_message_read_basic(message, BusType.number, &number))
        return number
    }

    /// Calls `body` for each entry of a dictionary with such entries.
    func forEach(
        _ contents: String, _ body: (borrowing BusMessage) throws(SystemError) -> Void
    ) throws(SystemError) {
        try BusConnection.check(
            "reading", sd_bus_message_enter_container(message, BusType.array, "{\(contents)}"))
        while true {
            let result = sd_bus_message_enter_container(message, BusType.entry, contents)
            try BusConnection.check("reading", result)
            if result == 0 { break }
            try body(self)
            try BusConnection.check("reading", sd_bus_message_exit_container(message))
        }
        try BusConnection.check("reading", sd_bus_message_exit_container(message))
    }

    func skip(_ contents: String) throws(SystemError) {
        try BusConnection.check("reading", sd_bus_message_skip(message, contents))
    }

    /// A value of any type; nothing for a type that is not used here.
    func variant() throws(SystemError) -> BusValue? {
        var type: CChar = 0
        var contents: UnsafePointer<CChar>?
        try BusConnection.check("reading", sd_bus_message_peek_type(message, &type, &contents))
        let signature = contents.map { String(cString: $0) } ?? ""
        guard ["s", "o", "u", "ay"].contains(signature) else {
            try skip("v")
            return nil
        }
        try BusConnection.check(
            "reading", sd_bus_message_enter_container(message, BusType.variant, signature))
        let value: BusValue
        switch signature {
        case "u":
            value = .number(try number())
        case "ay":
            var bytes: UnsafeRawPointer?
            var count = 0
            try BusConnection.check(
                "reading", sd_bus_message_read_array(message, BusType.byte, &bytes, &count))
            value = .bytes(Array(UnsafeRawBufferPointer(start: bytes, count: count)))
        case let type:
            value = .text(try text(type == "o" ? BusType.path : BusType.text))
        }
        try BusConnection.check("reading", sd_bus_message_exit_container(message))
        return value
    }
}

/// A property's value.
enum BusValue: Equatable, Sendable {
    case text(String)
    case number(UInt32)
    case bytes([UInt8])

    var text: String? { if case .text(let text) = self { text } else { nil } }
    var number: UInt32? { if case .number(let number) = self { number } else { nil } }
    var bytes: [UInt8]? { if case .bytes(let bytes) = self { bytes } else { nil } }
}
