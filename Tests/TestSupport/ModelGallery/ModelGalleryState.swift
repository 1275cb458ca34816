import Basics

public struct ModelPhoto: Equatable, Sendable {
    public let id: String
    public let event: String
    public let sha256: String
    public let size: UInt64
}

/// One intent to upload, from its first place to its photo.
public struct ModelUpload: Equatable, Sendable {
    public enum Status: String, Sendable {
        case pending, processing, completed, failed, expired
    }

    struct Place: Equatable, Sendable {
        let objectKey: String
        let path: String
        let expiresAt: Timestamp
        let headers: [(name: String, value: String)]

        static func == (left: Place, right: Place) -> Bool { left.path == right.path }
    }

    public let id: String
    public let event: String
    let account: String
    let description: JSONValue
    public var status = Status.pending
    public var errorCode: String?
    var errorMessage: String?
    public var photo: String?
    var places: [Place] = []
    var isReady: Timestamp?
    /// Whose bytes are worked on.
    var winner: String?
    var completedAt: Timestamp?

    var size: UInt64 { description["contentLength"]?.integer.map { UInt64($0) } ?? 0 }
    var sha256: String? { description["sha256"]?.string }
}

/// The server as a value: a request in, an answer out, at a moment.
struct ModelGalleryState: Sendable {
    struct Account: Sendable {
        let id: String
        let email: String
        let password: String
        let displayName: String
        var hasConsented = true
    }

    struct Event: Sendable {
        let id: String
        let account: String
        let name: String
        var expiresAt: Timestamp?
    }

    struct Object: Sendable {
        let size: UInt64
        let sha256: String
        let first: [UInt8]
    }

    let base: String
    var rules: ModelGallery.Rules
    var accounts: [String: Account] = [:]
    var events: [Event] = []
    var families: [ModelFamily] = []
    var uploads: [String: ModelUpload] = [:]
    var forgottenPlaces: Set<String> = []
    /// By account and key.
    var keys: [String: String] = [:]
    /// What lies in the storage.
    var objects: [String: Object] = [:]
    var photos: [ModelPhoto] = []
    var charges = 0
    /// What becomes of the next uploads that are worked on.
    var failures: [(code: String, message: String)] = []
    var violations: [String] = []
    var oddities: [String] = []
    private var bodies: [String: Int] = [:]
    private var lastID = 0

    init(base: String, rules: ModelGallery.Rules) {
        self.base = base
        self.rules = rules
    }

    mutating func newID() -> String {
        lastID += 1
        let digits = String(lastID)
        return "5eed0000-0000-4000-8000-" + String(repeating: "0", count: 12 - digits.count) + digits
    }

    mutating func answer(_ request: HTTPRequest, at now: Timestamp) -> HTTPResponse {
        let call = ModelCall(request, base: base)
        let whole = String(request.url.dropFirst(base.count))
        var body: JSONValue = .null
        if [.register, .login, .refresh, .logout, .giveConsent, .createEvent, .presign].contains(call) {
            guard case .bytes(let bytes) = request.body, let value = Self.json(bytes) else {
                violations.append("\(call): the body is no JSON")
                return .failure(400, "BAD_REQUEST", "the body is no JSON")
            }
            body = value
            if value.members == nil { violations.append("\(call): the body is no object") }
        }
        switch call {
        case .put: return put(request, whole, at: now)
        case .register: return register(body, at: now)
        case .login: return login(body, at: now)
        case .refresh: return refresh(body, at: now)
        case .logout: return logout(body)
        case .unknown:
            violations.append("there is no call \(request.method) \(whole.prefix { $0 != "?" })")
            return .failure(404, "NOT_FOUND", "there is no such call")
        default: break
        }
        guard let account = account(of: request, at: now) else {
            return .failure(401, "UNAUTHENTICATED", "log in")
        }
        let parts = whole.prefix { $0 != "?" }.split(separator: "/").map(String.init)
        switch call {
        case .me: return .success(Self.json(account))
        case .consent: return consent(account)
        case .giveConsent: return giveConsent(body, account)
        case .events:
            return .success(.array(events.filter { $0.account == account.id }.map(Self.json)))
        case .createEvent: return createEvent(body, account)
        case .event:
            let event = events.first { $0.id == parts[1] && $0.account == account.id }
            return event.map { .success(Self.json($0)) } ?? .failure(404, "NOT_FOUND", "no such event")
        case .presign: return presign(body, request, account, at: now)
        case .represign: return represign(parts[1], account, at: now)
        case .status: return status(whole, account, at: now)
        case .put, .register, .login, .refresh, .logout, .unknown:
            preconditionFailure("these have been answered")
        }
    }

    private static func json(_ bytes: [UInt8]) -> JSONValue? {
        do {
            return try JSON5.parse(bytes)
        } catch {
            return nil
        }
    }

    // MARK: Events

    private mutating func createEvent(_ body: JSONValue, _ account: Account) -> HTTPResponse {
        guard let name = body["name"]?.string, (1...200).contains(name.count) else {
            return .failure(422, "UNPROCESSABLE", "name has 1 to 200 characters")
        }
        let event = Event(id: newID(), account: account.id, name: name)
        events.append(event)
        return .success(Self.json(event), status: 201)
    }

    private static func json(_ event: Event) -> JSONValue {
        [
            "id": .string(event.id), "name": .string(event.name), "slug": .null, "startsAt": .null,
            "expiresAt": .optional(event.expiresAt) {
                .string(CivilTime.rfc3339(milliseconds: $0.milliseconds))
            },
            "counts": ["photos": .integer(0), "bytes": .integer(0), "pending": .integer(0)],
        ]
    }

    // MARK: Bodies on their way

    mutating func bodyBegins(_ path: String) {
        guard let upload = uploads.values.first(where: { $0.places.contains { $0.path == path } }) else {
            return
        }
        bodies[upload.id, default: 0] += 1
        if bodies[upload.id, default: 0] > 1 {
            violations.append("two bodies at once are on their way for \(upload.id)")
        }
    }

    mutating func bodyEnds(_ path: String) {
        guard let upload = uploads.values.first(where: { $0.places.contains { $0.path == path } }) else {
            return
        }
        bodies[upload.id, default: 0] -= 1
    }
}
