import Glibc

/// Sockets that are files: for programs on the same machine.
extension Socket {
    /// What fits into a `sockaddr_un`, the zero at its end not counted.
    static let longestLocalPath = 107

    static func makeLocal() throws(SystemError) -> Socket {
        let kind = Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue) | Int32(SOCK_NONBLOCK.rawValue)
        return Socket(owning: try check("socket", on: "a local socket") { socket(AF_UNIX, kind, 0) })
    }

    /// Listens at a path that is not taken, for this user alone.
    func listen(onLocal path: String, backlog: Int32) throws(SystemError) {
        let address = try Self.localAddress(path)
        try check("bind", on: path) { Self.with(address) { Glibc.bind(descriptor, $0, $1) } }
        // No client can connect before listen, so the rights are set in time.
        try check("setting the rights", on: path) { chmod(path, 0o600) }
        try check("listen", on: path) { Glibc.listen(descriptor, backlog) }
    }

    /// Connects at once or not at all. `.wouldBlock` means that too many others wait to be accepted.
    func connect(toLocal path: String) throws(SystemError) -> Outcome {
        let address = try Self.localAddress(path)
        return perform { Int(Self.with(address) { Glibc.connect(descriptor, $0, $1) }) }
    }

    /// A peer that is gone is an error here and no signal, whatever the program has done about SIGPIPE.
    package func send(_ bytes: ArraySlice<UInt8>) -> Outcome {
        bytes.withUnsafeBytes { bytes in
            perform { Glibc.send(descriptor, bytes.baseAddress, bytes.count, Int32(MSG_NOSIGNAL)) }
        }
    }

    static func localAddress(_ path: String) throws(SystemError) -> sockaddr_un {
        let bytes = Array(path.utf8)
        guard !bytes.isEmpty else { throw SystemError("making a local socket", ENOENT, on: "an empty path") }
        guard bytes.count <= longestLocalPath else {
            throw SystemError(
                "making a local socket of a path of \(bytes.count) bytes, more than \(longestLocalPath),",
                ENAMETOOLONG, on: path)
        }
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: bytes) }
        return address
    }

    private static func with(
        _ address: sockaddr_un, _ body: (UnsafePointer<sockaddr>, socklen_t) -> Int32
    ) -> Int32 {
        withUnsafePointer(to: address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                body($0, socklen_t(MemoryLayout<sockaddr_un>.size))
            }
        }
    }
}
