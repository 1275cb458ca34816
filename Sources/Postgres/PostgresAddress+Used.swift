import CPostgres
import Glibc

extension PostgresAddress {
    typealias Word = (key: String, value: String)

    /// Those that have a value.
    static func words(_ options: UnsafeMutablePointer<PQconninfoOption>) -> [Word] {
        var words: [Word] = []
        var option = options
        while let keyword = option.pointee.keyword {
            if let value = option.pointee.val, value.pointee != 0 {
                words.append((String(cString: keyword), String(cString: value)))
            }
            option += 1
        }
        return words
    }

    /// What a connection by these words would use: also the hosts that a service file or the environment names, so that each of
    /// them is a server of its own here, too.
    ///
    /// libpq tells it of a connection only. One with a mode that is none has all its words, and goes nowhere.
    static func used(_ given: [Word]) throws(Unreadable) -> [String: String] {
        let asked = given.filter { $0.key != "sslmode" } + [("sslmode", noMode)]
        guard let connection = start(asked.map(\.key), asked.map(\.value)) else {
            throw Unreadable(description: "there is no memory for a connection")
        }
        defer { PQfinish(connection) }
        guard let options = PQconninfo(connection) else {
            throw Unreadable(description: "there is no memory for its words")
        }
        defer { PQconninfoFree(options) }
        let used = Dictionary(words(options).map { ($0.key, $0.value) }) { first, _ in first }
        guard used["sslmode"] == noMode else {
            // A service that is in no file, or a file with a line that is none.
            let said = String(cString: PQerrorMessage(connection)).split(whereSeparator: \.isNewline)
            throw Unreadable(description: said.joined(separator: " "))
        }
        return used
    }

    private static let noMode = "none of libpq's"

    /// Begins a connection.
    static func start(_ keywords: [String], _ values: [String]) -> OpaquePointer? {
        let (keywords, values) = (keywords.map { strdup($0) }, values.map { strdup($0) })
        defer { for text in keywords + values { free(text) } }
        let names: [UnsafePointer<CChar>?] = keywords.map { UnsafePointer($0) } + [nil]
        let texts: [UnsafePointer<CChar>?] = values.map { UnsafePointer($0) } + [nil]
        return PQconnectStartParams(names, texts, 0)
    }
}
