import Glibc

/// SQLite's result codes: an open set, so that a code of a newer version survives.
public struct ResultCode: RawRepresentable, Hashable, Sendable {
    /// The extended code: the primary one in the lowest byte.
    public let rawValue: Int32

    public init(rawValue: Int32) {
        self.rawValue = rawValue
    }

    public var primary: ResultCode { ResultCode(rawValue: rawValue & 0xFF) }

    public static let ok = ResultCode(rawValue: 0)
    public static let internalError = ResultCode(rawValue: 2)
    public static let busy = ResultCode(rawValue: 5)
    public static let readOnly = ResultCode(rawValue: 8)
    public static let inputOutput = ResultCode(rawValue: 10)
    /// The file, or the log beside it, ends before a page that it should have.
    public static let shortRead = ResultCode(rawValue: 522)
    /// The file that connections share a log's index by could not be made larger, which is a full disk: SQLite names no error
    /// of the system with it.
    public static let noRoomForLogIndex = ResultCode(rawValue: 4874)
    public static let corrupt = ResultCode(rawValue: 11)
    public static let full = ResultCode(rawValue: 13)
    public static let cannotOpen = ResultCode(rawValue: 14)
    public static let constraint = ResultCode(rawValue: 19)
    public static let mismatch = ResultCode(rawValue: 20)
    public static let misuse = ResultCode(rawValue: 21)
    public static let notADatabase = ResultCode(rawValue: 26)
    public static let row = ResultCode(rawValue: 100)
    public static let done = ResultCode(rawValue: 101)

    /// A primary code stands for all its extended ones: `case .constraint` is every kind of constraint.
    public static func ~= (pattern: ResultCode, code: ResultCode) -> Bool {
        pattern == code || pattern == code.primary
    }
}

/// What SQLite could not do: its own words, the extended code, and the statement.
public struct DatabaseError: Error, Equatable, Sendable {
    public let code: ResultCode
    public let message: String
    public let sql: String?
    public let path: String
    /// The system's error number, where the system was the cause.
    public let systemNumber: Int32

    public init(
        _ code: ResultCode, _ message: String, sql: String? = nil, path: String, systemNumber: Int32 = 0
    ) {
        self.code = code
        self.message = message
        self.sql = sql
        self.path = path
        self.systemNumber = systemNumber
    }
}

extension DatabaseError: CustomStringConvertible {
    public var description: String {
        let statement = sql.map { " in \($0.split(whereSeparator: \.isWhitespace).joined(separator: " "))" }
        let cause = systemNumber == 0 ? "" : ": \(String(cString: strerror(systemNumber)))"
        return "\(path): \(message)\(cause) (SQLite \(code.rawValue))\(statement ?? ""). \(advice)"
    }

    /// What the operator can do.
    public var advice: String {
        if systemNumber == EMFILE || systemNumber == ENFILE {
            return "Too many files are open; raise the limit with ulimit -n."
        }
        if failure == .noRoom {
            return "Free some space on that disk; everything acknowledged so far is kept."
        }
        let isForbidden = [EROFS, EACCES, EPERM].contains(systemNumber)
        return switch code {
        case .readOnly, .cannotOpen,
            _ where isForbidden:
            "Give this user the right to that folder and file, or name another home."
        case .shortRead:
            "Another program has written to this file or to its log, or cut one off: keep it as it is, put a backup in its place "
                + "('tetherline store backup' makes them), or name another home; photos in the spool are found again without it."
        case .inputOutput: "The disk reports errors: do not trust it, and move the home to another."
        case .corrupt, .notADatabase:
            "Keep the file as it is, put a backup in its place ('tetherline store backup' makes them), "
                + "or name another home; photos in the spool are found again without it."
        case .busy: "Another program holds the database; end it and try again."
        default: "This should not happen: please report it with this line."
        }
    }
}
