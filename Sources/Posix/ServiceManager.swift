import Glibc

/// The service manager that has started this program, told how the program is by the protocol of sd_notify(3).
///
/// Nothing waits for it: a message that it does not take at once is left out, and the next one says all of it anew.
package final class ServiceManager: Sendable {
    package enum Notice: Equatable, Sendable {
        /// It has begun its work; what was ordered behind it may begin.
        case ready
        case stopping
        /// Every part of it has answered just now.
        case working
        /// One line for `systemctl status`.
        case status(String)

        var line: String {
            switch self {
            case .ready: "READY=1"
            case .stopping: "STOPPING=1"
            case .working: "WATCHDOG=1"
            case .status(let text): "STATUS=\(oneLine(text))"
            }
        }
    }

    /// Bytes; more than any terminal shows in a line.
    private static let longestStatus = 1000

    private static func oneLine(_ text: String) -> String {
        let short = String(decoding: text.utf8.prefix(longestStatus), as: UTF8.self)
        return String(short.map { $0.isNewline ? " " : $0 })
    }

    /// After so long without ``Notice/working`` the manager ends the program and starts it anew; nothing where it does
    /// not watch.
    package let watchdog: Duration?
    private let descriptor: OwnedDescriptor
    private let address: sockaddr_un
    private let size: socklen_t

    /// Nothing where no manager wants to be told. `process` is who this is: a program that was started by a service is
    /// none itself.
    package init?(
        environment: (String) -> String?, process: Int32 = getpid()
    ) throws(SystemError) {
        guard let path = environment("NOTIFY_SOCKET"), !path.isEmpty else { return nil }
        (address, size) = try Self.address(path)
        let kind = Int32(SOCK_DGRAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue) | Int32(SOCK_NONBLOCK.rawValue)
        descriptor = OwnedDescriptor(
            owning: try check("socket", on: path) { socket(AF_UNIX, kind, 0) })
        let isForUs = environment("WATCHDOG_PID").map { Int32($0) == process } ?? true
        let time = environment("WATCHDOG_USEC").flatMap { Int64($0) }
        watchdog = isForUs ? time.flatMap { $0 > 0 ? .microseconds($0) : nil } : nil
    }

    /// A path, or behind an @ a name that is no file.
    private static func address(_ path: String) throws(SystemError) -> (sockaddr_un, socklen_t) {
        var address = try Socket.localAddress(path)
        let head = MemoryLayout<sockaddr_un>.offset(of: \.sun_path) ?? 0
        guard path.hasPrefix("@") else {
            guard path.hasPrefix("/") else {
                throw SystemError("telling the service manager", EAFNOSUPPORT, on: path)
            }
            return (address, socklen_t(MemoryLayout<sockaddr_un>.size))
        }
        address.sun_path.0 = 0
        return (address, socklen_t(head + path.utf8.count))
    }

    package func tell(_ notices: [Notice]) {
        let bytes = Array(notices.map(\.line).joined(separator: "\n").utf8)
        var address = address
        withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                // It may be about to end itself; there is no other place to say so.
                _ = sendto(descriptor.number, bytes, bytes.count, Int32(MSG_NOSIGNAL), $0, size)
            }
        }
    }
}
