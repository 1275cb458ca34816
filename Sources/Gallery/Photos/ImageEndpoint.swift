import Basics
package import HTTPServer
import Synchronization

/// `GET /images/{key}`: bytes that never change under their key, for clients that know it and may look at this moment.
///
/// Whether a client may look does change: a photo is hidden, an event ends, originals are no longer given. Each request is
/// decided anew, and what is taken back is answered as if it had never been: from then on no answer of ours has it. What a
/// browser or a proxy was given before may be kept there for good, because bytes under a key never are others.
package struct ImageEndpoint: Sendable {
    let images: ImageAccessCache
    let storage: any ObjectStorage
    let door: GuestDoor
    let accounts: Accounts
    let delivery: ImageDelivery

    private typealias Image = ImageAccessCache.Image

    private enum Viewer: Equatable { case host, guest }

    /// Without waiting, where all that it takes is known; nothing where something has to be looked up.
    package func answerNow(_ request: Request) -> Response? {
        guard let key = request.parameters["key"], let image = images.known(key) else { return nil }
        let logins = logins(of: image, request)
        guard logins.allSatisfy({ images.isKnownLogin($0.account, family: $0.family) }) else { return nil }
        guard let viewer = viewer(of: image, isHost: !logins.isEmpty, request) else {
            return APIError.notFound("image").response
        }
        return atHand(image, viewer, request)
    }

    /// The server itself compares a file with what the browser has.
    private func atHand(_ image: Image, _ viewer: Viewer, _ request: Request) -> Response? {
        let isForAll = viewer == .guest && request.query.isAbsent && request.path == image.forGuests.path
        if isForAll, let known = image.forGuests.answer(at: door.wall.wallNow) { return known }
        let disposition = Self.disposition(of: image, request)
        guard let content = storage.contentAtHand(of: image.key, size: image.size, savedAs: disposition)
        else { return nil }
        let answer = finished(content.response(image.key, type: image.type), image, viewer, request)
        if isForAll {
            switch content {
            case .file: image.forGuests.keep(answer, of: nil)
            case .copy(let copy): image.forGuests.keep(answer, of: copy)
            // What leads elsewhere is signed for a moment.
            case .bytes, .elsewhere: break
            }
        }
        return answer
    }

    package func answer(_ request: Request) async throws -> Response {
        guard let key = request.parameters["key"], let image = try await images.find(key) else {
            throw APIError.notFound("image")
        }
        var isHost = false
        for login in logins(of: image, request) where !isHost {
            isHost = try await images.isLoggedIn(login.account, family: login.family)
        }
        guard let viewer = viewer(of: image, isHost: isHost, request) else {
            throw APIError.notFound("image")
        }
        if let response = atHand(image, viewer, request) { return response }
        if let known = Self.notModified(image, request) {
            return finished(known, image, viewer, request)
        }
        do throws(StorageProblem) {
            let content = try await storage.content(
                of: image.key, size: image.size, savedAs: Self.disposition(of: image, request))
            let response = content.response(image.key, type: image.type)
            return finished(response.part(image.key, image.type, request), image, viewer, request)
        } catch {
            throw Self.refusal(error, of: "image")
        }
    }

    /// By a token that is good, or by the cookie that the host's page has: those of the image's own host.
    private func logins(of image: Image, _ request: Request) -> [(account: String, family: String)] {
        accounts.logins(of: request).filter { $0.account == image.owner }
    }

    /// Nothing for a client that may not look at this moment.
    private func viewer(of image: Image, isHost: Bool, _ request: Request) -> Viewer? {
        if isHost { return .host }
        let event = GuestDoor.Event(id: image.event, pinHash: image.pinHash, key: image.guestKey)
        return door.mayLook(at: event, request) && image.isForGuests(at: door.wall.wallNow) ? .guest : nil
    }

    /// A bucket need not be asked for what the browser has.
    private static func notModified(_ image: Image, _ request: Request) -> Response? {
        let etag = FolderStorage.etag(image.key)
        guard request.knows(etag) else { return nil }
        return Response(status: 304, headers: [HTTPHeader("ETag", etag)])
    }

    private func finished(
        _ response: Response, _ image: Image, _ viewer: Viewer, _ request: Request
    ) -> Response {
        var response = response
        response.headers.append(caching(of: response, image, viewer, request))
        response.headers += Self.alwaysSaid
        if let disposition = Self.disposition(of: image, request) {
            response.headers.append(HTTPHeader("Content-Disposition", disposition))
        }
        return response
    }

    /// A rendition for the wall has no name.
    private static func disposition(of image: Image, _ request: Request) -> String? {
        guard let names = image.names else { return nil }
        return request.query.items.isEmpty || request.query["download"] == nil ? names.shown : names.saved
    }

    /// What only a host sees is asked for again each time.
    private func caching(
        of response: Response, _ image: Image, _ viewer: Viewer, _ request: Request
    ) -> HTTPHeader {
        let value =
            if response.status == 302 {
                delivery.redirectControl(isGuest: viewer == .guest)
            } else if viewer == .host {
                "private, no-cache"
            } else {
                delivery.cacheControl(
                    isOpen: image.pinHash == nil, hasEnd: image.expiresAt != nil,
                    isWhole: request.query.isAbsent
                        && ImageAddresses.isPath(request.path, of: image.key))
            }
        return HTTPHeader("Cache-Control", value)
    }

    /// Search engines list images by themselves, whatever the page says that shows them.
    private static let alwaysSaid = [
        HTTPHeader("X-Content-Type-Options", "nosniff"), HTTPHeader("X-Robots-Tag", "noindex"),
    ]

    static func refusal(_ problem: StorageProblem, of what: String) -> APIError {
        switch problem.meaning {
        case .missing: .notFound(what)
        case .taken, .noRoom, .unavailable, .refused:
            APIError(
                .serviceUnavailable, "the \(what) cannot be had from the storage now; try again in a moment")
        }
    }
}

extension ObjectContent {
    /// What lies under a key never changes.
    func response(_ key: String, type: String) -> Response {
        let etag = FolderStorage.etag(key)
        switch self {
        case .file(let path, let size):
            return Response(
                status: 200, body: .file(ServedFile(path: path, size: size, type: type, etag: etag)))
        case .copy(let copy):
            return Response(
                status: 200,
                body: .file(ServedFile(path: copy.path, size: copy.size, type: type, etag: etag)))
        case .bytes(let bytes):
            return Response(
                status: 200, headers: [HTTPHeader("Content-Type", type), HTTPHeader("ETag", etag)],
                body: .bytes(bytes))
        case .elsewhere(let url): return Response(status: 302, headers: [HTTPHeader("Location", url)])
        }
    }
}

extension Response {
    /// The part that was asked for of bytes that are in memory: players of some browsers play nothing that they cannot have in
    /// parts. Of a file the server itself sends it.
    fileprivate func part(_ key: String, _ type: String, _ request: Request) -> Response {
        guard VideoType.isVideo(type), status == 200, case .bytes(let bytes) = body else { return self }
        let whole = ServedFile(
            path: "", size: UInt64(bytes.count), type: type, etag: FolderStorage.etag(key))
        var response = self
        response.headers.append(HTTPHeader("Accept-Ranges", "bytes"))
        switch FilePlan(whole, request).answer {
        case .whole, .notModified: return response
        case .unsatisfiable:
            response = GalleryServer.refusal(416, "the video ends before that range")
            response.headers.append(HTTPHeader("Content-Range", "bytes */\(bytes.count)"))
        case .part(let range):
            response.status = 206
            response.headers.append(
                HTTPHeader(
                    "Content-Range", "bytes \(range.lowerBound)-\(range.upperBound - 1)/\(bytes.count)"))
            response.body = .bytes(Array(bytes[Int(range.lowerBound)..<Int(range.upperBound)]))
        }
        return response
    }
}
