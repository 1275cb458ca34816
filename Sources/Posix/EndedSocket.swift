import CLinux
import Glibc

/// A socket whose other end is closed: what reads from it finds its end.
package final class EndedSocket: Sendable {
    private let socket: OwnedDescriptor

    package init() throws(SystemError) {
        var pair: [Int32] = [-1, -1]
        let kind = Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue) | Int32(SOCK_NONBLOCK.rawValue)
        try check("socketpair", on: "this process") { socketpair(AF_UNIX, kind, 0, &pair) }
        socket = OwnedDescriptor(owning: pair[0])
        Glibc.close(pair[1])
    }

    /// It has that number from now on, too, and what had it before has lost it.
    package func take(_ number: Int32) {
        let result = dup2(socket.number, number)
        precondition(result == number, "a descriptor that is open can be replaced")
    }
}
