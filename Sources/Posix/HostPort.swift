/// What an operator types to name a camera: `192.168.1.1`, `192.168.1.1:15740`, `[fe80::1]:15740`, `camera.local`.
public struct HostPort: Hashable, Sendable {
    public let host: String
    public let port: UInt16

    public init(host: String, port: UInt16) {
        self.host = host
        self.port = port
    }

    public struct Unreadable: Error, Equatable, Sendable, CustomStringConvertible {
        public let text: String
        public let reason: String

        public init(text: String, reason: String) {
            self.text = text
            self.reason = reason
        }

        public var description: String {
            "'\(text)' names no host: \(reason). Write HOST, HOST:PORT, or [IPv6]:PORT."
        }
    }

    public init(_ text: String, defaultPort: UInt16) throws(Unreadable) {
        func refuse(_ reason: String) -> Unreadable { Unreadable(text: text, reason: reason) }
        let host: Substring
        let port: Substring?
        if text.hasPrefix("[") {
            guard let end = text.firstIndex(of: "]") else { throw refuse("the bracket is not closed") }
            host = text[text.index(after: text.startIndex)..<end]
            let rest = text[text.index(after: end)...]
            guard rest.isEmpty || rest.hasPrefix(":") else {
                throw refuse("only :PORT may follow the bracket")
            }
            port = rest.isEmpty ? nil : rest.dropFirst()
        } else if text.filter({ $0 == ":" }).count > 1 {
            // More than one colon: an IPv6 address without brackets, and so without a port.
            host = text[...]
            port = nil
        } else if let colon = text.firstIndex(of: ":") {
            host = text[..<colon]
            port = text[text.index(after: colon)...]
        } else {
            host = text[...]
            port = nil
        }
        guard !host.isEmpty else { throw refuse("the host is empty") }
        guard host.utf8.count <= HostPort.longestHost else { throw refuse("the host is too long") }
        guard !host.contains(where: { $0.isWhitespace || $0 == "/" }) else {
            throw refuse("a host has no spaces or slashes")
        }
        self.host = String(host)
        guard let port else {
            self.port = defaultPort
            return
        }
        guard let number = UInt16(port) else { throw refuse("'\(port)' is no port (0 to 65535)") }
        self.port = number
    }

    /// The longest name that DNS knows.
    private static let longestHost = 253
}

extension HostPort: CustomStringConvertible {
    public var description: String { host.contains(":") ? "[\(host)]:\(port)" : "\(host):\(port)" }
}
