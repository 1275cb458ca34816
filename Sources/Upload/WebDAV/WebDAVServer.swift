import Basics
import Digest
import S3

/// What a WebDAV server said instead of doing it.
struct WebDAVRefusal: Error {
    let method: String
    let status: Int
    let retryAfter: Duration?
    /// Where it leads.
    let location: String?
}

/// One server: requests and what their answers mean (RFC 4918).
struct WebDAVServer: Sendable {
    let address: WebDAVAddress
    /// The whole value of `Authorization`.
    let authorization: String?
    let confirmation: WebDAVConfirmation
    let http: any HTTPTransport
    let random: any RandomSource
    private let wall: any WallTime

    /// Read back at a time.
    private static let pieceRead: UInt64 = 4 << 20

    init(
        _ address: WebDAVAddress, login: ServerLogin?, _ confirmation: WebDAVConfirmation,
        means: DeliveryMeans
    ) {
        self.address = address
        self.confirmation = confirmation
        http = means.http
        wall = means.wall
        random = means.random
        authorization = login.map {
            "Basic " + Base64.text(Array("\($0.user):\($0.password)".utf8))
        }
    }

    private func send(
        _ method: String, _ name: String, headers: [HTTPHeader] = [], body: HTTPBody = .none,
        answerLimit: Int = 1 << 20, accepts: Set<Int> = [],
        onSent: (@Sendable (UInt64) -> Void)? = nil
    ) async throws -> HTTPResponse {
        try await send(
            method, at: address.path(name), headers: headers, body: body, answerLimit: answerLimit,
            accepts: accepts, onSent: onSent)
    }

    private func send(
        _ method: String, at path: String, headers: [HTTPHeader] = [], body: HTTPBody = .none,
        answerLimit: Int = 1 << 20, accepts: Set<Int>,
        onSent: (@Sendable (UInt64) -> Void)? = nil
    ) async throws -> HTTPResponse {
        if !confirmation.isKnown { try await meet() }
        let response = try await http.send(
            HTTPRequest(
                method, address.origin + path,
                headers: headers + (authorization.map { [HTTPHeader("Authorization", $0)] } ?? []),
                body: body, answerLimit: answerLimit, onSent: onSent))
        if (200..<300).contains(response.status) || accepts.contains(response.status) { return response }
        if response.status == 511 {
            confirmation.note(false)
            throw NotAWebDAVServer(status: 511)
        }
        // It may be elsewhere, and it may be that everything is.
        if (300..<400).contains(response.status) { try await confirm() }
        throw WebDAVRefusal(
            method: method, status: response.status,
            retryAfter: response.retryAfter(at: wall.wallNow), location: response["location"])
    }

    /// How large a file is; nothing when there is none.
    func size(of name: String) async throws -> UInt64? {
        let response: HTTPResponse
        do {
            response = try await send("HEAD", name, accepts: [404, 410])
        } catch let refusal as WebDAVRefusal where (300..<400).contains(refusal.status) {
            // A folder has a slash more. Nothing of ours.
            guard refusal.location?.hasSuffix(address.path(name) + "/") == true else { throw refusal }
            return .max
        }
        if [404, 410].contains(response.status) { return nil }
        guard response.status == 200, let size = response["content-length"].flatMap({ UInt64($0) }) else {
            return .max
        }
        return size
    }

    /// Whether the folder of the address is there. Some servers keep files and tell nothing of folders: of these any other
    /// answer than that there is none counts.
    func hasFolder() async throws -> Bool {
        let told = try await send(
            "PROPFIND", at: address.path(""), headers: [HTTPHeader("Depth", "0")],
            accepts: [400, 403, 404, 405, 410, 501])
        switch told.status {
        // "207: Multi-Status", of the folder alone.
        case 207: return true
        case 404, 410: return false
        // Who knows no PROPFIND says so; this is a page.
        case 200..<300:
            confirmation.note(false)
            throw NotAWebDAVServer(status: told.status)
        default:
            let response = try await send("HEAD", at: address.path(""), accepts: [403, 404, 405, 410])
            return ![404, 410].contains(response.status)
        }
    }

    func put(
        _ name: String, _ file: FileSlice, type: String, onSent: @escaping @Sendable (UInt64) -> Void
    ) async throws {
        _ = try await send(
            "PUT", name, headers: [HTTPHeader("Content-Type", type)], body: .file(file), onSent: onSent)
    }

    /// False when the new name is taken: "412: the Overwrite header is 'F' and the destination is mapped".
    func move(_ name: String, to newName: String) async throws -> Bool {
        let headers = [
            HTTPHeader("Destination", address.origin + address.path(newName)), HTTPHeader("Overwrite", "F"),
        ]
        switch try await send("MOVE", name, headers: headers, accepts: [412]).status {
        case 412: return false
        // "201: a new URL mapping was created": only a WebDAV server answers a MOVE so.
        case 201: return true
        case let status:
            try await confirm()
            if status == 204 { return true }
            throw HTTPFailure.unreadable("\(address.host) answers MOVE with \(status)")
        }
    }

    func remove(_ name: String) async throws {
        _ = try await send("DELETE", name, accepts: [404])
    }

    /// Makes a folder of the address, those above it first where they are missing. `name` ends with a slash, or is empty
    /// for the folder of the address itself.
    func makeFolder(_ name: String) async throws {
        try await makeFolder(at: address.path(name))
    }

    private func makeFolder(at path: String) async throws {
        // "405: MKCOL can only be executed on an unmapped URL." Who may not make it may still use it.
        let response = try await send("MKCOL", at: path, accepts: [301, 403, 405, 409])
        // "409: one or more intermediate collections" are missing.
        guard response.status == 409, path != "/" else { return }
        try await makeFolder(at: "/" + path.split(separator: "/").dropLast().map { "\($0)/" }.joined())
        _ = try await send("MKCOL", at: path, accepts: [301, 403, 405])
    }

    /// Gives the file in pieces, as long as they are wanted; false where the server does not give it so.
    func read(_ name: String, size: UInt64, _ take: (RawSpan) -> Bool) async throws -> Bool {
        var position: UInt64 = 0
        while position < size {
            let end = min(position + Self.pieceRead, size)
            let isWhole = position == 0 && end == size
            let headers = isWhole ? [] : [HTTPHeader("Range", "bytes=\(position)-\(end - 1)")]
            let response: HTTPResponse
            do {
                response = try await send(
                    "GET", name, headers: headers, answerLimit: Int(end - position), accepts: [404, 416])
            } catch HTTPFailure.unreadable {
                // The whole file, where we asked for a piece.
                return false
            }
            guard response.status == (isWhole ? 200 : 206), response.body.count == Int(end - position) else {
                return false
            }
            if !take(response.body.span.bytes) { return true }
            position = end
        }
        return true
    }
}
