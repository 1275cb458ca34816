import Basics
import Database

/// What the gallery's tables hold, as its values.
extension SQLRow {
    /// Moments are kept as milliseconds since 1970.
    func moment(_ column: String) throws -> Timestamp { Timestamp(milliseconds: try self[column]) }

    func moment(_ column: String) throws -> Timestamp? { try optionalMoment(column) }

    func optionalMoment(_ column: String) throws -> Timestamp? {
        try get(column, as: Int64?.self).map(Timestamp.init(milliseconds:))
    }

    /// Texts are kept as a list in JSON, which the store alone writes.
    func texts(_ column: String) throws -> [String] {
        let text = try get(column, as: String.self)
        // Most photos have none.
        return text == "[]" ? [] : try JSON5.parse(text).array?.compactMap(\.string) ?? []
    }

    /// For a page: a photo is shown though its tags cannot be read.
    func readableTexts(_ column: String) throws -> [String] {
        do {
            return try texts(column)
        } catch is JSON5Error {
            return []
        }
    }
}

enum StoredTexts {
    /// As ``SQLRow/texts(_:)`` reads them.
    static func text(_ texts: [String]) -> String { JSONValue.array(texts.map(JSONValue.string)).compact }
}

extension SQLSession {
    /// How many rows there are: `count("FROM events WHERE owner_id = ?", owner)`.
    func count(_ rest: String, _ values: any Storable...) throws -> Int {
        var count = 0
        try execute("SELECT count(*) AS count \(rest)", values) { row in
            count = try row["count"]
            return false
        }
        return count
    }
}
