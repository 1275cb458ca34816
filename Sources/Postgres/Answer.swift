import CPostgres
import Database

/// What came back of one statement.
final class Answer {
    private let handle: OpaquePointer
    private let sql: String
    private let place: String
    private lazy var columns: [String] = (0..<PQnfields(handle)).map { String(cString: PQfname(handle, $0)) }
    private lazy var types: [Oid] = (0..<PQnfields(handle)).map { PQftype(handle, $0) }
    /// Where the next name is looked for first: rows are mostly read in the order of their columns.
    private var nextColumn = 0

    init(owning handle: OpaquePointer, sql: String, place: String) {
        self.handle = handle
        self.sql = sql
        self.place = place
    }

    deinit {
        PQclear(handle)
    }

    /// Nothing where the statement did what it was to do.
    var failure: PostgresError? {
        switch PQresultStatus(handle) {
        case PGRES_COMMAND_OK, PGRES_TUPLES_OK, PGRES_SINGLE_TUPLE, PGRES_EMPTY_QUERY: return nil
        default:
            let message = field("M") ?? "the server does not say why"
            let hint = field("H").map { " (\($0))" } ?? ""
            return PostgresError(field("C"), message + hint, sql: sql, place: place)
        }
    }

    private func field(_ code: Character) -> String? {
        PQresultErrorField(handle, Int32(code.asciiValue ?? 0)).map { String(cString: $0) }
    }

    var rows: Int { Int(PQntuples(handle)) }

    /// How many rows an insertion, a change or a removal was about.
    var changes: Int { Int(String(cString: PQcmdTuples(handle))) ?? 0 }

    func place(of column: String) throws(PostgresError) -> Int {
        if nextColumn >= columns.count { nextColumn = 0 }
        if columns.isEmpty || columns[nextColumn] != column {
            guard let place = columns.firstIndex(of: column) else {
                throw PostgresError("42703", "there is no column \(column)", sql: sql, place: self.place)
            }
            nextColumn = place
        }
        defer { nextColumn += 1 }
        return nextColumn
    }

    func value(_ row: Int, _ column: Int) -> Value {
        let (row, place) = (Int32(row), Int32(column))
        if PQgetisnull(handle, row, place) == 1 { return .null }
        guard let start = PQgetvalue(handle, row, place) else { return .null }
        let bytes = UnsafeRawBufferPointer(start: start, count: Int(PQgetlength(handle, row, place)))
        // What is long and no text is not taken for one first.
        if types[column] == 17, let blob = Self.bytes(bytes) { return .blob(blob) }
        let text = String(decoding: bytes, as: UTF8.self)
        switch types[column] {
        // int8, int2, int4, oid
        case 20, 21, 23, 26: return Int64(text).map(Value.integer) ?? .text(text)
        // A sum of whole numbers is a numeric.
        case 1700: return Int64(text).map(Value.integer) ?? Double(text).map(Value.real) ?? .text(text)
        case 700, 701: return Double(text).map(Value.real) ?? .text(text)
        case 16: return .integer(text == "t" ? 1 : 0)
        default: return .text(text)
        }
    }

    /// "\x" and two digits a byte.
    private static func bytes(_ text: UnsafeRawBufferPointer) -> [UInt8]? {
        guard text.count >= 2, text.count % 2 == 0, text[0] == UInt8(ascii: "\\") else { return nil }
        var isReadable = true
        let bytes = digits.withUnsafeBufferPointer { digits in
            [UInt8](unsafeUninitializedCapacity: text.count / 2 - 1) { bytes, count in
                count = text.count / 2 - 1
                for place in 0..<count {
                    let (high, low) = (digits[Int(text[2 * place + 2])], digits[Int(text[2 * place + 3])])
                    isReadable = isReadable && high | low < 16
                    bytes[place] = high << 4 | low & 15
                }
            }
        }
        return isReadable ? bytes : nil
    }

    /// What each character stands for; 255 is none.
    private static let digits: [UInt8] = (0...255).map { (byte: UInt8) -> UInt8 in
        switch byte {
        case UInt8(ascii: "0")...UInt8(ascii: "9"): byte - UInt8(ascii: "0")
        case UInt8(ascii: "a")...UInt8(ascii: "f"): byte - UInt8(ascii: "a") + 10
        default: 255
        }
    }

    func mismatch(_ column: String, _ value: Value, _ wanted: String) -> PostgresError {
        PostgresError("42804", "column \(column) holds \(value), not \(wanted)", sql: sql, place: place)
    }
}

/// One row of an answer, good while it is being looked at.
struct PostgresRow: SQLRow {
    let answer: Answer
    let number: Int

    func value(_ column: String) throws -> Value { answer.value(number, try answer.place(of: column)) }

    func mismatch(_ column: String, _ value: Value, _ wanted: String) -> any Error {
        answer.mismatch(column, value, wanted)
    }
}
