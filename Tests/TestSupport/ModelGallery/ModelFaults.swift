public import Basics
import Synchronization

/// Which of the contract's calls a request is.
public enum ModelCall: Hashable, Sendable {
    case register, login, refresh, logout, me, consent, giveConsent
    case events, createEvent, event
    case presign, represign, status, put
    case unknown

    public init(_ request: HTTPRequest, base: String) {
        guard request.url.hasPrefix(base) else {
            self = .unknown
            return
        }
        let path = request.url.dropFirst(base.count).prefix { $0 != "?" }
        let parts = path.split(separator: "/", omittingEmptySubsequences: false).map(String.init)
        switch (request.method, parts.first, parts.count) {
        case ("POST", "auth", 2):
            let calls: [String: ModelCall] = [
                "register": .register, "login": .login, "refresh": .refresh, "logout": .logout,
            ]
            self = calls[parts[1]] ?? .unknown
        case ("GET", "me", 1): self = .me
        case ("GET", "consent", 1): self = .consent
        case ("POST", "consent", 1): self = .giveConsent
        case ("GET", "events", 1): self = .events
        case ("POST", "events", 1): self = .createEvent
        case ("GET", "events", 2): self = .event
        case ("POST", "uploads", 2) where parts[1] == "presign": self = .presign
        case ("POST", "uploads", 3) where parts[2] == "presign": self = .represign
        case ("GET", "uploads", 2) where parts[1] == "status": self = .status
        case ("PUT", "objects", 2): self = .put
        default: self = .unknown
        }
    }
}

/// What goes wrong between a bridge and its gallery.
public enum ModelFault: Sendable {
    /// It never came to the server.
    case lostRequest
    case cutInBody
    /// The server has done it, and its answer is lost.
    case lostReply
    /// The whole body left, and the server never saw it: from here it looks like a lost reply.
    case lostRequestAfterBody
    case certificate
    case unreadable
    /// Another server answers; this one knows nothing of it.
    case instead(HTTPResponse)
    /// The server has done it, and another one answers.
    case handledThen(HTTPResponse)
    /// It is handled after so long, by the test's clock.
    case slow(Duration)
    /// Nothing comes until the client gives up.
    case hang

    public static func status(_ status: Int, retryAfter: String? = nil) -> ModelFault {
        .instead(
            HTTPResponse(
                status: status, headers: retryAfter.map { [HTTPHeader("Retry-After", $0)] } ?? [],
                body: Array("<html><body>\(status)</body></html>".utf8)))
    }

    public static func refusal(_ status: Int, _ code: String, _ message: String = "no") -> ModelFault {
        .instead(.failure(status, code, message))
    }

    /// The Wi-Fi of a hotel, which answers everything with its own page.
    public static let portal = ModelFault.instead(
        HTTPResponse(
            status: 200, headers: [HTTPHeader("Content-Type", "text/html; charset=utf-8")],
            body: Array("<!DOCTYPE html><html><body>Welcome! Please accept our terms.</body></html>".utf8)))
}

/// What goes wrong next, call by call.
struct ModelFaults: Sendable {
    private var script: [(call: ModelCall?, fault: ModelFault, times: Int)] = []

    mutating func add(_ call: ModelCall?, _ fault: ModelFault, _ times: Int) {
        script.append((call, fault, times))
    }

    mutating func clear() { script = [] }

    mutating func next(for call: ModelCall) -> ModelFault? {
        guard let index = script.firstIndex(where: { $0.call == nil || $0.call == call }) else { return nil }
        let fault = script[index].fault
        script[index].times -= 1
        if script[index].times <= 0 { script.remove(at: index) }
        return fault
    }
}

extension ModelGallery {
    /// The next so many calls of this kind, or of any kind, go wrong like this. What was said first happens first.
    public func fail(_ call: ModelCall?, _ fault: ModelFault, times: Int = 1) {
        faults.withLock { $0.add(call, fault, times) }
    }

    /// All goes well again.
    public func heal() {
        faults.withLock { $0.clear() }
    }
}

extension HTTPResponse {
    public static func success(_ data: JSONValue, status: Int = 200) -> HTTPResponse {
        let whole: JSONValue = ["data": data]
        return HTTPResponse(
            status: status, headers: [HTTPHeader("Content-Type", "application/json")],
            body: Array(whole.compact.utf8))
    }

    public static func failure(
        _ status: Int, _ code: String, _ message: String, headers: [HTTPHeader] = []
    ) -> HTTPResponse {
        let whole: JSONValue = ["error": ["code": .string(code), "message": .string(message)]]
        return HTTPResponse(
            status: status, headers: [HTTPHeader("Content-Type", "application/json")] + headers,
            body: Array(whole.compact.utf8))
    }
}
