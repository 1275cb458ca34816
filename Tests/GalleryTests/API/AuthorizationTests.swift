import Basics
import HTTPServer
import Posix
import TestSupport
import Testing

@testable import Gallery

/// Who may do what: every route, asked by every kind of caller.
@Suite struct AuthorizationTests {
    /// The owner comes last: whatever the others try has changed nothing for him.
    enum Caller: CaseIterable, Sendable {
        case nobody
        case expired
        /// Logged out since the token was given.
        case revoked
        case otherUser
        /// Knows the PIN of the event.
        case guest
        /// Knows the PIN of another one.
        case guestElsewhere
        /// Knows the PIN, and has brought something else.
        case otherDevice
        /// Knows the PIN, has begun the upload that is asked for, and written the comment.
        case uploader
        case owner
    }

    /// What is asked, and what each caller is answered, in the order of `Caller`.
    struct Row: Sendable {
        let target: String
        var body: JSONValue?
        let statuses: [Int]

        /// The same for all.
        init(_ target: String, _ body: JSONValue? = nil, all status: Int) {
            self.init(target, body, Caller.allCases.map { _ in status })
        }

        /// For callers with a valid token.
        init(_ target: String, _ body: JSONValue? = nil, user: Int, owner: Int) {
            self.init(target, body, [401, 401, 401, user, 401, 401, 401, 401, owner])
        }

        /// For the caller with the pass, which alone counts.
        init(_ target: String, pass: Int, without status: Int) {
            self.init(target, nil, [status, status, status, status, pass, status, pass, pass, status])
        }

        /// For the browser of a guest's that began or wrote it.
        init(_ target: String, uploader: Int) {
            self.init(target, nil, [403, 403, 403, 403, 404, 403, 404, uploader, 403])
        }

        init(_ target: String, _ body: JSONValue?, _ statuses: [Int]) {
            self.target = target
            self.body = body
            self.statuses = statuses
        }
    }

    /// EVENT, SLUG, PHOTO, KEY, DONE and OPEN (an upload that is finished, one that is not), TUS (one that comes in pieces),
    /// MINE (the same of a guest's), COMMENT (that guest's) and ALBUM are put in.
    static let table: [String: Row] = [
        // Says who one is by what is in the body, and here is nothing in it.
        "POST /auth/register": Row("/auth/register", [:], all: 422),
        "POST /auth/login": Row("/auth/login", [:], all: 422),
        "POST /auth/refresh": Row("/auth/refresh", [:], all: 422),
        "POST /auth/logout": Row("/auth/logout", [:], all: 422),
        "GET /me": Row("/me", user: 200, owner: 200),
        "POST /auth/forgot": Row("/auth/forgot", ["email": "host@example.org"], all: 403),
        "POST /auth/reset": Row(
            "/auth/reset", ["token": "guessed", "new": "long enough"], all: 403),
        "POST /me/password": Row(
            "/me/password", ["current": "guessed", "new": "long enough"], user: 403,
            owner: 403),
        "GET /me/sessions": Row("/me/sessions", user: 200, owner: 200),
        "DELETE /me/sessions": Row("/me/sessions", user: 204, owner: 204),
        "DELETE /me/sessions/{id}": Row("/me/sessions/FAMILY", user: 404, owner: 204),
        "DELETE /me": Row("/me", user: 204, owner: 204),
        "GET /consent": Row("/consent", user: 200, owner: 200),
        "POST /consent": Row("/consent", ["version": .integer(1)], user: 200, owner: 200),
        "GET /events": Row("/events", user: 200, owner: 200),
        "POST /events": Row("/events", ["name": "Party"], user: 201, owner: 201),
        "GET /events/{id}": Row("/events/EVENT", user: 404, owner: 200),
        // What is wrong with it is told to the owner only.
        "PATCH /events/{id}": Row("/events/EVENT", ["name": .null], user: 404, owner: 422),
        "GET /events/{id}/cameras": Row("/events/EVENT/cameras", user: 404, owner: 200),
        "PATCH /events/{id}/cameras/{serial}": Row(
            "/events/EVENT/cameras/CAMERA", ["shiftSeconds": "1"], user: 404, owner: 422),
        "GET /events/{id}/albums": Row("/events/EVENT/albums", user: 404, owner: 200),
        "GET /events/{id}/downloads": Row("/events/EVENT/downloads", user: 404, owner: 200),
        "POST /events/{id}/albums": Row("/events/EVENT/albums", ["name": .null], user: 404, owner: 422),
        "PATCH /events/{id}/albums/{albumId}": Row(
            "/events/EVENT/albums/ALBUM", ["name": .null], user: 404, owner: 422),
        "DELETE /events/{id}/albums/{albumId}": Row("/events/EVENT/albums/ALBUM", user: 404, owner: 204),
        "PUT /events/{id}/logo": Row("/events/EVENT/logo", user: 404, owner: 422),
        "DELETE /events/{id}/logo": Row("/events/EVENT/logo", user: 404, owner: 200),
        "DELETE /events/{id}": Row("/events/EVENT", user: 404, owner: 204),
        "POST /events/{id}/key": Row("/events/EVENT/key", user: 404, owner: 200),
        "GET /events/{id}/qr.svg": Row("/events/EVENT/qr.svg", user: 404, owner: 200),
        "POST /uploads/presign": Row(
            "/uploads/presign",
            ["eventId": "EVENT", "contentType": "image/jpeg", "contentLength": .integer(9)],
            user: 404, owner: 201),
        "POST /uploads/{uploadId}/presign": Row("/uploads/OPEN/presign", user: 404, owner: 200),
        "GET /uploads/status": Row("/uploads/status?ids=DONE,OPEN", user: 200, owner: 200),
        "GET /uploads/photos": Row("/uploads/photos?ids=PHOTO", user: 200, owner: 200),
        "GET /uploads/events/{eventId}": Row("/uploads/events/EVENT", user: 404, owner: 200),
        "POST /uploads/events/{eventId}/{uploadId}/retry": Row(
            "/uploads/events/EVENT/OPEN/retry", user: 404, owner: 409),
        "POST /uploads/events/{eventId}/retry-all": Row(
            "/uploads/events/EVENT/retry-all", user: 404, owner: 200),
        "POST /uploads/events/{eventId}/dismiss-all": Row(
            "/uploads/events/EVENT/dismiss-all", user: 404, owner: 200),
        "POST /uploads/events/{eventId}/{uploadId}/dismiss": Row(
            "/uploads/events/EVENT/OPEN/dismiss", user: 404, owner: 409),
        "OPTIONS /uploads/tus": Row("/uploads/tus", all: 204),
        "OPTIONS /uploads/tus/{uploadId}": Row("/uploads/tus/TUS", all: 204),
        "POST /uploads/tus": Row("/uploads/tus", user: 404, owner: 201),
        "PATCH /uploads/tus/{uploadId}": Row("/uploads/tus/TUS", user: 404, owner: 204),
        "GET /uploads/tus/{uploadId}": Row("/uploads/tus/TUS", user: 404, owner: 200),
        "DELETE /uploads/tus/{uploadId}": Row("/uploads/tus/TUS", user: 404, owner: 204),
        // A client with the signed URL may; without its signature none may.
        "PUT /objects/{key}": Row("/objects/KEY", all: 403),
        "GET /events/{id}/photos": Row("/events/EVENT/photos", user: 404, owner: 200),
        // What is another's is left out, as if it were not there.
        "PATCH /photos": Row("/photos", ["ids": ["PHOTO"]], user: 200, owner: 200),
        "POST /photo-deletions": Row("/photo-deletions", ["ids": ["PHOTO"]], user: 200, owner: 200),
        "GET /photos/{id}": Row("/photos/PHOTO", user: 404, owner: 200),
        "PATCH /photos/{id}": Row("/photos/PHOTO", ["rating": .integer(9)], user: 404, owner: 422),
        "DELETE /photos/{id}": Row("/photos/PHOTO", user: 404, owner: 204),
        "POST /events/{id}/zip-link": Row("/events/EVENT/zip-link", user: 404, owner: 200),
        "GET /events/{id}/zip": Row("/events/EVENT/zip", user: 404, owner: 200),
        // An owner's token says as much as a pass.
        "GET /images/{key}": Row("/images/KEY", nil, [404, 404, 404, 404, 200, 404, 200, 200, 200]),
        "POST /sync": Row("/sync", ["changes": []], user: 200, owner: 200),
        "GET /e/{slug}": Row("/e/SLUG", pass: 200, without: 200),
        "GET /e/{slug}/photos": Row("/e/SLUG/photos", pass: 200, without: 403),
        "GET /e/{slug}/timeline": Row("/e/SLUG/timeline", pass: 200, without: 403),
        "GET /e/{slug}/albums": Row("/e/SLUG/albums", pass: 200, without: 403),
        "GET /e/{slug}/photos/{id}/download": Row("/e/SLUG/photos/PHOTO/download", pass: 303, without: 403),
        "GET /e/{slug}/live": Row("/e/SLUG/live", pass: 200, without: 403),
        "GET /e/{slug}/show": Row("/e/SLUG/show", pass: 200, without: 200),
        // The page that asks for the PIN, or the photo's: `LinkPreviewTests` tells them apart.
        "GET /e/{slug}/p/{id}": Row("/e/SLUG/p/PHOTO", all: 200),
        "GET /e/{slug}/manifest.webmanifest": Row("/e/SLUG/manifest.webmanifest", all: 200),
        // Colours, and what lies under the key of a logo: KEY is a photo's.
        "GET /e/{slug}/look.css": Row("/e/SLUG/look.css", all: 200),
        "GET /e/{slug}/logo/{key}": Row("/e/SLUG/logo/KEY", all: 404),
        "GET /e/sw.js": Row("/e/sw.js", all: 200),
        "POST /e/{slug}/zip-link": Row("/e/SLUG/zip-link", pass: 200, without: 403),
        // Any client with the link may, and none without it.
        "GET /e/{slug}/zip": Row("/e/SLUG/zip?pass=1795691466.AAY.547452e0c1d3f92f.1z.guessed", all: 403),
        "POST /e/{slug}/access": Row("/e/SLUG/access", [:], all: 403),
        "GET /e/{slug}/access": Row("/e/SLUG/access", all: 303),
        "GET /e/{slug}/qr.svg": Row("/e/SLUG/qr.svg", all: 200),
        "GET /e/{slug}/reactions": Row("/e/SLUG/reactions", pass: 200, without: 403),
        "GET /e/{slug}/hearts": Row("/e/SLUG/hearts", pass: 200, without: 403),
        "PUT /e/{slug}/photos/{id}/heart": Row("/e/SLUG/photos/PHOTO/heart", pass: 200, without: 403),
        "DELETE /e/{slug}/photos/{id}/heart": Row("/e/SLUG/photos/PHOTO/heart", pass: 200, without: 403),
        "GET /e/{slug}/photos/{id}/comments": Row("/e/SLUG/photos/PHOTO/comments", pass: 200, without: 403),
        "POST /e/{slug}/photos/{id}/comments": Row(
            "/e/SLUG/photos/PHOTO/comments", ["name": "Cleo", "text": "Lovely"],
            [403, 403, 403, 403, 201, 403, 201, 201, 403]),
        "DELETE /e/{slug}/comments/{comment}": Row("/e/SLUG/comments/COMMENT", uploader: 204),
        "GET /e/{slug}/uploads": Row("/e/SLUG/uploads", pass: 200, without: 403),
        "DELETE /e/{slug}/uploads/{uploadId}": Row("/e/SLUG/uploads/MINE", uploader: 204),
        "OPTIONS /e/{slug}/uploads/tus": Row("/e/SLUG/uploads/tus", all: 204),
        "OPTIONS /e/{slug}/uploads/tus/{uploadId}": Row("/e/SLUG/uploads/tus/MINE", all: 204),
        "POST /e/{slug}/uploads/tus": Row("/e/SLUG/uploads/tus", pass: 201, without: 403),
        "PATCH /e/{slug}/uploads/tus/{uploadId}": Row("/e/SLUG/uploads/tus/MINE", uploader: 204),
        "GET /e/{slug}/uploads/tus/{uploadId}": Row("/e/SLUG/uploads/tus/MINE", uploader: 200),
        "DELETE /e/{slug}/uploads/tus/{uploadId}": Row("/e/SLUG/uploads/tus/MINE", uploader: 204),
        "GET /events/{id}/reactions": Row("/events/EVENT/reactions", user: 404, owner: 200),
        "GET /events/{id}/comments": Row("/events/EVENT/comments", user: 404, owner: 200),
        "DELETE /events/{id}/comments/{comment}": Row(
            "/events/EVENT/comments/COMMENT", user: 404, owner: 204),
        "GET /events/{id}/live": Row(
            "/events/EVENT/live", nil, [401, 401, 401, 404, 200, 401, 200, 200, 200]),
        "GET /host": Row("/host", all: 200),
        "GET /assets/{version}/{name}": Row("/assets/any/page.css", all: 200),
        "GET /health": Row("/health", all: 200),
        "GET /ready": Row("/ready", all: 200),
        // From elsewhere than this machine.
        "GET /metrics": Row("/metrics", all: 403),
        "GET /": Row("/", all: 200),
        "GET /openapi.json": Row("/openapi.json", all: 200),
    ]

    @Test("there is a row for every route, and no other")
    func everyRoute() throws {
        let served = Set(try GalleryGround().server.routes.map { "\($0.method) \($0.pattern)" })
        #expect(served == Set(Self.table.keys))
    }

    @Test("every caller is answered as the table says", arguments: table.keys.sorted())
    func matrix(route: String) async throws {
        let row = try #require(Self.table[route])
        let scene = try await Scene()
        let method = String(route.prefix { $0 != " " })
        for (caller, status) in zip(Caller.allCases, row.statuses) {
            let answer = try await scene.ask(method, row, as: caller)
            #expect(answer.status == status, "\(caller): \(answer)")
            // A caller who is refused learns no name, no address and no key.
            if status >= 400, caller != .owner {
                for secret in scene.secrets { #expect(!answer.text.contains(secret), "\(caller): \(answer)") }
            }
        }
        #expect(scene.gallery.warnings.value == [])
    }

    @Test("the document says of the same routes that they need no authentication")
    func security() {
        for (route, row) in Self.table {
            // A PIN's pass is one way of saying it.
            let isOpen = row.statuses[0] != 401 || ["GET /e/{slug}", "GET /e/{slug}/show"].contains(route)
            let hasAnother = ["GET /events/{id}/zip", "GET /events/{id}/live"].contains(route)
            #expect(Contract.isOpen(route) == (isOpen || hasAnother), "\(route)")
        }
    }

    @Test("another account's uploads are left out, also among one's own")
    func status() async throws {
        let scene = try await Scene()
        let target = "/uploads/status?ids=DONE,OPEN"
        let others = try await scene.ask("GET", Row(target, all: 200), as: .otherUser)
        #expect(others.data?.array?.isEmpty == true)
        let owners = try await scene.ask("GET", Row(target, all: 200), as: .owner)
        #expect(owners.data?.array?.count == 2)
    }

    @Test("what a guest brought is the host's alone to see and to decide on, and then every guest's")
    func moderation() async throws {
        let scene = try await Scene()
        let waiting = try await scene.bring()
        let (id, key) = (try #require(waiting["id"]?.string), try #require(waiting["screenKey"]?.string))
        /// Who may have the picture, and who finds it in the guests' list.
        func seen() async throws -> (images: [Caller], lists: [Caller]) {
            var (images, lists): ([Caller], [Caller]) = ([], [])
            for caller in Caller.allCases {
                let image = try await scene.ask("GET", Row("/images/\(key)", all: 200), as: caller)
                if image.status == 200 { images.append(caller) } else { #expect(image.status == 404) }
                let list = try await scene.ask("GET", Row("/e/SLUG/photos", all: 200), as: caller)
                if list.text.contains(id) { lists.append(caller) }
            }
            return (images, lists)
        }
        #expect(try await seen() == ([.owner], []))
        let approve = Row("/photos/\(id)", ["hidden": .bool(false)], user: 404, owner: 200)
        for (caller, status) in zip(Caller.allCases, approve.statuses) where caller != .owner {
            #expect(try await scene.ask("PATCH", approve, as: caller).status == status, "\(caller)")
        }
        #expect(try await seen() == ([.owner], []))
        #expect(try await scene.ask("PATCH", approve, as: .owner).status == 200)
        let guests: [Caller] = [.guest, .otherDevice, .uploader]
        #expect(try await seen() == (guests + [.owner], guests))
    }

    @Test("a link to everything is good for one event, for six hours, as it was given")
    func links() async throws {
        let scene = try await Scene()
        let gallery = scene.gallery
        let link = try await gallery.call(
            "POST", "/events/\(scene.host.event)/zip-link", token: gallery.token(scene.host))
        let whole = try #require(link["url"]?.string)
        let url = String(whole.dropFirst("http://gallery.example".count))
        #expect(try await gallery.call("GET", url).status == 200)
        gallery.wall.go(.seconds(5 * 3600))
        #expect(try await gallery.call("GET", url).status == 200)
        let elsewhere = url.replacing(scene.host.event, with: scene.other.event)
        #expect(try await gallery.call("GET", elsewhere).status == 403)
        #expect(try await gallery.call("GET", url + "A").status == 403)
        #expect(try await gallery.call("GET", url.replacing("pass=1", with: "pass=2")).status == 403)
        gallery.wall.go(.seconds(6 * 3600 + 1))
        #expect(try await gallery.call("GET", url).status == 403)
    }

    @Test("a guest's pass has an end, and ends with the PIN")
    func passes() async throws {
        let scene = try await Scene()
        let image = Row("/images/KEY", all: 200)
        #expect(try await scene.ask("GET", image, as: .guest).status == 200)
        let change = try await scene.gallery.call(
            "PATCH", "/events/\(scene.host.event)", ["pin": "97531"], token: scene.gallery.token(scene.host))
        #expect(change.status == 200)
        #expect(try await scene.ask("GET", image, as: .guest).status == 404)
        let later = try await Scene()
        later.gallery.wall.go(.seconds(30 * 86_400 + 1))
        #expect(try await later.ask("GET", image, as: .guest).status == 404)
    }
}
