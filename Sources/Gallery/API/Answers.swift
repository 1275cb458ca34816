package import Basics
package import HTTPServer

/// Why a request was not done, in the contract's words.
package struct APIError: Error, Equatable, Sendable {
    package enum Code: String, CaseIterable, Sendable {
        case badRequest = "BAD_REQUEST"
        case unauthenticated = "UNAUTHENTICATED"
        case paymentRequired = "PAYMENT_REQUIRED"
        case forbidden = "FORBIDDEN"
        case consentRequired = "CONSENT_REQUIRED"
        case notFound = "NOT_FOUND"
        case methodNotAllowed = "METHOD_NOT_ALLOWED"
        case requestTimeout = "REQUEST_TIMEOUT"
        case conflict = "CONFLICT"
        case gone = "GONE"
        case preconditionFailed = "PRECONDITION_FAILED"
        case payloadTooLarge = "PAYLOAD_TOO_LARGE"
        case unprocessable = "UNPROCESSABLE"
        case rateLimited = "RATE_LIMITED"
        case internalError = "INTERNAL_ERROR"
        case serviceUnavailable = "SERVICE_UNAVAILABLE"

        var status: Int {
            switch self {
            case .badRequest: 400
            case .unauthenticated: 401
            case .paymentRequired: 402
            case .forbidden, .consentRequired: 403
            case .notFound: 404
            case .methodNotAllowed: 405
            case .requestTimeout: 408
            case .conflict: 409
            case .gone: 410
            case .preconditionFailed: 412
            case .payloadTooLarge: 413
            case .unprocessable: 422
            case .rateLimited: 429
            case .internalError: 500
            case .serviceUnavailable: 503
            }
        }
    }

    package let code: Code
    package let message: String
    /// What is wrong with which field, for `unprocessable`.
    package var fields: [(name: String, problems: [String])] = []
    /// For `rateLimited`.
    package var retryAfter: Duration?

    package init(
        _ code: Code, _ message: String, fields: [(name: String, problems: [String])] = [],
        retryAfter: Duration? = nil
    ) {
        self.code = code
        self.message = message
        self.fields = fields
        self.retryAfter = retryAfter
    }

    package static func == (left: APIError, right: APIError) -> Bool {
        left.code == right.code && left.message == right.message
            && left.fields.elementsEqual(right.fields) { $0.name == $1.name && $0.problems == $1.problems }
    }

    /// Also for what belongs to another account: the client learns nothing from it.
    package static func notFound(_ what: String) -> APIError {
        APIError(.notFound, "there is no such \(what)")
    }

    /// When to come again where nothing else is known: the store may be there in a moment.
    static let soon = Duration.seconds(2)

    /// Also of a database's disk.
    static let diskFull = APIError(
        .serviceUnavailable, "the server's disk is full; try again later", retryAfter: .seconds(60))

    package var response: Response {
        var error: [(key: String, value: JSONValue)] = [
            ("code", .string(code.rawValue)), ("message", .string(message)),
        ]
        if !fields.isEmpty {
            error.append(
                (
                    "fields",
                    .object(fields.map { ($0.name, .array($0.problems.map(JSONValue.string))) })
                ))
        }
        var response = Response.json(code.status, .object([("error", .object(error))]))
        // What may pass is asked for again, and by thousands not at once.
        if let retryAfter = retryAfter ?? (code == .serviceUnavailable ? Self.soon : nil) {
            let seconds = (retryAfter.wholeMilliseconds + 999) / 1000
            response.headers.append(HTTPHeader("Retry-After", "\(max(1, seconds))"))
        }
        if code == .unauthenticated { response.headers.append(HTTPHeader("WWW-Authenticate", "Bearer")) }
        return response
    }
}

extension APIError: CustomStringConvertible {
    /// For the operator who gave a command.
    package var description: String {
        fields.isEmpty
            ? message
            : fields.map { "\($0.name) \($0.problems.joined(separator: ", "))" }.joined(separator: "; ")
    }
}

extension Response {
    package static func json(_ status: Int, _ value: JSONValue) -> Response {
        Response(
            status: status,
            headers: [
                HTTPHeader("Content-Type", "application/json"), HTTPHeader("Cache-Control", "no-store"),
                HTTPHeader("X-Content-Type-Options", "nosniff"),
            ], body: .bytes(Array(value.compact.utf8)))
    }

    /// `{"data": …}`.
    package static func data(_ value: JSONValue, status: Int = 200) -> Response {
        .json(status, .object([("data", value)]))
    }
}
