import Basics
import HTTPServer
import Testing

@testable import Gallery

/// Photos that come as a client brings them.
extension GalleryGround {
    /// A place for bytes, asked for with a key of its own.
    func place(
        _ key: String, _ bytes: [UInt8], for host: Host, in event: String? = nil, name: String = "DSC_1.JPG",
        capturedAt: String = "2026-11-21T20:15:00.000Z"
    ) async throws -> Answer {
        try await call(
            "POST", "/uploads/presign",
            [
                "eventId": .string(event ?? host.event), "contentType": "image/jpeg",
                "contentLength": .integer(Int64(bytes.count)), "filename": .string(name),
                "capturedAt": .string(capturedAt),
            ], token: token(host), headers: [HTTPHeader("Idempotency-Key", key)])
    }

    /// Puts bytes at a place, and the server hears of it.
    func fill(_ place: Answer, with bytes: [UInt8]) async throws {
        let url = try #require(place["putUrl"]?.string, "\(place)")
        let headers = (place["requiredHeaders"]?.members ?? []).map {
            HTTPHeader($0.key, $0.value.string ?? "")
        }
        let put = try await call(
            "PUT", String(url.dropFirst("http://gallery.example".count)), bytes: bytes, headers: headers)
        #expect(put.status == 200, "\(put)")
        await hear()
    }

    /// A whole upload of a text that stands for a picture, worked on to its end: what the host's list says of it.
    @discardableResult
    func upload(_ text: String, for host: Host, in event: String? = nil) async throws -> JSONValue? {
        let bytes = Array(text.utf8)
        let place = try await place(text, bytes, for: host, in: event, name: "\(text).jpg")
        try await fill(place, with: bytes)
        try await work()
        let list = try await call(
            "GET", "/events/\(event ?? host.event)/photos?hidden=true", token: token(host))
        return list["photos"]?.array?.first { $0["filename"]?.string == "\(text).jpg" }
    }
}
