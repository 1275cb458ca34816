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
        return BinaryValue.read(bytes, types[column])
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
