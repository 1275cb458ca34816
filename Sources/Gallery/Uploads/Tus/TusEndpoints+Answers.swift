import Basics
import HTTPServer

/// What requests of the protocol say, and how they are answered.
extension TusEndpoints {
    /// "If the version specified by the Client is not supported by the Server, it MUST respond with the 412 Precondition Failed
    /// status and MUST include the Tus-Version header into the response. In addition, the Server MUST NOT process the request."
    static func checkVersion(_ request: Request) throws(APIError) {
        guard request["Tus-Resumable"] == TusUpload.version else {
            throw APIError(.preconditionFailed, "Tus-Resumable has to be \(TusUpload.version)")
        }
    }

    static func number(_ request: Request, _ name: String) throws(APIError) -> UInt64 {
        guard let text = request[name], text.utf8.count <= 19, let number = Page.plainNumber(text) else {
            throw APIError(.badRequest, "\(name) has to be a whole number")
        }
        return UInt64(number)
    }

    /// What the server has read as the body's framing; what is no number it has refused.
    static func bodyLength(_ request: Request) throws -> UInt64 {
        let count = request["Content-Length"].flatMap { UInt64($0) } ?? 0
        let isBytes = request["Content-Type"] == TusUpload.contentType
        // "All PATCH requests MUST use Content-Type: application/offset+octet-stream, otherwise the server SHOULD return a 415".
        guard isBytes || count == 0 && request.method == "POST" else { throw WrongType() }
        return count
    }

    struct WrongType: Error {}

    static func checksum(_ request: Request) throws(APIError) -> TusChecksum? {
        guard let text = request["Upload-Checksum"] else { return nil }
        guard let checksum = TusChecksum(text) else {
            throw APIError(
                .badRequest,
                "Upload-Checksum has to be one of \(TusChecksum.algorithms) and its bytes in Base64"
            )
        }
        return checksum
    }

    // MARK: Answers

    static func answer(_ status: Int, _ upload: TusUpload, hasOffset: Bool) -> Response {
        var headers = [
            HTTPHeader("Cache-Control", "no-store"), HTTPHeader("Upload-Expires", upload.expiresAt.httpDate),
        ]
        if hasOffset { headers.append(HTTPHeader("Upload-Offset", "\(upload.offset)")) }
        return Response(status: status, headers: headers)
    }

    func decided(_ request: Request, _ work: () async throws -> Intake) async -> Intake {
        do {
            return try await work()
        } catch {
            return .refuse(Self.refusal(error, request, log))
        }
    }

    func answered(_ request: Request, _ work: () async throws -> Response) async -> Response {
        do {
            return try await work()
        } catch {
            return Self.refusal(error, request, log)
        }
    }

    static func refusal(_ error: any Error, _ request: Request, _ log: GalleryLog) -> Response {
        switch error {
        case let refusal as TusRefusal: return answer(refusal)
        case is WrongType:
            return refusal(
                415, .badRequest,
                "bytes come with Content-Type: \(TusUpload.contentType), and other bodies not at all")
        case is TusSink.Damaged:
            return refusal(
                460, .badRequest, "these bytes do not have the checksum that came with them; send them again")
        case let error as APIError where error.code == .preconditionFailed:
            var response = error.response
            response.headers.append(HTTPHeader("Tus-Version", TusUpload.version))
            return response
        default: return GalleryServer.refusal(error, request, log)
        }
    }

    private static func answer(_ refusal: TusRefusal) -> Response {
        switch refusal {
        case .held:
            var response = Self.refusal(
                423, .conflict, "another request brings bytes of this upload; ask in a moment how far it is")
            response.headers.append(HTTPHeader("Retry-After", "3"))
            return response
        case .wrongOffset(let offset):
            var response = APIError(.conflict, "the next byte that is wanted is at \(offset)").response
            response.headers.append(HTTPHeader("Upload-Offset", "\(offset)"))
            return response
        case .tooLong(let length):
            return APIError(.payloadTooLarge, "the upload was announced with \(length) bytes, and no more")
                .response
        case .tooManyPieces:
            return APIError(
                .conflict,
                "the upload has come in \(TusUpload.mostPieces) pieces; begin anew with larger ones"
            ).response
        case .tooManyOpen:
            return APIError(
                .conflict,
                "\(TusUpload.mostOpen) uploads of this account are not finished; finish or end some"
            ).response
        case .over(let reason): return APIError(.gone, reason).response
        case .finished:
            return APIError(.conflict, "all of it has come; a photo is deleted by its own address").response
        }
    }

    private static func refusal(_ status: Int, _ code: APIError.Code, _ message: String) -> Response {
        var response = APIError(code, message).response
        response.status = status
        return response
    }

    /// RFC 9110 §15.5.12.
    static let lengthRequired = refusal(411, .badRequest, "Content-Length is missing")
}
