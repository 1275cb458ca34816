import Basics

/// Which handler a path and a method lead to.
struct RoutingTable: Sendable {
    enum Part: Equatable, Sendable {
        case literal(String)
        case place(String)
    }

    struct Entry: Sendable {
        let route: Route
        let parts: [Part]
    }

    enum Outcome {
        case found(Route, parameters: [String: String])
        /// The methods that the path has.
        case otherMethod([String])
        case unknown
    }

    /// By the number of parts. What is fixed comes before what takes a place.
    private let entries: [Int: [Entry]]

    init(_ routes: [Route]) {
        let compiled = routes.map { Entry(route: $0, parts: Self.parts(of: $0.pattern)) }
        entries = Dictionary(grouping: compiled, by: \.parts.count).mapValues { group in
            group.enumerated().sorted { left, right in
                let (first, second) = (Self.rank(left.element), Self.rank(right.element))
                return first == second ? left.offset < right.offset : first.lexicographicallyPrecedes(second)
            }.map(\.element)
        }
        precondition(
            Set(routes.map { "\($0.method) \(Self.shape(of: $0.pattern))" }).count == routes.count,
            "two routes would answer the same requests")
    }

    private static func rank(_ entry: Entry) -> [Int] {
        entry.parts.map { if case .literal = $0 { 0 } else { 1 } }
    }

    private static func shape(of pattern: String) -> String {
        parts(of: pattern).map { part in
            switch part {
            case .literal(let text): "/\(text)"
            case .place: "/{}"
            }
        }.joined()
    }

    static func parts(of pattern: String) -> [Part] {
        precondition(pattern.hasPrefix("/"), "a pattern begins with a slash")
        return pattern.dropFirst().split(separator: "/", omittingEmptySubsequences: false).map { part in
            guard part.hasPrefix("{"), part.hasSuffix("}") else { return .literal(String(part)) }
            return .place(String(part.dropFirst().dropLast()))
        }
    }

    func find(_ method: String, _ path: [String]) -> Outcome {
        guard let candidates = entries[path.count] else { return .unknown }
        // "HEAD is identical to GET except that the server MUST NOT send content" (RFC 9110 §9.3.2).
        let wanted = method == "HEAD" ? "GET" : method
        var others: [String] = []
        for entry in candidates where Self.matches(entry.parts, path) {
            if entry.route.method == wanted {
                return .found(entry.route, parameters: Self.parameters(entry.parts, path))
            }
            others.append(entry.route.method)
        }
        return others.isEmpty ? .unknown : .otherMethod(others)
    }

    /// The value of `Allow` for a path with these methods.
    static func allow(_ methods: [String]) -> String {
        var all = Set(methods).union(["OPTIONS"])
        if all.contains("GET") { all.insert("HEAD") }
        return all.sorted().joined(separator: ", ")
    }

    /// What is allowed somewhere, for "OPTIONS *".
    var everyMethod: [String] { entries.values.flatMap { $0.map(\.route.method) } }

    private static func matches(_ parts: [Part], _ path: [String]) -> Bool {
        for index in parts.indices {
            switch parts[index] {
            case .literal(let text): if text != path[index] { return false }
            case .place: if path[index].isEmpty { return false }
            }
        }
        return true
    }

    private static func parameters(_ parts: [Part], _ path: [String]) -> [String: String] {
        var found: [String: String] = [:]
        for index in parts.indices {
            if case .place(let name) = parts[index] { found[name] = path[index] }
        }
        return found
    }
}
