import Basics
import Database
import Posix
import Postgres
import TestSupport
import Testing

@testable import Gallery

/// A server that has to prove who it is, as the example for operators asks it to.
@Suite(.withPostgres, .timeLimit(.minutes(Cases.minutesOfHang))) struct PostgresTLSTests {
    private func session(_ address: String) throws -> PostgresSession {
        let time = try GalleryThreads.time()
        return PostgresSession(
            try PostgresAddress(address), servers: KnownServers(), commits: nil, random: SystemRandomSource(),
            now: { time.now })
    }

    @Test("a server whose authority is known, under its own name, is talked to in secret, and no other one")
    func proven() throws {
        let (shop, stranger) = (try CertificateShop(), try CertificateShop())
        let server = try PostgresServer(certificate: try shop.signed("server"))
        func address(_ host: String, _ authority: String) -> String {
            "postgres://gallery@\(host):\(server.port)/postgres?hostaddr=127.0.0.1&sslmode=verify-full"
                + "&sslrootcert=\(authority)"
        }
        let session = try session(address("localhost", shop.authority))
        #expect(try session.count("FROM pg_stat_ssl WHERE pid = pg_backend_pid() AND ssl") == 1)
        for (host, authority, said) in [
            ("localhost", stranger.authority, "certificate verify failed"),
            ("db.example.org", shop.authority, "does not match host name \"db.example.org\""),
        ] {
            let error = #expect(throws: PostgresError.self) {
                try self.session(address(host, authority)).count("FROM pg_stat_ssl")
            }
            let text = error.map { "\($0)" } ?? ""
            #expect(text.contains(said) && text.contains("PostgreSQL at \(host):\(server.port)"), "\(text)")
        }
    }
}
