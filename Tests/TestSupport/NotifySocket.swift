import Glibc

/// A datagram socket at a path, where a service manager or its journal would listen.
public final class NotifySocket: @unchecked Sendable {
    public let path: String
    private let folder: TemporaryFolder
    private let descriptor: Int32

    public init() throws {
        folder = try TemporaryFolder()
        path = folder.file("notify")
        descriptor = socket(AF_UNIX, Int32(SOCK_DGRAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        let bytes = Array(path.utf8)
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: bytes) }
        let bound = withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                bind(descriptor, $0, socklen_t(MemoryLayout<sockaddr_un>.size))
            }
        }
        guard bound == 0 else { throw FileProblem(path: path, number: errno) }
    }

    deinit { close(descriptor) }

    /// The next message; nothing when none comes for so long.
    public func receive(within milliseconds: Int32 = 60_000) -> [UInt8]? {
        var waiting = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
        while true {
            let count = poll(&waiting, 1, milliseconds)
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { return nil }
            var bytes = [UInt8](repeating: 0, count: 1 << 16)
            let size = recv(descriptor, &bytes, bytes.count, 0)
            return size < 0 ? nil : Array(bytes.prefix(size))
        }
    }

    /// The lines of the next message.
    public func next(within milliseconds: Int32 = 60_000) -> [String]? {
        receive(within: milliseconds).map {
            String(decoding: $0, as: UTF8.self).split(separator: "\n").map(String.init)
        }
    }

    /// Every message up to the first that has such a line, in order. Nothing when none of so many has.
    public func messages(atMost limit: Int = 200, until isLast: (String) -> Bool) -> [[String]]? {
        var all: [[String]] = []
        while all.count < limit, let message = next() {
            all.append(message)
            if message.contains(where: isLast) { return all }
        }
        return nil
    }
}
