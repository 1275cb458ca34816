import Basics
import Glibc
import TestSupport
import Testing

/// Photos with captions at servers of every kind, delivered by the program; exiftool reads what lies there.
@Suite(
    .timeLimit(.minutes(Cases.minutesOfHang)),
    .enabled(
        if: Tool.isThere("exiftool") && Tool.isThere("heif-enc") && Tool.isThere("convert"),
        "exiftool, heif-enc or ImageMagick is not installed"))
struct CaptionedServerTests {
    enum Kind: String, CaseIterable, CustomTestStringConvertible {
        case bucket
        case sftp
        case ftp
        case webDAV

        var testDescription: String { rawValue }

        var isThere: Bool {
            switch self {
            case .bucket: SeaweedFS.isThere
            case .sftp: SFTPDaemon.isThere
            case .ftp: Tool.isThere(RcloneFTPDaemon.program)
            case .webDAV: DAVServer.isThere
            }
        }
    }

    /// A server that runs, and what lies in it.
    struct Server {
        let url: String
        var environment: [String: String] = [:]
        let files: () throws -> [String: [UInt8]]

        static func files(in folder: TemporaryFolder, below: String) throws -> [String: [UInt8]] {
            try folder.contents().filter { $0.hasPrefix(below) }.reduce(into: [:]) {
                $0[String($1.dropFirst(below.count))] = try readFile(folder.file($1))
            }
        }

        init(_ kind: Kind) async throws {
            switch kind {
            case .bucket:
                let store = try SeaweedFS.shared.get()
                let bucket = try store.makeBucket()
                url = "s3://\(bucket)?metadata=iptc"
                environment = store.environment
                files = {
                    let list = try store.curl([
                        "-H", "Accept: application/json", "\(store.filer)/buckets/\(bucket)/?limit=100",
                    ])
                    let entries =
                        try JSON5.parse(String(decoding: list, as: UTF8.self))["Entries"]?.array ?? []
                    return try entries.compactMap { $0["FullPath"]?.string }.reduce(into: [:]) {
                        files, path in
                        let name = String(path.split(separator: "/").last ?? "")
                        if !name.hasPrefix(".") { files[name] = try store.curl(["\(store.filer)\(path)"]) }
                    }
                }
            case .sftp:
                let daemon = try SFTPDaemon()
                let user = try SystemUser.own().name
                url =
                    "sftp://\(user)@127.0.0.1:\(daemon.port)\(daemon.folder.file("data"))"
                    + "?key=\(daemon.folder.file("key"))&known-hosts=\(daemon.folder.file("known"))&metadata=iptc"
                files = { try Self.files(in: daemon.folder, below: "data/") }
            case .ftp:
                let daemon = try await RcloneFTPDaemon(user: "desk", password: "word")
                url = "ftp://desk@127.0.0.1:\(daemon.port)/in?tls=none&metadata=iptc"
                environment = ["TETHERLINE_FTP_PASSWORD": "word"]
                files = { try Self.files(in: daemon.folder, below: "in/") }
            case .webDAV:
                let server = try DAVServer(
                    server: """
                        root FOLDER/files;
                        location / { dav_methods PUT DELETE MKCOL COPY MOVE; dav_access user:rw; }
                        """)
                server.folder.makeFolder("files")
                url = "webdav://127.0.0.1:\(server.port)/?metadata=iptc"
                files = { try Self.files(in: server.folder, below: "files/") }
            }
        }
    }

    private let person: Operator
    private let card: DatedCard
    private let camera: Camsim

    /// A JPEG with its RAW, and a HEIF, as cameras write them next to each other.
    init() throws {
        person = try Operator()
        try person.settings(
            #"{ captions: { caption: "{event}: {stem} & Zoë", keywords: ["gala", "{event}"] } }"#)
        card = try DatedCard()
        let made = try TemporaryFolder()
        for (name, colour) in [("a.jpg", "red"), ("a.tif", "red"), ("b.png", "blue")] {
            let drawn = try #require(Tool("convert")).run(["-size", "64x48", "xc:\(colour)", made.file(name)])
            #expect(drawn.code == 0, "\(drawn.errors)")
        }
        let encoded = try #require(Tool("heif-enc")).run(["-o", made.file("b.heic"), made.file("b.png")])
        #expect(encoded.code == 0, "\(encoded.errors)")
        for (name, source) in [("IMG_1.JPG", "a.jpg"), ("IMG_1.NEF", "a.tif"), ("IMG_2.HIF", "b.heic")] {
            try card.add(name, "2026-11-20 10:00", content: try readFile(made.file(source)))
        }
        camera = try card.camera()
    }

    private func run(_ server: Server, _ more: String...) throws -> Tool.Output {
        try #require(Tool(Built.tetherline)).run(
            [
                "run", "--event", "Gala", "--destination", server.url, "--camera", camera.address, "--once",
                "--since", "all", "--idle", "300ms",
            ] + more, environment: server.environment.merging(["TETHERLINE_HOME": person.home]) { $1 })
    }

    private func said(_ bytes: [UInt8], _ name: String) throws -> [String] {
        try person.folder.write(bytes, to: name)
        return try #require(Tool("exiftool")).run([
            "-s3", "-sep", " | ", "-f", "-XMP-dc:Description", "-XMP-dc:Subject", person.folder.file(name),
        ]).lines
    }

    private func expectAll(_ server: Server) throws -> [String: [UInt8]] {
        let files = try server.files()
        #expect(files.keys.sorted() == ["IMG_1.JPG", "IMG_1.NEF", "IMG_1.xmp", "IMG_2.HIF", "IMG_2.xmp"])
        for (name, stem) in [("IMG_1.JPG", "IMG_1"), ("IMG_1.xmp", "IMG_1"), ("IMG_2.xmp", "IMG_2")] {
            let bytes = try #require(files[name], "\(name)")
            #expect(try said(bytes, name) == ["Gala: \(stem) & Zoë", "gala | Gala"], "\(name)")
        }
        for name in ["IMG_1.NEF", "IMG_2.HIF"] {
            #expect(try files[name] == readFile(card.folder.file("DCIM/100DATED/\(name)")), "\(name)")
        }
        return files
    }

    @Test(
        "a JPEG says it inside, RAW and HEIF beside them, each once, however often the bridge runs",
        arguments: Kind.allCases.filter(\.isThere))
    func arrive(kind: Kind) async throws {
        let server = try await Server(kind)
        let first = try run(server)
        #expect(first.code == 0, "\(first.text)\(first.errors)")
        let files = try expectAll(server)
        // Other words from now on: what is there is not sent again.
        try person.settings(#"{ captions: { caption: "otherwise" } }"#)
        let second = try run(server)
        #expect(second.code == 0, "\(second.text)\(second.errors)")
        #expect(try server.files() == files)
        let verified = try #require(Tool(Built.tetherline)).run(
            ["verify", "--read-back"],
            environment: server.environment.merging(["TETHERLINE_HOME": person.home]) { $1 })
        #expect(verified.code == 0, "\(verified.text)\(verified.errors)")
    }

    @Test(
        "a bridge that is killed between a photo and its sidecar goes on with the sidecar, and sends no second photo",
        arguments: Kind.allCases.filter(\.isThere))
    func killed(kind: Kind) async throws {
        let server = try await Server(kind)
        let bridge = try Daemon(
            Built.tetherline,
            [
                "run", "--event", "Gala", "--destination", server.url, "--camera", camera.address, "--since",
                "all",
            ], environment: server.environment.merging(["TETHERLINE_HOME": person.home]) { $1 })
        while try server.files().isEmpty { continue }
        bridge.signal(SIGKILL)
        _ = bridge.wait()
        let again = try run(server)
        #expect(again.code == 0, "\(again.text)\(again.errors)")
        _ = try expectAll(server)
    }
}
