import Glibc

/// A socket that the service manager has opened and keeps open while this program is started anew, passed on by the protocol
/// of sd_listen_fds(3).
package final class InheritedSocket: Sendable {
    package struct Unusable: Error, Equatable, CustomStringConvertible {
        package let description: String
    }

    private let socket: Socket
    /// Where it listens.
    package let endpoint: IPEndpoint

    /// Passed descriptors begin behind the standard ones.
    private static let first: Int32 = 3
    /// A unit of ours passes one.
    private static let most: Int32 = 64

    private init(_ descriptor: Int32) throws(Unusable) {
        socket = Socket(owning: descriptor)
        var (listens, size) = (Int32(0), socklen_t(MemoryLayout<Int32>.size))
        // Of what is no socket neither question has an answer.
        guard getsockopt(descriptor, SOL_SOCKET, SO_ACCEPTCONN, &listens, &size) == 0, listens != 0,
            let endpoint = socket.localEndpoint
        else {
            throw Unusable(
                description:
                    "descriptor \(descriptor), which the service manager passed, is no TCP socket that listens: ListenStream= "
                    + "in its unit names an address and a port.")
        }
        self.endpoint = endpoint
    }

    /// The one of this name, or the only one; nothing where none was passed to this process. To be called once, before other
    /// programs are started: they do not get it.
    package static func take(
        named name: String, environment: (String) -> String?, process: Int32 = getpid()
    ) throws(Unusable) -> InheritedSocket? {
        guard environment("LISTEN_PID").flatMap({ Int32($0) }) == process,
            let count = environment("LISTEN_FDS").flatMap({ Int32($0) }), (1...most).contains(count)
        else { return nil }
        let names =
            environment("LISTEN_FDNAMES")?.split(separator: ":", omittingEmptySubsequences: false) ?? []
        for descriptor in first..<first + count { _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC) }
        guard let index = names.firstIndex(where: { $0 == name }) ?? (count == 1 ? 0 : nil), index < count
        else { return nil }
        return try InheritedSocket(first + Int32(index))
    }

    /// A descriptor of its own for the one who serves it, who closes it.
    package func duplicate() throws(SystemError) -> Int32 {
        let copy = try check("fcntl", on: "\(endpoint)") {
            fcntl(socket.descriptor, F_DUPFD_CLOEXEC, 0)
        }
        // Others may be faster in taking a connection.
        let flags = fcntl(copy, F_GETFL)
        _ = fcntl(copy, F_SETFL, flags | O_NONBLOCK)
        return copy
    }
}
