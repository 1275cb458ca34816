import Glibc
import Posix

/// nginx with WebDAV in a folder of its own.
public final class Nginx: Sendable {
    public let folder: TemporaryFolder
    private let daemon: Daemon
    private let port: UInt16
    private let securePort: UInt16

    public struct NotInstalled: Error {}

    public init(_ pair: CertificateShop.Pair) throws {
        guard let nginx = Tool("nginx") ?? Tool("/usr/sbin/nginx") else { throw NotInstalled() }
        folder = try TemporaryFolder()
        // Its workers are another user's when it is started by the superuser.
        chmod(folder.path, 0o755)
        folder.makeFolder("data")
        chmod(folder.file("data"), 0o777)
        port = try FreePort.next()
        securePort = try FreePort.next()
        try folder.write(
            """
            daemon off;
            worker_processes 1;
            pid \(folder.path)/pid;
            error_log stderr notice;
            events {}
            http {
              log_format short '$request_method $status $http_content_length $connection_requests';
              access_log \(folder.path)/access.log short;
              client_body_temp_path \(folder.path)/body;
              proxy_temp_path \(folder.path)/proxy;
              fastcgi_temp_path \(folder.path)/fastcgi;
              uwsgi_temp_path \(folder.path)/uwsgi;
              scgi_temp_path \(folder.path)/scgi;
              client_max_body_size 0;
              server {
                listen 127.0.0.1:\(port);
                listen 127.0.0.1:\(securePort) ssl;
                ssl_certificate \(pair.certificate);
                ssl_certificate_key \(pair.key);
                root \(folder.path)/data;
                dav_methods PUT DELETE;
              }
            }

            """, to: "nginx.conf")
        daemon = try Daemon(nginx.path, ["-p", folder.path, "-c", folder.file("nginx.conf"), "-e", "stderr"])
        try daemon.wait(for: "start worker process ")
    }

    public var url: String { "http://127.0.0.1:\(port)" }
    public var secureURL: String { "https://localhost:\(securePort)" }
    public func stored(_ name: String) -> String { folder.file("data/\(name)") }

    /// After this everything is in its log.
    public func stop() {
        _ = daemon.stop(SIGQUIT)
    }

    public func log() throws -> [String] {
        String(decoding: try readFile(folder.file("access.log")), as: UTF8.self).split(separator: "\n").map(
            String.init)
    }
}
