import Bridge
import Digest
import S3

/// What a WebDAV server said instead of doing it.
struct WebDAVRefusal: Error {
    let method: String
    let status: Int
    let retryAfter: Duration?
}

/// One server: requests and what their answers mean (RFC 4918).
struct WebDAVServer: Sendable {
    let address: WebDAVAddress
    /// The whole value of `Authorization`.
    private let authorization: String?
    private let http: any HTTPTransport
    private let wall: any WallTime

    /// Read back at a time.
    private static let pieceRead: UInt64 = 4 << 20

    init(_ address: WebDAVAddress, login: ServerLogin?, http: any HTTPTransport, wall: any WallTime) {
        self.address = address
        self.http = http
        self.wall = wall
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
        let response = try await http.send(
            HTTPRequest(
                method, address.origin + path,
                headers: headers + (authorization.map { [HTTPHeader("Authorization", $0)] } ?? []),
                body: body, answerLimit: answerLimit, onSent: onSent))
        if (200..<300).contains(response.status) || accepts.contains(response.status) { return response }
        throw WebDAVRefusal(
            method: method, status: response.status,
            retryAfter: ServerTime.retryAfter(response, now: wall.wallNow))
    }

    /// How large a file is; nothing when there is none.
    func size(of name: String) async throws -> UInt64? {
        let response = try await send("HEAD", name, accepts: [301, 302, 307, 308, 404])
        if response.status == 404 { return nil }
        // A folder, perhaps: nothing of ours.
        guard response.status == 200, let size = response["content-length"].flatMap({ UInt64($0) }) else {
            return .max
        }
        return size
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
        return try await send("MOVE", name, headers: headers, accepts: [412]).status != 412
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

    /// The SHA-256 of what lies there; nothing where the server does not give it in pieces.
    func digest(of name: String, size: UInt64) async throws -> SHA256Digest? {
        let hash = SHA256()
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
                // All of it, to whoever wanted a piece.
                return nil
            }
            guard response.status == (isWhole ? 200 : 206), response.body.count == Int(end - position) else {
                return nil
            }
            hash.update(response.body)
            position = end
        }
        return hash.finish()
    }
}
