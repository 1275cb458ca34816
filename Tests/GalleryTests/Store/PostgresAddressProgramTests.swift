import Database
import TestSupport
import Testing

@testable import Gallery

/// Hosts that stand in no `--database`, but where libpq finds them for every program.
@Suite(.withPostgres, .timeLimit(.minutes(Cases.minutesOfHang))) struct PostgresAddressProgramTests {
    private let folder: TemporaryFolder
    private let server: PostgresServer

    init() throws {
        folder = try TemporaryFolder()
        server = try PostgresServer.shared.get()
    }

    private func migrate(
        _ address: String, service: String? = nil, environment: [String: String] = [:]
    ) throws -> Tool.Output {
        var environment = environment
        if let service {
            try folder.write([UInt8](service.utf8), to: "services")
            environment["PGSERVICEFILE"] = folder.file("services")
        }
        return try #require(Tool(Built.gallery)).run(
            ["migrate", "--database", address], environment: environment)
    }

    /// Each is a server of its own to the program, which looks for the newest primary among them.
    @Test("each host of a service file is named when none of them answers")
    func service() throws {
        let run = try migrate(
            "postgres:///?service=hall",
            service: "[hall]\nhost=/nowhere/first,/nowhere/second\ndbname=evening\n")
        #expect(run.code != 0)
        for host in ["/nowhere/first/evening", "/nowhere/second/evening"] {
            #expect(run.errors.contains("PostgreSQL at \(host)"), "\(run.errors)")
        }
    }

    @Test("each host of PGHOST is named with its port when none of them answers")
    func environment() throws {
        let run = try migrate(
            "postgres:///evening",
            environment: ["PGHOST": "/nowhere/first,/nowhere/second", "PGPORT": "6001,6002"])
        #expect(run.code != 0)
        for host in ["/nowhere/first:6001/evening", "/nowhere/second:6002/evening"] {
            #expect(run.errors.contains("PostgreSQL at \(host)"), "\(run.errors)")
        }
    }

    @Test("what the address says counts more than a service, and that more than the environment")
    func order() throws {
        let database = try server.freshDatabase()
        let service = "[hall]\nhost=/nowhere/first,\(server.path)\nuser=gallery\ndbname=missing\n"
        let environment = ["PGHOST": "/nowhere/environment", "PGDATABASE": "missing"]
        let run = try migrate(
            "postgres:///\(database.name)?service=hall", service: service, environment: environment)
        #expect(run.code == 0, "\(run.errors)")
        #expect(run.text.contains("is at this program's version"), "\(run.text)")
    }

    @Test("a service that stands in no file is named, and so is a file with a line that is none")
    func unreadable() throws {
        let unknown = try migrate("postgres:///?service=misspelt", service: "[hall]\nhost=/nowhere\n")
        #expect(
            unknown.code == 64 && unknown.errors.contains("misspelt"), "\(unknown.code) \(unknown.errors)")
        let line = try migrate("postgres:///?service=hall", service: "[hall]\nhots=/nowhere\n")
        #expect(line.code == 64 && line.errors.contains("services"), "\(line.code) \(line.errors)")
    }

    @Test("an address beside each host is taken with that host, and one too few is said")
    func addresses() throws {
        let (first, second) = (try FreePort.next(), try FreePort.next())
        let both = "host=one.invalid,two.invalid&hostaddr=127.0.0.1,127.0.0.2&port=\(first),\(second)"
        let run = try migrate("postgres:///evening?\(both)")
        #expect(run.code != 0)
        for said in ["one.invalid:\(first)/evening", "two.invalid:\(second)/evening", "127.0.0.2"] {
            #expect(run.errors.contains(said), "\(run.errors)")
        }
        for (list, said) in [
            ("host=one.invalid,two.invalid&hostaddr=127.0.0.1", "its hosts are 2, its addresses 1"),
            ("host=one.invalid,", "one of its 2 hosts is empty"),
        ] {
            let refused = try migrate("postgres:///evening?\(list)")
            #expect(refused.code == 64 && refused.errors.contains(said), "\(refused.errors)")
        }
    }

    @Test("of a list of ports an empty one is the usual one, of its own host")
    func ports() throws {
        let run = try migrate(
            "postgres:///evening",
            environment: ["PGHOST": "/nowhere/first,/nowhere/second", "PGPORT": "6001,"])
        for place in ["/nowhere/first:6001/evening", "/nowhere/second:5432/evening"] {
            #expect(run.errors.contains("PostgreSQL at \(place)"), "\(run.errors)")
        }
        #expect(!run.errors.contains("could not match"), "\(run.errors)")
    }

    @Test("texts are UTF-8, whatever the environment says for other programs")
    func encoding() throws {
        let database = try server.freshDatabase()
        let tool = try #require(Tool(Built.gallery))
        try folder.write("correct horse\n", to: "password")
        let run = try tool.run(
            [
                "user", "add", "ann@example.org", "--name", "Ånn 結婚式", "--password-file",
                folder.file("password"),
                "--database", server.url(database.name),
            ], environment: ["PGCLIENTENCODING": "LATIN1"])
        #expect(run.code == 0, "\(run.errors)")
        let name = try server.session(database.name).first("SELECT display_name FROM accounts") {
            try $0.get("display_name", as: String.self)
        }
        #expect(name == "Ånn 結婚式")
    }
}
