import Glibc
import Posix

/// OpenSSH's server on a port of its own, with keys of its own, for this user.
public final class SFTPDaemon: Sendable {
    public let folder: TemporaryFolder
    public let port: UInt16
    private let daemon: Daemon

    public static var program: Tool? { Tool("/usr/sbin/sshd") }
    public static var isThere: Bool { program != nil && Tool.isThere("ssh-keygen") }
    public static let reason = "sshd is not installed"

    public init() throws {
        guard let sshd = Self.program, let keygen = Tool("ssh-keygen") else { throw Nginx.NotInstalled() }
        folder = try TemporaryFolder()
        port = try FreePort.next()
        for name in ["host", "other", "key", "stranger"] {
            _ = try keygen.run(["-q", "-t", "ed25519", "-N", "", "-f", folder.file(name)])
        }
        try folder.write(try readFile(folder.file("key.pub")), to: "authorized")
        folder.makeFolder("data")
        // Where it separates its rights, when it is started by the superuser.
        mkdir("/run/sshd", 0o755)
        try folder.write(
            """
            ListenAddress 127.0.0.1
            Port \(port)
            HostKey \(folder.file("host"))
            AuthorizedKeysFile \(folder.file("authorized"))
            StrictModes no
            PidFile none
            PasswordAuthentication no
            Subsystem sftp internal-sftp

            """, to: "config")
        daemon = try Daemon(sshd.path, ["-D", "-e", "-f", folder.file("config")])
        try daemon.wait(for: "Server listening")
        try writeKnownHosts("host")
    }

    public func writeKnownHosts(_ key: String) throws {
        let words = String(decoding: try readFile(folder.file("\(key).pub")), as: UTF8.self).split(
            separator: " ")
        try folder.write("[127.0.0.1]:\(port) \(words[0]) \(words[1])\n", to: "known")
    }
}

/// vsftpd for every user, with one folder that may be written to.
public final class FTPDaemon: Sendable {
    public enum Security: Sendable {
        case none
        /// After a word.
        case explicit
        /// From the first byte.
        case implicit
    }

    public let folder: TemporaryFolder
    public let port: UInt16
    private let daemon: Daemon

    public static var program: Tool? { Tool("/usr/sbin/vsftpd") }
    /// It gives its rights away, so it wants to have some.
    public static var isThere: Bool { program != nil && geteuid() == 0 && SystemUser(named: "ftp") != nil }
    public static let reason = "vsftpd is not installed, or this is not the superuser"

    public init(_ security: Security, _ pair: CertificateShop.Pair?) async throws {
        guard let vsftpd = Self.program, let user = SystemUser(named: "ftp") else {
            throw Nginx.NotInstalled()
        }
        folder = try TemporaryFolder()
        chmod(folder.path, 0o755)
        for name in ["data", "data/in", "empty"] { folder.makeFolder(name) }
        chown(folder.file("data/in"), user.id, user.group)
        port = try FreePort.next()
        var lines = [
            "listen=YES", "listen_address=127.0.0.1", "listen_port=\(port)", "background=NO",
            "anonymous_enable=YES",
            "local_enable=NO", "write_enable=YES", "anon_upload_enable=YES", "anon_mkdir_write_enable=YES",
            "anon_other_write_enable=YES", "anon_world_readable_only=NO", "anon_umask=022",
            "anon_root=\(folder.file("data"))", "secure_chroot_dir=\(folder.file("empty"))",
            "seccomp_sandbox=NO",
            "xferlog_enable=NO", "pasv_address=127.0.0.1",
        ]
        if let pair, security != .none {
            lines += [
                "ssl_enable=YES", "allow_anon_ssl=YES", "force_anon_data_ssl=YES",
                "force_anon_logins_ssl=YES",
                "rsa_cert_file=\(pair.certificate)", "rsa_private_key_file=\(pair.key)", "ssl_ciphers=HIGH",
                "implicit_ssl=\(security == .implicit ? "YES" : "NO")",
            ]
        }
        try folder.write(lines.joined(separator: "\n") + "\n", to: "vsftpd.conf")
        daemon = try Daemon(vsftpd.path, [folder.file("vsftpd.conf")])
        try await FreePort.waitUntilTaken(port)
    }
}

/// rclone in front of a folder: a server of FTP's that has its own words for what is not there.
/// It remembers no list of the folder, because tests change what lies in it.
public final class RcloneFTPDaemon: Sendable {
    public static let program = ".build/python/bin/rclone"

    public let folder: TemporaryFolder
    public let port: UInt16
    private let daemon: Daemon

    public init(user: String, password: String) async throws {
        folder = try TemporaryFolder()
        folder.makeFolder("in")
        port = try FreePort.next()
        daemon = try Daemon(
            Self.program,
            [
                "serve", "ftp", "--config", "/dev/null", "--dir-cache-time", "0s", "--addr",
                "127.0.0.1:\(port)", "--user", user,
                "--pass", password, folder.path,
            ])
        // It says that it serves before it listens.
        try await FreePort.waitUntilTaken(port)
    }
}

extension FreePort {
    /// For programs that do not say when they listen.
    static func waitUntilTaken(_ port: UInt16) async throws {
        let reactor = try Reactor(name: "knocking")
        defer { reactor.shutDown() }
        let deadline = reactor.now + .seconds(20)
        // On its own thread: on the shared ones it would have few tries beside tests that calculate.
        try await withTaskExecutorPreference(reactor) {
            while true {
                let socket = try Socket.make(for: .loopback(port: port))
                if socket.connect(to: .loopback(port: port)) == .wouldBlock {
                    _ = await reactor.waitWritable(socket.descriptor, until: deadline)
                    if socket.pendingError == 0 { return }
                }
                guard reactor.now < deadline else {
                    throw FileProblem(path: "port \(port)", number: ETIMEDOUT)
                }
                try await reactor.sleep(until: reactor.now + .milliseconds(10))
            }
        }
    }
}
