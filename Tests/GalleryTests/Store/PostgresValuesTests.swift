import Database
import Glibc
import Posix
import Postgres
import TestSupport
import Testing

@testable import Gallery

/// What a server computes is read as it writes the same value out itself.
@Suite(.withPostgres, .timeLimit(.minutes(Cases.minutesOfHang))) struct PostgresValuesTests {
    private static let shared = Result { try PostgresServer.shared.get().freshDatabase() }

    private static func session() throws -> PostgresSession {
        let database = try shared.get()
        let time = try GalleryThreads.time()
        return PostgresSession(
            try database.server.address(database.name), servers: KnownServers(), commits: nil,
            random: SystemRandomSource(), now: { time.now })
    }

    @Test(
        "whole numbers of every width, sums of them included",
        arguments: [
            "0::smallint", "(-32768)::smallint", "2147483647::int", "(-1)::int",
            "9223372036854775807::bigint",
            "(-9223372036854775807 - 1)::bigint", "4294967295::oid", "0::numeric", "7::numeric",
            "(-7)::numeric",
            "9999::numeric", "10000::numeric", "(-10000)::numeric", "100000000::numeric",
            "120003400::numeric",
            "9223372036854775807::numeric", "(-9223372036854775808)::numeric",
            "(SELECT sum(n) FROM generate_series(1::bigint, 20000) AS n)",
            "(SELECT count(*) FROM pg_class WHERE false)",
            "cardinality('{}'::int[])", "cardinality('{1,2,3}'::int[])",
        ])
    func whole(_ expression: String) throws {
        let session = try Self.session()
        let (read, written) = try #require(
            try session.first("SELECT v, v::text AS t FROM (SELECT \(expression) AS v) AS one") {
                (try $0.get("v", as: Int64.self), try $0.get("t", as: String.self))
            })
        #expect("\(read)" == written)
    }

    @Test(
        "numbers with a fraction, and those that are too long for 64 bits",
        arguments: [
            "0.5::real", "(-1.25)::double precision", "1e300::double precision", "0.25::numeric",
            "(-0.0001)::numeric",
            "1234.5678::numeric", "(-70000.5)::numeric", "0.00000001::numeric",
            "9223372036854775808::numeric",
            "1e40::numeric", "12e-9::numeric",
        ])
    func fractions(_ expression: String) throws {
        let (read, written) = try #require(
            try Self.session().first("SELECT v, v::text AS t FROM (SELECT \(expression) AS v) AS one") {
                (try $0.get("v", as: Double.self), try $0.get("t", as: String.self))
            })
        let expected = try #require(Double(written))
        #expect(abs(read - expected) <= abs(expected) * 1e-14, "\(read), \(written)")
    }

    @Test("texts, names, JSON, literals and what is true or not")
    func texts() throws {
        let row = try Self.session().first(
            """
            SELECT 'ü💍'::text AS a, current_database()::name AS b, '[1, "x"]'::json AS c, 'plain' AS d, true AS e,
                false AS f, NULL::int AS g, ''::text AS h, 'ab'::varchar(2) AS i, 'c'::char(3) AS j
            """
        ) { row in
            (
                try ["a", "c", "d", "h", "i", "j"].map { try row.get($0, as: String.self) },
                try row.get("b", as: String.self), try ["e", "f"].map { try row.get($0, as: Int.self) },
                try row.get("g", as: Int?.self)
            )
        }
        let found = try #require(row)
        #expect(found.0 == ["ü💍", "[1, \"x\"]", "plain", "", "ab", "c  "])
        #expect(!found.1.isEmpty)
        #expect(found.2 == [1, 0])
        #expect(found.3 == nil)
    }

    @Test("what is of a kind that no statement of ours asks for is no text and no number")
    func others() throws {
        let session = try Self.session()
        for expression in ["'1 day'::interval", "now()", "'NaN'::numeric", "'{1}'::int[]"] {
            #expect(throws: PostgresError.self, "\(expression)") {
                try session.first("SELECT \(expression) AS v") { try $0.get("v", as: String.self) }
            }
            #expect(throws: PostgresError.self, "\(expression)") {
                try session.first("SELECT \(expression) AS v") { try $0.get("v", as: Int64.self) }
            }
        }
    }

    @Test("bytes of any length are the same bytes")
    func bytes() throws {
        let session = try Self.session()
        for bytes in [[], [0], Array(0...255), [UInt8](repeating: 0xFF, count: 3_000_001)] as [[UInt8]] {
            let read = try session.first("SELECT ?::bytea AS v", bytes) { try $0.get("v", as: [UInt8].self) }
            #expect(read == bytes, "\(bytes.count)")
        }
    }
}
