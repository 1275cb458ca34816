import Basics
import HTTPServer
import TestSupport
import Testing

@testable import Gallery

/// Videos that come as a client brings them.
extension GalleryGround {
    /// A place for a video, asked for with its own name as the key.
    func videoPlace(
        _ bytes: [UInt8], for host: Host, name: String = "MVI_1.MP4", type: String = VideoType.mp4
    ) async throws -> Answer {
        try await call(
            "POST", "/uploads/presign",
            [
                "eventId": .string(host.event), "contentType": .string(type),
                "contentLength": .integer(Int64(bytes.count)), "filename": .string(name),
            ], token: token(host), headers: [HTTPHeader("Idempotency-Key", name)])
    }

    /// Of the copy that guests are given.
    func streamKey(of video: JSONValue) async throws -> String? {
        let id = try #require(video["id"]?.string)
        return try await server.store { try $0.database.photo(id)?.video?.streamKey }
    }

    /// A whole upload, worked on to its end: what the host's list says of it.
    @discardableResult
    func bringVideo(
        _ bytes: [UInt8] = VideoFile().bytes, for host: Host, name: String = "MVI_1.MP4",
        type: String = VideoType.mp4
    ) async throws -> JSONValue {
        let place = try await videoPlace(bytes, for: host, name: name, type: type)
        try await fill(place, with: bytes)
        try await work()
        let list = try await call("GET", "/events/\(host.event)/photos?hidden=true", token: token(host))
        return try #require(
            list["photos"]?.array?.first { $0["filename"]?.string == name }, "\(list) \(warnings.value)")
    }
}
