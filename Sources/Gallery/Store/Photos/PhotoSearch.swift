/// What a guest typed to find photos, as SQLite looks for it: in captions, names of files, tags, cameras and times as
/// they are shown, in either case.
struct PhotoSearch: Equatable, Sendable {
    /// Bound, and never a part of the SQL.
    let pattern: String
    private let operation: String
    private let columns: [String]

    private static let texts = ["caption", "filename", "tags", "camera"]
    private static let time = "strftime('%Y-%m-%d %H:%M', shown_at / 1000, 'unixepoch')"

    init(_ text: String) {
        let scalars = text.unicodeScalars
        // "SQLite only understands upper/lower case for ASCII characters", and LIKE is twice as fast.
        if scalars.allSatisfy(\.isASCII) {
            operation = "LIKE"
            pattern = "%" + text.flatMap { "%_\\".contains($0) ? ["\\", $0] : [$0] } + "%"
        } else {
            operation = "GLOB"
            pattern = "*\(scalars.map(Self.inEitherCase).joined())*"
        }
        // Made for each photo, so only for what can stand in it.
        let isTime = scalars.allSatisfy { "0123456789-: ".unicodeScalars.contains($0) }
        columns = text.isEmpty ? [] : isTime ? Self.texts + [Self.time] : Self.texts
    }

    /// With the pattern in that place of the statement.
    func condition(_ place: String) -> String {
        // The place is to be there, or there would be one value too many.
        if columns.isEmpty { return "\(place) IS NOT NULL" }
        let escape = operation == "LIKE" && pattern.contains("\\") ? " ESCAPE '\\'" : ""
        return "(\(columns.map { "\($0) \(operation) \(place)\(escape)" }.joined(separator: " OR ")))"
    }

    /// One of a set, which is also how GLOB is told to take its own signs as they are.
    private static func inEitherCase(_ scalar: Unicode.Scalar) -> String {
        let cases = [scalar.properties.lowercaseMapping, scalar.properties.uppercaseMapping]
        let others = cases.filter { $0.unicodeScalars.count == 1 && $0 != String(scalar) }
        if others.isEmpty, !"*?[".unicodeScalars.contains(scalar) { return String(scalar) }
        return "[\(scalar)\(others.joined())]"
    }
}
