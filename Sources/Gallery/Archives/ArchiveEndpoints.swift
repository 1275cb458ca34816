import Basics
import Bridge
package import HTTPServer

/// `…/zip-link` and `…/zip`: photos to take home, in one file, for guests by `/e/{slug}` and for hosts by `/events/{id}`.
///
/// A link leads to one archive, byte for byte, so that a download that was cut goes on from any place.
package struct ArchiveEndpoints: Sendable {
    let guests: GuestEndpoints
    let storage: any ObjectStorage
    let desk: ArchiveDesk
    let seats: ArchiveSeats
    let devices: GuestDevices
    let downloads: DownloadCounter
    let time: any TimeSource
    let log: GalleryLog
    let activity: ActivityLog

    private var reader: ReaderPool { guests.reader }
    private var store: StorePool { guests.store }
    private var door: GuestDoor { guests.door }
    private var accounts: Accounts { guests.accounts }

    // MARK: Links

    private struct Asked {
        /// Everything, where none are named.
        var photos: [String]?
        /// Of one section, where no photos are named.
        var album: String?
        var size: ArchiveWish.Size?
    }

    private static func asked(_ request: Request) throws -> Asked {
        if request.body.isEmpty { return Asked() }
        return try JSONFields.read(request) { fields in
            Asked(
                photos: fields.optional("photos", .list(1...ArchiveWish.mostPhotos, of: .uuid)),
                album: fields.optional("album", .uuid),
                size: fields.optional("size", .word(ArchiveWish.Size.self, "screen or original")))
        }
    }

    /// POST /e/{slug}/zip-link. Originals are given where the host gives them; what fills a screen otherwise.
    package func guestLink(_ request: Request) async throws -> Response {
        let event = try await guests.visible(request)
        let asked = try Self.asked(request)
        try seats.mayHaveLink(.guest(PeerKey(request.peer)))
        let size = event.allowsOriginals ? asked.size ?? .screen : .screen
        let wish = try await wish(asked, size, of: event, showsHidden: false)
        var response = try await link(
            to: wish, of: event, for: .guest(event.door), at: "/e/\(PercentEncoding.encoded(event.slug))/zip")
        if let cookie = devices.taker(of: request, at: event.id, gives: true).cookie {
            response.headers.append(cookie)
        }
        return response
    }

    /// POST /events/{id}/zip-link
    package func hostLink(_ request: Request) async throws -> Response {
        let login = try await accounts.login(of: request)
        let id = try UploadEndpoints.id(request, "id", of: "event")
        let event = try await reader { try $0.event(id, of: login.account.id) }
        let asked = try Self.asked(request)
        try seats.mayHaveLink(.host)
        let wish = try await wish(asked, asked.size ?? .original, of: event, showsHidden: true)
        return try await link(
            to: wish, of: event, for: .host(event: id, login: login.token.family), at: "/events/\(id)/zip")
    }

    private func wish(
        _ asked: Asked, _ size: ArchiveWish.Size, of event: Event, showsHidden: Bool
    ) async throws -> ArchiveWish {
        guard let photos = asked.photos else {
            if let album = asked.album {
                // What is in no section is as if it were not there, for hosts as well.
                guard try await reader({ try $0.isSection(album, of: event.id) }) else {
                    throw APIError.notFound("section")
                }
                return try await desk.everything(of: event.id, in: album, size, showsHidden: false)
            }
            return try await desk.everything(of: event.id, size, showsHidden: showsHidden)
        }
        let sequences = try await reader {
            try $0.sequences(of: photos, in: event.id, showsHidden: showsHidden)
        }
        // Those that were hidden or deleted since the page was read are left out.
        guard !sequences.isEmpty else { throw APIError.notFound("photo") }
        return ArchiveWish(size, .some(sequences))
    }

    private func link(
        to wish: ArchiveWish, of event: Event, for holder: GuestDoor.Holder, at path: String
    ) async throws -> Response {
        var showsHidden = false
        if case .host = holder { showsHidden = true }
        let layout = try await desk.layout(of: event.id, wish, showsHidden: showsHidden)
        let (pass, end) = door.link(
            to: GuestDoor.Archive(wish: wish, digest: layout.digest), for: holder)
        return .data([
            "url": .string("\(guests.settings.publicURL)\(path)?pass=\(pass)"),
            "size": .string(wish.size.rawValue), "photos": .integer(Int64(layout.files.count)),
            "bytes": .unsigned(layout.length), "expiresAt": end.json,
        ])
    }

    // MARK: Archives

    private static let expired = APIError(
        .forbidden,
        "this link has expired, or is not good any more; ask for a new one on the page it came from")

    /// GET /e/{slug}/zip
    package func guestZip(_ request: Request) async throws -> Response {
        guard let slug = request.parameters["slug"], slug.utf8.count <= 100,
            let event = try await reader({ try $0.event(slug: slug) })
        else { throw APIError.notFound("event") }
        if guests.isOver(event) { throw GuestEndpoints.gone }
        guard let pass = request.query["pass"],
            let archive = door.archive(ofGuestLink: pass, to: event.door)
        else { throw Self.expired }
        let wish = archive.wish
        guard wish.size == .screen || event.allowsOriginals else {
            throw APIError(
                .forbidden, "the hosts do not give originals any more; ask for the photos as large as screens"
            )
        }
        let layout = try await desk.layout(of: event.id, wish, showsHidden: false)
        let wall = door.wall
        let mayHave: @Sendable (ZipEntry) async throws -> Bool = { [reader] file in
            guard let image = try await reader({ try $0.image(file.key) }) else { return false }
            return image.isForGuests(at: wall.wallNow) && image.pinHash == event.pinHash
                && image.guestKey == event.key
        }
        return try await answer(
            request, layout, archive, of: event, by: (.guest(PeerKey(request.peer)), pass),
            counting(request, layout, wish, of: event), mayHave)
    }

    /// GET /events/{id}/zip
    package func hostZip(_ request: Request) async throws -> Response {
        let id = try UploadEndpoints.id(request, "id", of: "event")
        let event: Event
        var archive: GuestDoor.Archive?
        if let pass = request.query["pass"] {
            guard let link = door.archive(ofHostLink: pass, to: id) else { throw Self.expired }
            guard let found = try await store({ try $0.event(id) }) else { throw APIError.notFound("event") }
            guard try await reader({ try $0.isLoggedIn(found.owner, family: link.login) }) else {
                throw Self.expired
            }
            (event, archive) = (found, link.archive)
        } else {
            let account = try await accounts.authenticate(request)
            event = try await reader { try $0.event(id, of: account.id) }
        }
        let wish: ArchiveWish
        if let archive {
            wish = archive.wish
        } else {
            wish = try await desk.everything(of: id, .original, showsHidden: true)
        }
        let layout = try await desk.layout(of: id, wish, showsHidden: true)
        let known = archive ?? GuestDoor.Archive(wish: wish, digest: layout.digest)
        let mayHave: @Sendable (ZipEntry) async throws -> Bool = { [reader] file in
            try await reader { try $0.image(file.key) } != nil
        }
        return try await answer(
            request, layout, known, of: event, by: (.host, request.query["pass"] ?? request.id),
            { _, _ in }, mayHave)
    }

    private func answer(
        _ request: Request, _ layout: ZipLayout, _ archive: GuestDoor.Archive, of event: Event,
        by client: (kind: ArchiveSeats.Client, link: String),
        _ closed: @escaping @Sendable (_ begin: UInt64, _ sent: UInt64) -> Void,
        _ mayHave: @escaping @Sendable (ZipEntry) async throws -> Bool
    ) async throws -> Response {
        // A client that says which archive it has a part of is given the whole of another one; curl does not say it.
        if layout.digest != archive.digest, request["Range"] != nil, request["If-Range"] == nil {
            throw APIError(
                .preconditionFailed,
                "photos were hidden, deleted or set to another time since this download began; begin it anew")
        }
        let whole = ServedFile(path: "", size: layout.length, type: "application/zip", etag: layout.etag)
        let part: Range<UInt64>
        var status = 200
        var headers = Self.headers(layout, named: try await name(of: archive.wish, event))
        switch FilePlan(whole, request).answer {
        case .notModified: return Response(status: 304, headers: [HTTPHeader("ETag", layout.etag)])
        case .unsatisfiable:
            var refusal = GalleryServer.refusal(416, "the archive ends before that range")
            refusal.headers.append(HTTPHeader("Content-Range", "bytes */\(layout.length)"))
            return refusal
        case .whole: part = 0..<layout.length
        case .part(let range):
            part = range
            status = 206
            headers.append(
                HTTPHeader(
                    "Content-Range", "bytes \(range.lowerBound)-\(range.upperBound - 1)/\(layout.length)"))
        }
        headers.append(HTTPHeader("Content-Length", "\(part.count)"))
        let seat = try seats.take(client.kind, link: client.link)
        if request.method == "GET" {
            activity.note(
                .downloaded,
                ["event": event.id, "from": request.peer, "bytes": "\(part.count)", "status": "\(status)"])
        }
        var questions = questions(request, archive.wish.size, event, mayHave)
        questions.closed = { [begin = part.lowerBound] in closed(begin, $0) }
        let stream = ZipStream(layout, part, from: storage, time: time, seat: seat, questions)
        return Response(status: status, headers: headers, body: .stream(stream))
    }

    private func questions(
        _ request: Request, _ size: ArchiveWish.Size, _ event: Event,
        _ mayHave: @escaping @Sendable (ZipEntry) async throws -> Bool
    ) -> ZipStream.Questions {
        var questions = ZipStream.Questions(cut: { [log] error in
            log.warning("the ZIP of '\(event.name)' was cut: \(error)", of: request.id)
        })
        questions.mayHave = mayHave
        questions.learned = { [store, log] file, crc in
            do {
                try await store { try $0.learned(crc, of: file, size) }
            } catch {
                log.warning(
                    "the CRC of object \(file.key) could not be kept, and is made again the next time: \(error)",
                    of: request.id)
            }
        }
        if size == .original {
            questions.sha256 = { [reader] file in try await reader { try $0.sha256(ofOriginal: file.key) } }
        }
        return questions
    }

    /// As hosts and guests call what is in it.
    private func name(of wish: ArchiveWish, _ event: Event) async throws -> String {
        var name = event.name
        switch wish.selection {
        case .everything: break
        case .section(let album, _):
            if let section = try await reader({ try $0.name(ofAlbum: album, in: event.id) }) {
                name += " - \(section)"
            }
        case .some: name += " - selection"
        }
        // A name is no path: "Anna/Ben".
        let plain = String(name.map { $0 == "/" || $0 == "\\" ? "-" : $0 })
        return SafeName.shortened("\(SafeName.component(plain, fallback: event.slug)).zip")
    }

    private static func headers(_ layout: ZipLayout, named name: String) -> [HTTPHeader] {
        return [
            HTTPHeader("Content-Type", "application/zip"), HTTPHeader("ETag", layout.etag),
            HTTPHeader("Accept-Ranges", "bytes"),
            HTTPHeader("Content-Disposition", ContentDisposition.saved(as: name)),
            HTTPHeader("Cache-Control", "no-store"), HTTPHeader("X-Content-Type-Options", "nosniff"),
            HTTPHeader("X-Robots-Tag", "noindex"),
            // nginx would take a gigabyte as fast as it comes, and then nothing for minutes.
            HTTPHeader("X-Accel-Buffering", "no"),
        ]
    }
}
