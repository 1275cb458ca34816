import Glibc
import Posix
import Synchronization

/// A port at which no program listens, for programs that cannot choose one themselves.
///
/// Between the choice and the program's start any connection of any test may take a port of the range that the system
/// gives away by itself. These are below that range, and test processes that run beside each other begin far apart.
public enum FreePort {
    /// Linux gives away 32768 to 60999.
    private static let range = 10_000..<32_000
    private static let taken = Atomic(Int(getpid()) &* 397)

    public static func next() throws -> UInt16 {
        for _ in range {
            let count = taken.wrappingAdd(1, ordering: .relaxed).newValue
            let port = UInt16(range.lowerBound + count % range.count)
            do throws(SystemError) {
                let endpoint = IPEndpoint.loopback(port: port)
                try Socket.make(for: endpoint).bind(to: endpoint)
                return port
            } catch {
                guard error.number == EADDRINUSE else { throw error }
            }
        }
        throw FileProblem(path: "a port", number: EADDRINUSE)
    }
}
