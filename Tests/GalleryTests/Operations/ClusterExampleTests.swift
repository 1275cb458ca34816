import Glibc
import TestSupport
import Testing

/// The examples that operators of several nodes copy, as the programs that they are written for read them.
@Suite struct ClusterExampleTests {
    private static let root = #filePath.split(separator: "/", omittingEmptySubsequences: false).dropLast(4)
        .joined(separator: "/")
    private static let examples = "\(root)/Sources/gallery/gallery.docc/Resources/cluster"

    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    private static func text(_ name: String) throws -> String {
        String(decoding: try readFile("\(examples)/\(name)"), as: UTF8.self)
    }

    /// Debian keeps servers out of the path of those who are not root.
    private static func server(_ name: String) -> Tool? { Tool(name) ?? Tool("/usr/sbin/\(name)") }

    @Test(
        "nginx takes the example for the balancer",
        .enabled(if: server("nginx") != nil && Tool.isThere("openssl"), "nginx or openssl is not installed"))
    func balancer() throws {
        let shop = try CertificateShop()
        let pair = try shop.selfSigned("front", name: "photos.example.org")
        let text = try Self.text("nginx.conf")
            .replacing("/etc/nginx/gallery/chain.pem", with: pair.certificate)
            .replacing("/etc/nginx/gallery/key.pem", with: pair.key)
            .replacing("/var/log/nginx", with: folder.path)
            .replacing("/run/nginx.pid", with: folder.file("pid"))
        try folder.write(text, to: "nginx.conf")
        let judged = try #require(Self.server("nginx")).run([
            "-t", "-c", folder.file("nginx.conf"), "-p", folder.path, "-e", folder.file("error.log"),
        ])
        #expect(judged.code == 0, "\(judged.errors)")
        #expect(!judged.errors.contains("[warn]"), "\(judged.errors)")
        withExtendedLifetime(shop) {}
    }

    @Test(
        "systemd finds nothing wrong with the unit of a node, and grants it little",
        .enabled(if: Tool.isThere("systemd-analyze"), "systemd-analyze is not installed"))
    func unit() throws {
        let text = try Self.text("gallery@.service")
        #expect(text.contains("ExecStart=/usr/local/bin/gallery serve "))
        try folder.write(
            text.replacing("/usr/local/bin/gallery", with: Built.gallery), to: "gallery@.service")
        try folder.write(
            text.replacing("/usr/local/bin/gallery", with: Built.gallery), to: "gallery@a.service")
        let judge = try #require(Tool("systemd-analyze"))
        let verified = try judge.run(["verify", "--man=no", folder.file("gallery@a.service")])
        #expect(verified.code == 0 && verified.errors.isEmpty, "\(verified.errors)")
        // Twenty is an exposure of 2.0; it ends with an error above that.
        let secured = try judge.run([
            "security", "--offline=true", "--threshold=20", "--no-pager", folder.file("gallery@a.service"),
        ])
        #expect(secured.code == 0, "\(secured.text.suffix(200)) \(secured.errors)")
    }

    /// In both, so that an option that is renamed is renamed there, too.
    @Test(
        "the program knows every option that the unit and the compose file give it",
        arguments: ["gallery@.service", "docker-compose.yml"])
    func options(of name: String) throws {
        let help = try #require(Tool(Built.gallery)).run(["serve", "--help"]).text
        let text = try Self.text(name)
        let used = Set(text.matches(of: /(?:^|[\s"])(--[a-z][a-z-]+)/).map { String($0.1) })
            .filter { !["--encoding", "--locale", "--now"].contains($0) }
        #expect(used.count >= 5, "\(used)")
        for option in used {
            let isKnown = help.contains("\(option) ")
            #expect(isKnown, "\(name) gives \(option)")
        }
    }

    @Test(
        "docker-compose reads the compose file, which says that it is untried",
        .enabled(if: Tool.isThere("docker-compose"), "docker-compose is not installed"))
    func compose() throws {
        let judged = try #require(Tool("docker-compose")).run(
            ["-f", "docker-compose.yml", "config", "--services"], in: Self.examples)
        #expect(judged.code == 0, "\(judged.errors)")
        #expect(
            Set(judged.lines) == ["database", "store", "bucket", "node1", "node2", "node3", "front"])
        #expect(try Self.text("docker-compose.yml").contains("UNTRIED"))
    }

    @Test(
        "the compose file makes the bucket that its nodes use, and sends browsers from pages by https to https"
    )
    func composedStore() throws {
        let text = try Self.text("docker-compose.yml")
        let buckets = Set(text.matches(of: /--storage=s3:\/\/([a-z]+)\//).map { String($0.1) })
        #expect(buckets == ["photos"])
        for bucket in buckets { #expect(text.contains("s3.bucket.create -name \(bucket)'")) }
        #expect(text.contains("--public-url=https://"))
        #expect(text.contains("AWS_ENDPOINT_URL: https://"))
        #expect(text.contains("-s3.cert.file=") && text.contains("-s3.key.file="))
    }

    @Test(
        "Prometheus takes the settings and the alerts",
        .enabled(if: Tool.isThere("promtool"), "promtool is not installed"))
    func prometheus() throws {
        // Read with the rules that it names.
        let judged = try #require(Tool("promtool")).run([
            "check", "config", "\(Self.examples)/prometheus.yml",
        ])
        #expect(judged.code == 0, "\(judged.text) \(judged.errors)")
        #expect(judged.text.contains("alerts.yml"), "\(judged.text)")
    }

    @Test(
        "the dashboard is one that Grafana can read: every panel has questions, a place of its own and a number",
        .enabled(if: Tool.isThere("python3"), "python3 is not installed"))
    func dashboard() throws {
        // Numbers of panels, how many of them ask something, and which of two overlap.
        let script = """
            import json, sys
            board = json.load(open(sys.argv[1]))
            panels = board["panels"]
            cells = [(x, y) for p in panels for x in range(p["gridPos"]["x"], p["gridPos"]["x"] + p["gridPos"]["w"])
                     for y in range(p["gridPos"]["y"], p["gridPos"]["y"] + p["gridPos"]["h"])]
            assert len(cells) == len(set(cells)), "panels overlap"
            assert all(x < 24 for x, _ in cells), "a panel stands beside the board"
            assert len({p["id"] for p in panels}) == len(panels) > 10, "numbers"
            assert all(t["expr"] for p in panels for t in p["targets"]) and all(p["targets"] for p in panels), "questions"
            assert board["uid"] and board["title"] and board["schemaVersion"], "names"
            """
        let judged = try #require(Tool("python3")).run(["-c", script, "\(Self.examples)/grafana.json"])
        #expect(judged.code == 0, "\(judged.errors)")
    }

    @Test(
        "every metric that the dashboard and the alerts ask for is one that the program tells",
        arguments: ["grafana.json", "alerts.yml"])
    func metrics(of name: String) throws {
        let asked = Set(
            try Self.text(name).matches(of: /\bgallery_[a-z_]+/).map { Self.family(String($0.0)) })
        #expect(asked.count >= 5, "\(asked)")
        let told = try Self.toldMetrics()
        for metric in asked.sorted() {
            let isTold = told.contains(metric)
            #expect(isTold, "\(name) asks for \(metric)")
        }
    }

    /// A histogram is told as three.
    private static func family(_ name: String) -> String {
        let ending = ["_bucket", "_sum", "_count"].first(where: name.hasSuffix)
        return String(name.dropLast(ending?.count ?? 0))
    }

    /// By the sources: some are told only where the database is PostgreSQL.
    private static func toldMetrics() throws -> Set<String> {
        let listed = try #require(Tool("grep")).run([
            "-rhoE", "\"gallery_[a-z_]+\"", "\(root)/Sources/Gallery", "--include=*.swift",
        ])
        return Set(listed.lines.map { $0.filter { $0 != "\"" } })
    }
}
