import Basics
import Digest
import Gallery
import HTTPServer
import TestSupport

/// A folder for objects, and a client that puts bytes into it without a network between them.
struct FolderRig {
    let folder: TemporaryFolder
    let calendar = StandingCalendar()
    let landed = Shared<[String]>([])
    let storage: FolderStorage

    static let key = "00112233445566778899aabbccddeeff"
    static let secret = ServerSecret(Array(40..<72))

    init() throws {
        let folder = try TemporaryFolder()
        try self.init(in: folder)
    }

    init(in folder: TemporaryFolder) throws {
        self.folder = folder
        let landed = landed
        storage = try FolderStorage(
            path: folder.file("objects"), publicURL: "https://gallery.example", keys: KeyRing(Self.secret),
            wall: calendar, random: Counting()
        ) { key in landed.change { $0.append(key) } }
    }

    func claim(
        _ bytes: [UInt8], key: String = Self.key, type: String = "image/jpeg", hashed: Bool = true
    ) -> PlaceClaim {
        PlaceClaim(
            key: key, contentType: type, length: UInt64(bytes.count),
            sha256: hashed ? "\(SHA256.of(bytes))" : nil, expiresAt: calendar.wallNow + .seconds(300))
    }

    /// The request that a client makes of an upload URL, before a test tampers with it.
    func request(_ place: UploadTarget) throws -> Request {
        let parts = place.url.split(separator: "?")
        guard parts.count == 2, let key = parts[0].split(separator: "/").last else {
            throw Oddity.noURL(place.url)
        }
        let query = try parts[1].split(separator: "&").map { item in
            let sides = item.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            return HTTPHeader(String(sides[0]), try PercentEncoding.decoded(sides[1]))
        }
        return Request(
            method: "PUT", path: "/objects/\(key)", parameters: ["key": String(key)], query: Query(query),
            headers: place.requiredHeaders)
    }

    /// The status of the answer, and its text.
    func put(_ bytes: [UInt8], _ request: Request, pieces: Int = 1000) async throws -> Answer {
        switch await storage.places.intake(request) {
        case .refuse(let response): return Answer(response)
        case .take(let sink, let limit):
            guard UInt64(bytes.count) <= limit else { throw Oddity.tooLong }
            for start in stride(from: 0, to: bytes.count, by: pieces) {
                try bytes[start..<min(start + pieces, bytes.count)].withUnsafeBytes { try sink.write($0) }
            }
            return Answer(await sink.finish())
        }
    }

    struct Answer: Equatable, CustomStringConvertible {
        let status: Int
        let text: String

        init(_ response: Response) {
            status = response.status
            guard case .bytes(let bytes) = response.body else {
                text = ""
                return
            }
            text = String(decoding: bytes, as: UTF8.self)
        }

        var description: String { "\(status) \(text)" }
    }

    enum Oddity: Error {
        case noURL(String)
        case tooLong
    }
}

extension Request {
    /// The same with another header of that name, or without it.
    func with(_ name: String, _ value: String?) -> Request {
        let others = headers.filter { $0.name != name }
        return Request(
            method: method, path: path, parameters: parameters, query: query,
            headers: others + (value.map { [HTTPHeader(name, $0)] } ?? []))
    }

    /// The same with another value in its query.
    func asking(_ name: String, _ value: String?) -> Request {
        let others = query.items.filter { $0.name != name }
        return Request(
            method: method, path: path, parameters: parameters,
            query: Query(others + (value.map { [HTTPHeader(name, $0)] } ?? [])), headers: headers)
    }

    func at(_ key: String) -> Request {
        Request(
            method: method, path: "/objects/\(key)", parameters: ["key": key], query: query, headers: headers)
    }
}
