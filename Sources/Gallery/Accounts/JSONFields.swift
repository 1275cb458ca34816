package import Basics
package import HTTPServer

/// What a request says about a field that may be left as it is (PATCH).
package enum FieldChange<Value> {
    /// Nothing is said of it: it stays.
    case absent
    /// `null`: it is to have no value.
    case cleared
    case value(Value)
}

extension FieldChange: Equatable where Value: Equatable {}
extension FieldChange: Sendable where Value: Sendable {}

extension FieldChange {
    /// For a field that always has a value: what it is afterwards.
    package func applied(to old: Value) -> Value {
        switch self {
        case .absent, .cleared: old
        case .value(let new): new
        }
    }

    /// For a field that may be without one.
    package func applied(to old: Value?) -> Value? {
        switch self {
        case .absent: old
        case .cleared: nil
        case .value(let new): new
        }
    }
}

/// The fields of a JSON object that came in a request, read by rules. All that is wrong is said at once, with the names
/// of the fields; unknown fields are ignored.
///
///     let wish = try JSONFields.read(request) { fields in
///         (name: fields.required("name", .text(1...200)), starts: fields.optional("startsAt", .time))
///     }
package struct JSONFields {
    private let members: [String: JSONValue]
    private var problems: [(name: String, problems: [String])] = []

    /// Reads a body whole: throws `badRequest` when it is no JSON object, `unprocessable` when a field is wrong.
    package static func read<Result>(
        _ request: Request, _ body: (inout JSONFields) throws -> Result
    ) throws -> Result {
        try read(try object(of: request.body), body)
    }

    /// The same of an object that stands in a larger one.
    package static func read<Result>(
        _ object: JSONValue, _ body: (inout JSONFields) throws -> Result
    ) throws -> Result {
        guard let members = object.members else {
            throw APIError(.badRequest, "the body must be a JSON object")
        }
        var fields = JSONFields(members)
        let result = try body(&fields)
        try fields.check()
        return result
    }

    private init(_ members: [(key: String, value: JSONValue)]) {
        // The parser has refused a key that comes twice.
        self.members = Dictionary(members.map { ($0.key, $0.value) }) { first, _ in first }
    }

    private static var limits: JSON5.Limits {
        var limits = JSON5.Limits()
        limits.isStrict = true
        return limits
    }

    private static func object(of bytes: [UInt8]) throws(APIError) -> JSONValue {
        do throws(JSON5Error) {
            return try JSON5.parse(bytes, limits: limits)
        } catch {
            throw APIError(.badRequest, "the body is not JSON: \(error)")
        }
    }

    // MARK: Fields

    /// One that must be there. What is returned for a field that is refused is never seen: ``read(_:_:)`` throws.
    package mutating func required<Value>(_ name: String, _ rule: FieldRule<Value>) -> Value {
        guard let value = members[name], value != .null else {
            refuse(name, members[name] == nil ? "is missing" : "must not be null")
            return rule.nothing
        }
        return read(name, value, rule) ?? rule.nothing
    }

    /// One that may be missing or null, which is the same.
    package mutating func optional<Value>(_ name: String, _ rule: FieldRule<Value>) -> Value? {
        guard let value = members[name], value != .null else { return nil }
        return read(name, value, rule)
    }

    /// One that may be missing, which leaves it as it is, or null, which clears it.
    package mutating func change<Value>(_ name: String, _ rule: FieldRule<Value>) -> FieldChange<Value> {
        guard let value = members[name] else { return .absent }
        if value == .null { return .cleared }
        return read(name, value, rule).map { .value($0) } ?? .absent
    }

    /// One that may be missing, which leaves it as it is, and cannot be cleared.
    package mutating func replacement<Value>(_ name: String, _ rule: FieldRule<Value>) -> FieldChange<Value> {
        let change = change(name, rule)
        if case .cleared = change { refuse(name, "must not be null") }
        return change
    }

    /// What only a look at several fields or at the database shows.
    package mutating func refuse(_ name: String, _ problem: String) {
        if let index = problems.firstIndex(where: { $0.name == name }) {
            problems[index].problems.append(problem)
        } else {
            problems.append((name, [problem]))
        }
    }

    private mutating func read<Value>(
        _ name: String, _ value: JSONValue, _ rule: FieldRule<Value>
    ) -> Value? {
        do throws(Breach) {
            return try rule.read(value)
        } catch {
            refuse(name, error.sentence)
            return nil
        }
    }

    private func check() throws(APIError) {
        guard !problems.isEmpty else { return }
        let names = problems.map(\.name).joined(separator: ", ")
        throw APIError(.unprocessable, "not valid: \(names)", fields: problems)
    }
}
