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
        let given = Self.words(options)
        let used = try Self.used(given)
        let (hosts, addresses) = (Self.list(used["host"]), Self.list(used["hostaddr"]))
        var ports = Self.list(used["port"])
        // Whatever it is compiled to take.
        if ports == [Self.usualPort], !given.contains(where: { $0.key == "port" }) { ports = [] }
        let count = max(hosts.count, addresses.count)
        guard count <= Self.mostHosts, hosts.isEmpty || addresses.isEmpty || hosts.count == addresses.count,
            ports.count <= 1 || ports.count == count
        else {
            throw Unreadable(
                description:
                    "its hosts are \(hosts.count), its addresses \(addresses.count), its ports \(ports.count); "
                    + "name at most \(Self.mostHosts) hosts, an address for each or none, and one port or one for each"
            )
        }
        for port in ports where !port.isEmpty && UInt16(port) == nil {
            throw Unreadable(description: "'\(port)' is no port")
        }
        // An empty one would be filled by libpq, from the whole list.
        if count > 1, (hosts + addresses).contains("") {
            throw Unreadable(description: "one of its \(count) hosts is empty")
        }
        if ports.count > 1 { ports = ports.map { $0.isEmpty ? Self.usualPort : $0 } }
        var rest = given.filter { !["host", "hostaddr", "port", Self.encoding.key].contains($0.key) }
        for (key, value) in Self.defaults where used[key] == nil { rest.append((key, value)) }
        rest.append(Self.encoding)
        let database = used["dbname"] ?? ""
        candidates = (0..<max(1, count)).map { index in
            let host = hosts.isEmpty ? "" : hosts[index]
            let address = addresses.isEmpty ? "" : addresses[index]
            let port = ports.count > 1 ? ports[index] : ports.first ?? ""
            let place = [("host", host), ("hostaddr", address), ("port", port)].filter { !$0.1.isEmpty }
            let all = rest + place
            let called = host.isEmpty ? address.isEmpty ? "the local server" : address : host
            return Candidate(
                keywords: all.map(\.0), values: all.map(\.1),
                name:
                    "PostgreSQL at \(called)\(port.isEmpty ? "" : ":\(port)")\(database.isEmpty ? "" : "/\(database)")"
            )
        }
        name = candidates.map(\.name).joined(separator: " or ")
    }

    private static let mostHosts = 16

    /// Where the address, the service and the environment are silent. A peer that is gone is noticed within seconds, also in the
    /// middle of a statement.
    private static let defaults = [
        ("connect_timeout", "5"), ("tcp_user_timeout", "15000"), ("keepalives_idle", "10"),
        ("keepalives_interval", "5"), ("keepalives_count", "2"), ("application_name", "tetherline gallery"),
    ]
    /// Whatever else says so: texts are written and read as UTF-8.
    private static let encoding = (key: "client_encoding", value: "UTF8")
    private static let usualPort = "5432"

    private static func list(_ value: String?) -> [String] {
        value?.split(separator: ",", omittingEmptySubsequences: false).map(String.init) ?? []
    }
}
