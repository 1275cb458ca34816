import Basics
package import HTTPServer

/// `GET /images/{key}`: bytes that never change under their key, for whoever knows it and may look at this moment.
///
/// Whether somebody may look does change: a photo is hidden, an event ends, originals are no longer given. Each request is
/// decided anew, and what is taken back is answered as if it had never been: from then on no answer of ours has it. What a
/// browser or a proxy was given before may be kept there for good, because bytes under a key never are others.
package struct ImageEndpoint: Sendable {
    let images: ImageIndex
    let storage: any ObjectStorage
    let door: GuestDoor
    let accounts: Accounts

    /// How long browsers and proxies show an image without asking again: a year, in seconds. "Clients should not send a
    /// conditional request for the response during its freshness lifetime" (RFC 8246, §2).
    static let freshness = "max-age=31536000, immutable"

    private typealias Image = ImageIndex.Image

    private enum Viewer: Equatable { case host, guest }

    package func answer(_ request: Request) async throws -> Response {
        let (image, viewer) = try image(request)
        if let known = Self.notModified(image, request) {
            return Self.finished(known, image, viewer, request)
        }
        do throws(StorageProblem) {
            return Self.finished(
                try await storage.served(image.key, type: image.type, size: image.size), image, viewer,
                request)
        } catch {
            throw Self.refusal(error)
        }
    }

    /// The same without a change of threads, where images lie on this machine.
    package func answerNow(_ request: Request, _ folder: FolderStorage) throws -> Response {
        let (image, viewer) = try image(request)
        return Self.finished(
            folder.lent(image.key, type: image.type, size: image.size), image, viewer, request)
    }

    private func image(_ request: Request) throws -> (Image, Viewer) {
        guard let key = request.parameters["key"], let image = try images.find(key) else {
            throw APIError.notFound("image")
        }
        if try isHost(of: image, request) { return (image, .host) }
        guard
            door.mayLook(
                at: GuestDoor.Event(id: image.event, pinHash: image.pinHash, key: image.guestKey), request)
        else { throw APIError.notFound("image") }
        if let end = image.expiresAt, end <= door.wall.wallNow { throw APIError.notFound("image") }
        guard !image.isHidden, !image.isOriginal || image.allowsOriginals else {
            throw APIError.notFound("image")
        }
        return (image, .guest)
    }

    /// By a token that is good, or by the cookie that the host's page has.
    private func isHost(of image: Image, _ request: Request) throws -> Bool {
        try accounts.logins(of: request).contains { login in
            try login.account == image.owner && images.isLoggedIn(login.account, family: login.family)
        }
    }

    /// A bucket need not be asked for what the browser has.
    private static func notModified(_ image: Image, _ request: Request) -> Response? {
        let etag = FolderStorage.etag(image.key)
        let known = (request["If-None-Match"] ?? "").split(separator: ",").map { tag in
            tag.drop { $0 == " " }.trimmingPrefix("W/")
        }
        guard known.contains(where: { $0 == etag || $0 == "*" }) else { return nil }
        return Response(status: 304, headers: [HTTPHeader("ETag", etag)])
    }

    private static func finished(
        _ response: Response, _ image: Image, _ viewer: Viewer, _ request: Request
    ) -> Response {
        var response = response
        response.headers.append(caching(of: response, image, viewer))
        response.headers.append(noSniffing)
        if let name = image.name, request.query["download"] != nil {
            let plain = String(
                name.unicodeScalars.map { $0.isASCII && $0 != "\"" && $0 != "\\" ? Character($0) : "_" })
            response.headers.append(
                HTTPHeader(
                    "Content-Disposition",
                    "attachment; filename=\"\(plain)\"; filename*=UTF-8''\(PercentEncoding.encoded(name))"))
        }
        return response
    }

    /// What only a host sees, and where a bucket's signed address stands, is kept by nobody.
    private static func caching(of response: Response, _ image: Image, _ viewer: Viewer) -> HTTPHeader {
        let value =
            if response.status == 302 {
                "no-store"
            } else if viewer == .host {
                "private, no-cache"
            } else {
                "\(image.pinHash == nil ? "public" : "private"), \(freshness)"
            }
        return HTTPHeader("Cache-Control", value)
    }

    private static let noSniffing = HTTPHeader("X-Content-Type-Options", "nosniff")

    private static func refusal(_ problem: StorageProblem) -> APIError {
        switch problem.meaning {
        case .missing: .notFound("image")
        case .taken, .noRoom, .unavailable, .refused:
            APIError(.badGateway, "the image cannot be had from the storage now; try again in a moment")
        }
    }
}
