import Basics
import Glibc
import Synchronization
import TestSupport
import Testing

/// nginx as a CDN: it keeps what it may, for as long as it may, and asks a gallery for the rest.
final class CachingProxy: Sendable {
    static let isThere = (Tool("nginx") ?? Tool("/usr/sbin/nginx")) != nil && Tool.isThere("md5sum")

    let port: UInt16
    private let folder: TemporaryFolder
    private let daemon = Mutex<Daemon?>(nil)

    var url: String { "http://127.0.0.1:\(port)" }
    /// A program that makes it forget the addresses that are its arguments.
    var forgetting: String { folder.file("forget") }
    /// Addresses that this program was given, and how often.
    var forgotten: [String] {
        get throws {
            String(decoding: try readFile(folder.file("forgotten")), as: UTF8.self)
                .split(separator: "\n").map(String.init)
        }
    }

    init() throws {
        folder = try TemporaryFolder()
        // Its workers are another user's when it is started by the superuser.
        chmod(folder.path, 0o755)
        port = try FreePort.next()
        // What it keeps is in files that are named after what was asked for.
        try folder.writeProgram(
            """
            #!/bin/sh
            for url; do
              path=/${url#*://*/}
              rm -f "\(folder.path)/cache/$(printf %s "$path" | md5sum | cut -c1-32)"
              echo "$url" >> "\(folder.path)/forgotten"
            done

            """, to: "forget")
    }

    func start(before gallery: UInt16) throws {
        try folder.write(
            """
            daemon off;
            worker_processes 1;
            pid \(folder.path)/pid;
            error_log stderr notice;
            events {}
            http {
              access_log off;
              client_body_temp_path \(folder.path)/body;
              proxy_temp_path \(folder.path)/proxy;
              fastcgi_temp_path \(folder.path)/fastcgi;
              uwsgi_temp_path \(folder.path)/uwsgi;
              scgi_temp_path \(folder.path)/scgi;
              proxy_cache_path \(folder.path)/cache keys_zone=images:1m inactive=1d use_temp_path=off;
              server {
                listen 127.0.0.1:\(port);
                location /images/ {
                  proxy_pass http://127.0.0.1:\(gallery);
                  proxy_cache images;
                  proxy_cache_key $uri$is_args$args;
                  proxy_cache_revalidate on;
                  add_header X-Cache $upstream_cache_status always;
                }
              }
            }

            """, to: "nginx.conf")
        let nginx = try #require(Tool("nginx") ?? Tool("/usr/sbin/nginx"))
        let started = try Daemon(
            nginx.path, ["-p", folder.path, "-c", folder.file("nginx.conf"), "-e", "stderr"])
        try started.wait(for: "start worker process ")
        daemon.withLock { $0 = started }
    }

    struct Answer: Sendable {
        let status: Int
        /// MISS, HIT, EXPIRED or REVALIDATED.
        let cache: String?
        let cacheControl: String?
    }

    func get(_ path: String) throws -> Answer {
        let answer = try Wire(port).ask("GET", path)
        func header(_ name: String) -> String? {
            answer.head.split(separator: "\r\n").first { $0.lowercased().hasPrefix("\(name.lowercased()): ") }
                .map { String($0.dropFirst(name.count + 2)) }
        }
        return Answer(status: answer.status, cache: header("X-Cache"), cacheControl: header("Cache-Control"))
    }
}

/// An event that is open to all, with photos in it, at the real program.
struct OpenEvent {
    let program: GalleryProgram
    let id: String
    let slug: String

    init(at program: GalleryProgram, allowsOriginals: Bool = true) throws {
        self.program = program
        let made = try program.ask(
            "POST", "/events", #"{"name":"Open house","allowsOriginals":\#(allowsOriginals)}"#)
        id = try #require(made["id"]?.string, "\(made.text)")
        slug = try #require(made["slug"]?.string)
    }

    /// The photo as its host sees it, once it has been worked on.
    func upload(_ name: String) throws -> JSONValue {
        let folder = try TemporaryFolder()
        let made = try #require(Tool("convert")).run(
            ["-size", "640x480", "plasma:", "-quality", "90", folder.file(name)])
        #expect(made.code == 0, "\(made.errors)")
        let count = try readFile(folder.file(name)).count
        let place = try program.ask(
            "POST", "/uploads/presign",
            #"{"eventId":"\#(id)","contentType":"image/jpeg","contentLength":\#(count),"filename":"\#(name)"}"#
        )
        let headers = (place["requiredHeaders"]?.members ?? []).flatMap {
            ["-H", "\($0.key): \($0.value.string ?? "")"]
        }
        let url = try #require(place["putUrl"]?.string, "\(place.text)")
        let said = try #require(Tool("curl")).run(
            ["-s", "-g", "-T", folder.file(name), "-o", "/dev/null", "-w", "%{http_code}"] + headers + [url])
        #expect(said.text == "200", "\(said.errors)")
        let end = try program.ending(of: try #require(place["uploadId"]?.string))
        #expect(end["status"] == "completed", "\(end)")
        let list = try program.ask("GET", "/events/\(id)/photos")
        return try #require(list["photos"]?.array?.first { $0["filename"]?.string == name })
    }

    /// As guests are told of it.
    func guests(of photo: JSONValue) throws -> JSONValue {
        let list = try Wire(program.port).ask("GET", "/e/\(slug)/photos")
        return try #require(list["photos"]?.array?.first { $0["id"] == photo["id"] }, "\(list.text)")
    }

    func hide(_ photo: JSONValue, _ isHidden: Bool = true) throws {
        let id = try #require(photo["id"]?.string)
        let changed = try program.ask("PATCH", "/photos/\(id)", #"{"hidden":\#(isHidden)}"#)
        #expect(changed.status == 200, "\(changed.text)")
    }
}
