import Basics

@testable import Gallery

/// The document that is served, as a table: which statuses each route has.
enum Contract {
    static let document: JSONValue? = {
        var limits = JSON5.Limits()
        limits.isStrict = true
        do throws(JSON5Error) {
            return try JSON5.parse(OpenAPI.document, limits: limits)
        } catch {
            return nil
        }
    }()

    /// By "GET /events/{id}".
    static let statuses: [String: Set<Int>] = {
        var found: [String: Set<Int>] = [:]
        for (path, operations) in document?["paths"]?.members ?? [] {
            for (method, operation) in operations.members ?? [] {
                let keys = operation["responses"]?.members?.compactMap { Int($0.key) } ?? []
                found["\(method.uppercased()) \(path)"] = Set(keys)
            }
        }
        return found
    }()

    static func has(_ status: Int, at route: String) -> Bool {
        statuses[route]?.contains(status) ?? false
    }

    /// Whether an operation can be had without saying who one is.
    static func isOpen(_ route: String) -> Bool {
        let parts = route.split(separator: " ")
        let operation = document?["paths"]?[String(parts[1])]?[parts[0].lowercased()]
        let choices = operation?["security"]?.array ?? []
        return choices.isEmpty || choices.contains { $0.members?.isEmpty ?? false }
    }

    /// Every part that is referred to, and every one that there is.
    static func references(in value: JSONValue) -> Set<String> {
        if let members = value.members {
            return members.reduce(into: []) { found, member in
                if member.key == "$ref", let name = member.value.string {
                    found.insert(name)
                } else {
                    found.formUnion(references(in: member.value))
                }
            }
        }
        return (value.array ?? []).reduce(into: []) { $0.formUnion(references(in: $1)) }
    }
}
