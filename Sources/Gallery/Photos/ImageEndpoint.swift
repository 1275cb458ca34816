import Bridge
package import HTTPServer

/// `GET /images/{key}`: bytes that never change, for whoever knows the key, and may look where an event is closed.
package struct ImageEndpoint: Sendable {
    let images: ImageIndex
    let storage: any ObjectStorage
    let door: GuestDoor

    package func answer(_ request: Request) async throws -> Response {
        let image = try image(request)
        do throws(StorageProblem) {
            return Self.finished(
                try await storage.served(image.key, type: image.type, size: image.size), image, request)
        } catch {
            throw Self.refusal(error)
        }
    }

    /// The same without a change of threads, where images lie on this machine.
    package func answerNow(_ request: Request, _ folder: FolderStorage) throws -> Response {
        let image = try image(request)
        return Self.finished(folder.lent(image.key, type: image.type, size: image.size), image, request)
    }

    private func image(_ request: Request) throws -> ImageIndex.Image {
        guard let key = request.parameters["key"], let image = try images.find(key) else {
            throw APIError.notFound("image")
        }
        guard door.mayLook(at: GuestDoor.Event(id: image.event, pinHash: image.pinHash), request) else {
            throw APIError(.forbidden, "this image is for whoever knows the event's PIN")
        }
        return image
    }

    private static func finished(_ response: Response, _ image: ImageIndex.Image, _ request: Request)
        -> Response
    {
        var response = response
        // A redirect to a signed URL is not to be kept longer than that lives.
        if response.status == 200 {
            response.headers.append(image.pinHash == nil ? open : closed)
        } else {
            response.headers.append(HTTPHeader("Cache-Control", "private, max-age=60"))
        }
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

    private static let open = HTTPHeader("Cache-Control", "public, max-age=31536000, immutable")
    private static let closed = HTTPHeader("Cache-Control", "private, max-age=31536000, immutable")
    private static let noSniffing = HTTPHeader("X-Content-Type-Options", "nosniff")

    private static func refusal(_ problem: StorageProblem) -> APIError {
        switch problem.meaning {
        case .missing: .notFound("image")
        case .taken, .noRoom, .unavailable, .refused:
            APIError(.badGateway, "the image cannot be had from the storage now; try again in a moment")
        }
    }
}
