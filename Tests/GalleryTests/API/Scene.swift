import Basics
import HTTPServer
import Posix
import Testing

@testable import Gallery

/// Two hosts with a closed event each, one photo, one upload under way, and a guest at each door.
struct Scene: Sendable {
    let gallery: GalleryGround
    let host: GalleryGround.Host
    let other: GalleryGround.Host
    let photo: String
    let imageKey: String
    let camera: String
    let album: String
    let finished: String
    let open: String
    let tus: String
    let guests: String
    /// Written by the uploader's browser.
    let comment: String
    let uploader: String
    private let otherDevice: String
    private let pass: String
    private let otherPass: String
    private let expired: String
    private let revoked: String

    init() async throws {
        // From before everything else: it has ended when the others begin.
        let gallery = try GalleryGround()
        self.gallery = gallery
        host = try await gallery.host(event: [
            "name": "Ann and Bob", "pin": "13579", "allowsGuestUploads": .bool(true),
        ])
        other = try await gallery.host("other@example.org", event: ["name": "Elsewhere", "pin": "24680"])
        expired = gallery.token(host)
        gallery.wall.go(.seconds(AccessToken.life))
        let pair = try #require(
            try await gallery.store.login(
                host.account, known: "*", newHash: nil, key: gallery.ground.accounts.refreshKeys.current)
        )
        let family = GalleryGround.Host(account: host.account, family: pair.family, event: "", slug: "")
        revoked = gallery.token(family)
        let out = try await gallery.call(
            "POST", "/auth/logout", ["refreshToken": .string(pair.refreshToken.text)])
        #expect(out.status == 204)
        pass = try await Self.pass(gallery, host.slug, "13579")
        otherPass = try await Self.pass(gallery, other.slug, "24680")
        finished = try await Self.upload(gallery, host, Array("a picture".utf8))
        open = try await Self.upload(gallery, host, nil)
        tus = try await gallery.beginTus(10, for: host)
        (uploader, guests) = try await Self.guest(gallery, host, pass)
        otherDevice = try await Self.guest(gallery, host, pass).cookies
        let list = try await gallery.call(
            "GET", "/events/\(host.event)/photos", token: gallery.token(host))
        let shown = try #require(list["photos"]?.array?.first)
        photo = try #require(shown["id"]?.string)
        imageKey = try #require(shown["screenKey"]?.string)
        let written = try await gallery.call(
            "POST", "/e/\(host.slug)/photos/\(photo)/comments", ["name": "Bea", "text": "Lovely"],
            headers: [HTTPHeader("Cookie", uploader)])
        comment = try #require(written["id"]?.string, "\(written)")
        let cameras = try await gallery.call(
            "GET", "/events/\(host.event)/cameras", token: gallery.token(host))
        camera = try #require(cameras.data?.array?.first?["id"]?.string)
        let made = try await gallery.call(
            "POST", "/events/\(host.event)/albums", ["name": "Church"], token: gallery.token(host))
        album = try #require(made["id"]?.string, "\(made)")
    }

    /// What only the owner may learn.
    var secrets: [String] {
        [
            "host@example.org", host.account, host.event, photo, imageKey, finished, open, tus, guests,
            camera, comment, album,
        ]
    }

    private static func pass(_ gallery: GalleryGround, _ slug: String, _ pin: String) async throws -> String {
        let answer = try await gallery.call("POST", "/e/\(slug)/access", ["pin": .string(pin)])
        return try #require(answer.header("Set-Cookie")?.split(separator: ";").first.map(String.init))
    }

    /// The cookies of a guest who has begun an upload, and the upload.
    private static func guest(
        _ gallery: GalleryGround, _ host: GalleryGround.Host, _ pass: String
    ) async throws -> (cookies: String, upload: String) {
        let answer = try await gallery.call(
            "POST", "/e/\(host.slug)/uploads/tus",
            headers: GalleryGround.tusHeaders(10, at: 0, for: host) + [HTTPHeader("Cookie", pass)])
        let cookie = try #require(answer.header("Set-Cookie")?.split(separator: ";").first, "\(answer)")
        let upload = try #require(answer.header("Location")?.split(separator: "/").last)
        return ("\(pass); \(cookie)", String(upload))
    }

    /// One that waits for its bytes, or has them and is done.
    private static func upload(
        _ gallery: GalleryGround, _ host: GalleryGround.Host, _ bytes: [UInt8]?
    ) async throws -> String {
        let place = try await gallery.call(
            "POST", "/uploads/presign",
            [
                "eventId": .string(host.event), "contentType": "image/jpeg",
                "contentLength": .integer(Int64(bytes?.count ?? 10)),
            ], token: gallery.token(host))
        if let bytes {
            let url = try #require(place["putUrl"]?.string)
            let headers = (place["requiredHeaders"]?.members ?? []).map {
                HTTPHeader($0.key, $0.value.string ?? "")
            }
            let put = try await gallery.call(
                "PUT", String(url.dropFirst("http://gallery.example".count)), bytes: bytes, headers: headers)
            #expect(put.status == 200)
            await gallery.hear()
            try await gallery.work()
        }
        return try #require(place["uploadId"]?.string)
    }

    /// The guest's upload gets its bytes, and becomes a photo that waits for the host: as the host's list tells it.
    func bring() async throws -> JSONValue {
        let bytes = Array("of a guest".utf8)
        let brought = try await gallery.call(
            "PATCH", "/e/\(host.slug)/uploads/tus/\(guests)", bytes: bytes,
            headers: GalleryGround.patchHeaders(bytes.count, at: 0) + [HTTPHeader("Cookie", uploader)])
        #expect(brought.status == 204, "\(brought)")
        try await gallery.work()
        let list = try await gallery.call(
            "GET", "/events/\(host.event)/photos?waiting=true", token: gallery.token(host))
        return try #require(list["photos"]?.array?.first, "\(list)")
    }

    func ask(
        _ method: String, _ row: AuthorizationTests.Row, as caller: AuthorizationTests.Caller
    ) async throws -> GalleryGround.Answer {
        var headers: [HTTPHeader] = []
        var token: String?
        switch caller {
        case .nobody: break
        case .expired: token = expired
        case .revoked: token = revoked
        case .otherUser: token = gallery.token(other)
        case .guest: headers = [HTTPHeader("Cookie", pass)]
        case .guestElsewhere: headers = [HTTPHeader("Cookie", otherPass)]
        case .otherDevice: headers = [HTTPHeader("Cookie", otherDevice)]
        case .uploader: headers = [HTTPHeader("Cookie", uploader)]
        case .owner: token = gallery.token(host)
        }
        if row.target.contains("/uploads/tus") { headers += GalleryGround.tusHeaders(10, at: 0, for: host) }
        return try await gallery.call(
            method, filled(row.target), row.body.map { try JSON5.parse(filled($0.compact)) }, token: token,
            headers: headers)
    }

    private func filled(_ text: String) -> String {
        let values = [
            "EVENT": host.event, "SLUG": host.slug, "PHOTO": photo, "KEY": imageKey, "DONE": finished,
            "OPEN": open, "TUS": tus, "MINE": guests, "CAMERA": camera, "FAMILY": host.family,
            "COMMENT": comment, "ALBUM": album,
        ]
        return values.reduce(text) { $0.replacing($1.key, with: $1.value) }
    }
}
