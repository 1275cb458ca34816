package import HTTPServer

/// How endpoints are answered: what they throw becomes what the contract says.
extension GalleryServer {
    private static let jsonLimit = 1 << 20

    typealias Endpoint = @Sendable (Request) async throws -> Response

    /// Wants no body, or a small one. An event whose name came with capital letters is found without them.
    func route(_ method: String, _ pattern: String, _ endpoint: @escaping Endpoint) -> Route {
        let log = log
        let guests = pattern.hasPrefix("/e/{slug}") ? GuestAddress.Kind(method, pattern) : nil
        return Route(
            method, pattern,
            .whole(limit: GalleryServer.jsonLimit) { request in
                var request = request
                if let guests, let small = GuestAddress.inSmallLetters(request) {
                    if case .shown(let rest) = guests { return GuestAddress.sentOn(request, to: small, rest) }
                    request.parameters["slug"] = small
                }
                let asked = request
                return await Self.answer(asked, log) { try await endpoint(asked) }
            })
    }

    static func answer(
        _ request: Request, _ log: GalleryLog, _ endpoint: () async throws -> Response
    ) async -> Response {
        do {
            return try await endpoint()
        } catch {
            return refusal(error, request, log)
        }
    }

    static func refusal(_ error: any Error, _ request: Request, _ log: GalleryLog) -> Response {
        switch error {
        case let error as APIError: return error.response
        case let refusal as GalleryRefusal: return APIError(refusal).response
        case let problem as StorageProblem:
            log.warning("\(problem)", of: request.id)
            if problem.meaning == .noRoom { return APIError.diskFull.response }
            return APIError(.serviceUnavailable, "the storage cannot be reached; try again in a moment")
                .response
        case let error as Unavailable:
            log.warning("\(error)", of: request.id)
            return APIError(
                .serviceUnavailable, "the database cannot be reached; try again in a moment",
                retryAfter: .seconds(2)
            ).response
        case let error where GalleryStore.hasNoRoom(error):
            log.error("\(error)", of: request.id)
            return APIError.diskFull.response
        default:
            log.error("\(GalleryLog.place(request.method, request.path)): \(error)", of: request.id)
            return APIError(
                .internalError, "something went wrong here; the log knows more under \(request.id)"
            ).response
        }
    }

    /// What the server itself refuses, before any endpoint is asked.
    package static func refusal(_ status: Int, _ message: String) -> Response {
        let code: APIError.Code =
            switch status {
            case 404: .notFound
            case 405: .methodNotAllowed
            case 408: .requestTimeout
            case 413: .payloadTooLarge
            case 429: .rateLimited
            case 500: .internalError
            case 503: .serviceUnavailable
            default: .badRequest
            }
        var response = APIError(code, message).response
        response.status = status
        return response
    }
}
