import Glibc
import Posix
import TestSupport

private func withLocalAddress(
    _ path: String, _ body: (UnsafePointer<sockaddr>, socklen_t) -> Int32
) throws {
    var address = sockaddr_un()
    address.sun_family = sa_family_t(AF_UNIX)
    withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: path.utf8) }
    let result = withUnsafePointer(to: address) { pointer in
        pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
            body($0, socklen_t(MemoryLayout<sockaddr_un>.size))
        }
    }
    guard result == 0 else { throw FileProblem(path: path, number: errno) }
}

private let kind = Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue)

/// One end of a local socket that does only what a test says. Closed with its last reference.
final class RawClient {
    let descriptor: Int32
    private let reactor: Reactor

    init(_ path: String, _ reactor: Reactor) throws {
        self.reactor = reactor
        descriptor = socket(AF_UNIX, kind, 0)
        try withLocalAddress(path) { connect(descriptor, $0, $1) }
    }

    init(accepting listener: Int32, _ reactor: Reactor) throws {
        self.reactor = reactor
        descriptor = accept(listener, nil, nil)
        guard descriptor >= 0 else { throw FileProblem(path: "accept", number: errno) }
    }

    deinit {
        close(descriptor)
    }

    /// What fits into the socket's buffer.
    func send(_ text: String) {
        let bytes = Array(text.utf8)
        _ = Glibc.send(descriptor, bytes, bytes.count, Int32(MSG_NOSIGNAL))
    }

    /// What has come; empty at the end.
    func receive() async -> String {
        _ = await reactor.waitReadable(descriptor, until: nil)
        var bytes = [UInt8](repeating: 0, count: 1 << 20)
        let count = recv(descriptor, &bytes, bytes.count, 0)
        return String(decoding: bytes.prefix(max(0, count)), as: UTF8.self)
    }

    /// Everything until the end.
    func rest() async -> String {
        var text = ""
        while true {
            let more = await receive()
            if more.isEmpty { return text }
            text += more
        }
    }
}

/// A listening local socket that does only what a test says.
final class RawListener: Sendable {
    let descriptor: Int32
    private let isEnded = Shared(false)

    init(_ path: String, backlog: Int32) throws {
        descriptor = socket(AF_UNIX, kind, 0)
        try withLocalAddress(path) { bind(descriptor, $0, $1) }
        guard listen(descriptor, backlog) == 0 else { throw FileProblem(path: path, number: errno) }
    }

    deinit {
        end()
    }

    func end() {
        let isFirst = isEnded.change { isEnded in
            defer { isEnded = true }
            return !isEnded
        }
        if isFirst { close(descriptor) }
    }
}
