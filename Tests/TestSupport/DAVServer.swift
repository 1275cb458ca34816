/// nginx with what a test writes into its configuration.
public final class DAVServer: Sendable {
    public static let program = "/usr/sbin/nginx"
    public static var isThere: Bool { Tool.isThere(program) }

    public let port: UInt16
    public let folder: TemporaryFolder
    private let daemon: Daemon

    /// `server` is what stands inside `server { }`; "FOLDER" in it is the server's own.
    public init(server: String) throws {
        folder = try TemporaryFolder()
        port = try FreePort.next()
        let path = folder.path
        let configuration = """
            daemon off;
            master_process off;
            pid \(path)/pid;
            error_log stderr notice;
            events { worker_connections 256; }
            http {
                log_format lines '$request_method $uri $status $request_length $remote_user';
                access_log \(path)/access lines;
                client_body_temp_path \(path)/bodies;
                proxy_temp_path \(path)/unused-1;
                fastcgi_temp_path \(path)/unused-2;
                uwsgi_temp_path \(path)/unused-3;
                scgi_temp_path \(path)/unused-4;
                client_max_body_size 0;
                default_type application/octet-stream;
                server {
                    listen 127.0.0.1:\(port);
                    \(server.split(separator: "FOLDER", omittingEmptySubsequences: false).joined(separator: path))
                }
            }
            """
        try folder.write(configuration, to: "nginx.conf")
        daemon = try Daemon(
            Self.program, ["-p", path, "-e", "stderr", "-c", "\(path)/nginx.conf"], isLeashed: true)
        try daemon.wait(for: "using the \"")
    }

    deinit {
        daemon.letGo()
    }

    /// "PUT /a/b.JPG 201 1234", a request a line.
    public func requests() throws -> [String] {
        String(decoding: try readFile(folder.file("access")), as: UTF8.self).split(separator: "\n").map(
            String.init)
    }
}
