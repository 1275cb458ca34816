import Basics
import Digest
import HTTPServer
import TestSupport
import Testing

@testable import Gallery

/// Guests who bring photos, by the browsers of ``ReactionGround``.
extension ReactionGround.Guest {
    /// A request of the protocol, with the browser's cookies.
    func send(
        _ method: String, _ path: String, bytes: [UInt8] = [], headers: [HTTPHeader]
    ) async throws -> GalleryGround.Answer {
        let pairs = cookies.value.map { "\($0.key)=\($0.value)" }
        let cookie = pairs.isEmpty ? [] : [HTTPHeader("Cookie", pairs.joined(separator: "; "))]
        let answer = try await gallery.call(
            method, "/e/\(slug)/\(path)", bytes: bytes, headers: headers + cookie, peer: peer)
        for header in answer.headers where header.isNamed("Set-Cookie") {
            let pair = header.value.prefix { $0 != ";" }.split(separator: "=", maxSplits: 1)
            if pair.count == 2 { cookies.change { $0[String(pair[0])] = String(pair[1]) } }
        }
        return answer
    }

    func begin(
        _ length: Int, name: String = "IMG_1.JPG", as guest: String? = nil, key: String? = nil,
        type: String = "image/jpeg", _ more: [String: String] = [:]
    ) async throws -> GalleryGround.Answer {
        var about = ["filetype": type, "filename": name]
        about["guest"] = guest
        about.merge(more) { $1 }
        let pairs = about.sorted { $0.key < $1.key }.map { "\($0.key) \(Base64.text(Array($0.value.utf8)))" }
        return try await send(
            "POST", "uploads/tus",
            headers: [
                HTTPHeader("Tus-Resumable", "1.0.0"), HTTPHeader("Upload-Length", "\(length)"),
                HTTPHeader("Upload-Metadata", pairs.joined(separator: ",")),
                HTTPHeader("Content-Length", "0"),
            ] + (key.map { [HTTPHeader("Idempotency-Key", $0)] } ?? []))
    }

    func append(_ text: String, at offset: Int, to upload: String) async throws -> GalleryGround.Answer {
        try await append(Array(text.utf8), at: offset, to: upload)
    }

    func append(_ bytes: [UInt8], at offset: Int, to upload: String) async throws -> GalleryGround.Answer {
        try await send(
            "PATCH", "uploads/tus/\(upload)", bytes: bytes,
            headers: GalleryGround.patchHeaders(bytes.count, at: offset))
    }

    /// Begins one that has to be taken: its id.
    func begun(
        _ length: Int, name: String = "IMG_1.JPG", as guest: String? = nil
    ) async throws -> String {
        let answer = try await begin(length, name: name, as: guest)
        #expect(answer.status == 201, "\(answer)")
        let location = try #require(answer.header("Location"))
        let start = "/e/\(slug)/uploads/tus/"
        #expect(location.hasPrefix(start), "\(location)")
        return String(location.dropFirst(start.count))
    }

    /// All of a text that stands for a picture: the upload's id.
    @discardableResult
    func bring(_ text: String, as guest: String? = nil) async throws -> String {
        let upload = try await begun(text.utf8.count, name: "\(text).jpg", as: guest)
        let answer = try await append(text, at: 0, to: upload)
        #expect(answer.status == 204, "\(answer)")
        return upload
    }

    /// What has become of each, by the file's name.
    func states() async throws -> [String: String] {
        let list = try await ask("GET", "uploads")
        #expect(list.status == 200, "\(list)")
        let pairs = (list["uploads"]?.array ?? []).compactMap { upload -> (String, String)? in
            guard let name = upload["filename"]?.string, let state = upload["state"]?.string else {
                return nil
            }
            return (name, state)
        }
        return Dictionary(pairs) { first, _ in first }
    }

    /// Names of the files that guests see.
    func seen() async throws -> Set<String> {
        let list = try await ask("GET", "photos")
        return Set((list["photos"]?.array ?? []).compactMap { $0["filename"]?.string })
    }
}

extension ReactionGround {
    static let open: JSONValue = ["name": "Wedding", "allowsGuestUploads": .bool(true)]

    var event: String { "/events/\(host.event)" }

    /// What waits for the host, by the file's name.
    func waiting() async throws -> [String: JSONValue] {
        let list = try await ask("GET", "\(event)/photos?waiting=true")
        let pairs = (list["photos"]?.array ?? []).map { ($0["filename"]?.string ?? "", $0) }
        return Dictionary(pairs) { first, _ in first }
    }

    func credits() async throws -> Int {
        try await gallery.store.number("SELECT credits FROM accounts WHERE id = '\(host.account)'")
    }

    func spent() async throws -> Int {
        try await gallery.store.number(
            "SELECT guest_credits_spent FROM events WHERE id = '\(host.event)'")
    }

    func grant(_ count: Int) async throws {
        _ = try await gallery.store.grantCredits(to: host.account, count)
    }
}
