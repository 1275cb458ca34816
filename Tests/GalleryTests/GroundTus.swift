import Basics
import Digest
import HTTPServer
import Testing

@testable import Gallery

/// Uploads by the tus protocol as a client brings them.
extension GalleryGround {
    /// What a request says, of whichever kind it is; no body comes with it.
    static func tusHeaders(
        _ length: Int, at offset: Int, for host: Host, name: String = "DSC_1.JPG",
        _ more: [String: String] = [:]
    ) -> [HTTPHeader] {
        let about = ["event": host.event, "filetype": "image/jpeg", "filename": name].merging(more) { $1 }
        let pairs = about.sorted { $0.key < $1.key }.map { "\($0.key) \(Base64.text(Array($0.value.utf8)))" }
        return [
            HTTPHeader("Tus-Resumable", "1.0.0"), HTTPHeader("Upload-Length", "\(length)"),
            HTTPHeader("Upload-Metadata", pairs.joined(separator: ",")),
            HTTPHeader("Upload-Offset", "\(offset)"), HTTPHeader("Content-Length", "0"),
            HTTPHeader("Content-Type", "application/offset+octet-stream"),
        ]
    }

    /// Its id.
    func beginTus(_ length: Int, for host: Host, name: String = "DSC_1.JPG") async throws -> String {
        let answer = try await call(
            "POST", "/uploads/tus", token: token(host),
            headers: Self.tusHeaders(length, at: 0, for: host, name: name))
        #expect(answer.status == 201, "\(answer)")
        let location = try #require(answer.header("Location"))
        #expect(location.hasPrefix("/uploads/tus/"))
        return String(location.dropFirst("/uploads/tus/".count))
    }

    /// The next bytes, in one request.
    func append(
        _ bytes: [UInt8], at offset: Int, to upload: String, for host: Host, checksum: String? = nil
    ) async throws -> Answer {
        try await call(
            "PATCH", "/uploads/tus/\(upload)", bytes: bytes,
            headers: Self.patchHeaders(bytes.count, at: offset, checksum) + [
                HTTPHeader("Authorization", "Bearer \(token(host))")
            ])
    }

    static func patchHeaders(_ count: Int, at offset: Int, _ checksum: String? = nil) -> [HTTPHeader] {
        [
            HTTPHeader("Tus-Resumable", "1.0.0"), HTTPHeader("Upload-Offset", "\(offset)"),
            HTTPHeader("Content-Length", "\(count)"),
            HTTPHeader("Content-Type", "application/offset+octet-stream"),
        ] + (checksum.map { [HTTPHeader("Upload-Checksum", $0)] } ?? [])
    }

    func tus(_ upload: String, for host: Host) async throws -> Answer {
        try await call("GET", "/uploads/tus/\(upload)", token: token(host))
    }

    /// A request that has begun and whose body is still coming: as the server holds it.
    func beginning(
        _ count: Int, at offset: Int, of upload: String, for host: Host
    ) async throws -> any BodySink {
        let request = Request(
            method: "PATCH", path: "/uploads/tus/\(upload)", parameters: ["uploadId": upload],
            headers: Self.patchHeaders(count, at: offset) + [
                HTTPHeader("Authorization", "Bearer \(token(host))")
            ])
        let route = try #require(
            server.routes.first { $0.method == "PATCH" && $0.pattern == "/uploads/tus/{uploadId}" })
        guard case .intake(let handler) = route.handler,
            case .take(let sink, limit: _) = await handler(request)
        else { throw Surprise("the bytes are not taken") }
        return sink
    }

    /// What a storage holds that no photo has, and what is wrong with it.
    func care() async throws -> GalleryCare.Report {
        try await GalleryCare.check(ground.database, FolderObjects(path: objects))
    }
}
