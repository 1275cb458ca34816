import CPostgres

/// Where a database is, as libpq understands it: a URI or keywords. What it does not say, the environment, a service file
/// and `.pgpass` do.
package struct PostgresAddress: Sendable {
    /// One server that may be the one to talk to.
    struct Candidate: Sendable {
        let keywords: [String]
        let values: [String]
        /// For messages: no password is in it.
        let name: String
    }

    let candidates: [Candidate]
    /// For messages: no password is in it.
    package let name: String

    package struct Unreadable: Error, CustomStringConvertible {
        package let description: String
    }

    /// Whether a text is meant as the address of such a database.
    package static func isMeant(by text: String) -> Bool {
        text.hasPrefix("postgres://") || text.hasPrefix("postgresql://")
    }

    package init(_ text: String) throws(Unreadable) {
        var problem: UnsafeMutablePointer<CChar>?
        guard let options = PQconninfoParse(text, &problem) else {
            let reason = problem.map { String(cString: $0) } ?? "it cannot be read"
            PQfreemem(problem)
            throw Unreadable(description: reason.split(separator: "\n").joined(separator: " "))
        }
        defer { PQconninfoFree(options) }
        var given: [(key: String, value: String)] = []
        var option = options
        while let keyword = option.pointee.keyword {
            if let value = option.pointee.val {
                given.append((String(cString: keyword), String(cString: value)))
            }
            option += 1
        }
        let hosts = Self.list("host", given)
        let ports = Self.list("port", given)
        guard hosts.count <= Self.mostHosts, ports.count <= 1 || ports.count == hosts.count else {
            throw Unreadable(
                description: "it names \(hosts.count) hosts and \(ports.count) ports; name at most "
                    + "\(Self.mostHosts), and one port or one for each")
        }
        for port in ports where !port.isEmpty && UInt16(port) == nil {
            throw Unreadable(description: "'\(port)' is no port")
        }
        let database = given.first { $0.key == "dbname" }?.value ?? ""
        let rest = given.filter { $0.key != "host" && $0.key != "port" }
        candidates = (hosts.isEmpty ? [""] : hosts).enumerated().map { index, host in
            let port = ports.count > 1 ? ports[index] : ports.first ?? ""
            var all = rest
            if !host.isEmpty { all.append(("host", host)) }
            if !port.isEmpty { all.append(("port", port)) }
            for (key, value) in Self.defaults where !given.contains(where: { $0.key == key }) {
                all.append((key, value))
            }
            let place = [host.isEmpty ? "the local server" : host, port].filter { !$0.isEmpty }
            return Candidate(
                keywords: all.map(\.key), values: all.map(\.value),
                name: "PostgreSQL at \(place.joined(separator: ":"))\(database.isEmpty ? "" : "/\(database)")"
            )
        }
        name = candidates.map(\.name).joined(separator: " or ")
    }

    private static let mostHosts = 16

    /// Where the address is silent. A peer that is gone is noticed within seconds, also in the middle of a statement.
    private static let defaults = [
        ("connect_timeout", "5"), ("tcp_user_timeout", "15000"), ("keepalives_idle", "10"),
        ("keepalives_interval", "5"), ("keepalives_count", "2"), ("application_name", "tetherline gallery"),
        ("client_encoding", "UTF8"),
    ]

    private static func list(_ key: String, _ given: [(key: String, value: String)]) -> [String] {
        given.first { $0.key == key }?.value
            .split(separator: ",", omittingEmptySubsequences: false).map(String.init) ?? []
    }
}
