import Basics
package import HTTPServer

/// `/uploads/tus`: uploads that go on where they were cut (https://tus.io/protocols/resumable-upload, version 1.0.0). They
/// are the same uploads as those of `/uploads/presign`, with the same rights and refusals. Guests have theirs at
/// `/e/{slug}/uploads/tus`, see ``GuestTus``.
package struct TusEndpoints: Sendable {
    let keeper: TusKeeper
    let authority: any TusAuthority
    let settings: GallerySettings
    let reserve: DiskReserve?
    let log: GalleryLog

    static let path = "/uploads/tus"
    static let folder = "\(path)/"
    private static let extensions = "creation,creation-with-upload,expiration,checksum,termination"
    /// Every answer but those to OPTIONS says it.
    static let resumable = HTTPHeader("Tus-Resumable", TusUpload.version)

    /// "A successful response indicated by the 204 No Content or 200 OK status MUST contain the Tus-Version header."
    package func options() -> Response {
        Response(
            status: 204,
            headers: [
                HTTPHeader("Tus-Version", TusUpload.version), HTTPHeader("Tus-Extension", Self.extensions),
                HTTPHeader("Tus-Max-Size", "\(authority.largest)"),
                HTTPHeader("Tus-Checksum-Algorithm", TusChecksum.algorithms),
            ])
    }

    // MARK: Creation

    package func create(_ request: Request) async -> Intake {
        await decided(request) {
            try Self.checkVersion(request)
            let admission = try await authority.admit(request)
            guard reserve?.hasRoom() ?? true else { throw APIError.diskFull }
            let text = request["Upload-Metadata"] ?? ""
            let metadata = try TusMetadata(text)
            let length = try self.length(request, of: metadata.contentType)
            let count = try Self.bodyLength(request)
            guard count <= length else { throw TusRefusal.tooLong(length) }
            let checksum = try Self.checksum(request)
            let key = try UploadEndpoints.idempotencyKey(request)
            let wish = try JSONFields.read(authority.wish(metadata, length: length, for: admission)) {
                UploadWish(&$0, limits: settings, idempotencyKey: key)
            }
            let (upload, headers) = try await authority.begin(
                wish, metadata: metadata, text: text, for: admission, request)
            let place = [HTTPHeader("Location", "\(authority.path(request))/\(upload.id)")] + headers
            guard count > 0, upload.offset == 0 else {
                return .refuse(Self.created(upload, count > 0, place))
            }
            return try await take(upload.id, of: admission.uploader, at: 0, count, checksum, request) {
                Self.created($0, true, place)
            }
        }
    }

    private static func created(
        _ upload: TusUpload, _ hasOffset: Bool, _ headers: [HTTPHeader]
    ) -> Response {
        var response = answer(201, upload, hasOffset: hasOffset)
        response.headers += headers
        return response
    }

    private func length(_ request: Request, of type: String?) throws -> UInt64 {
        let limit = try type.map(authority.limit(of:)) ?? authority.largest
        guard request["Upload-Defer-Length"] == nil else {
            throw APIError(.badRequest, "the length has to be known from the beginning")
        }
        let length = try Self.number(request, "Upload-Length")
        guard length > 0 else { throw APIError(.badRequest, "an empty file is no photo") }
        guard length <= limit else {
            throw APIError(
                .payloadTooLarge, "the file is larger than the \(limit) bytes that are taken here")
        }
        return length
    }

    // MARK: Bytes

    package func append(_ request: Request) async -> Intake {
        await decided(request) {
            try Self.checkVersion(request)
            let uploader = try await authority.uploader(of: request)
            let id = try UploadEndpoints.id(request, "uploadId", of: "upload")
            guard reserve?.hasRoom() ?? true else { throw APIError.diskFull }
            guard request["Content-Length"] != nil else { return .refuse(Self.lengthRequired) }
            let count = try Self.bodyLength(request)
            let offset = try Self.number(request, "Upload-Offset")
            return try await take(id, of: uploader, at: offset, count, try Self.checksum(request), request) {
                Self.answer(204, $0, hasOffset: true)
            }
        }
    }

    private func take(
        _ id: String, of uploader: Uploader, at offset: UInt64, _ count: UInt64, _ checksum: TusChecksum?,
        _ request: Request, _ success: @escaping @Sendable (TusUpload) -> Response
    ) async throws -> Intake {
        let keeper = keeper
        let holder = keeper.holder()
        let piece = try await keeper.store { [run = keeper.run] in
            try $0.beginPiece(of: id, of: uploader, at: offset, count: count, holder: holder, run: run)
        }
        guard count > 0 else {
            guard let upload = try await keeper.store({ try $0.tusUpload(id, of: uploader) }) else {
                throw APIError.notFound("upload")
            }
            return .refuse(success(upload))
        }
        do {
            let file = try await keeper.file(for: piece.key)
            let sink = TusSink(piece, file, checksum, keeper) { [log] result in
                switch result {
                case .success(let upload): success(upload)
                case .failure(let error): Self.refusal(error, request, log)
                }
            }
            return .take(sink, limit: count)
        } catch {
            await keeper.release(piece)
            throw error
        }
    }

    // MARK: How far it is, and its end

    /// HEAD is the protocol's; GET says the same as JSON, with what has become of it.
    package func show(_ request: Request) async -> Response {
        await answered(request) {
            if request.method == "HEAD" { try Self.checkVersion(request) }
            let uploader = try await authority.uploader(of: request)
            let id = try UploadEndpoints.id(request, "uploadId", of: "upload")
            let found = try await keeper.store {
                store -> (upload: TusUpload, isThereAlready: Bool)? in
                guard let upload = try store.tusUpload(id, of: uploader) else { return nil }
                return (upload, try store.isThereAlready(upload.row))
            }
            guard let found else { throw APIError.notFound("upload") }
            if let reason = found.upload.end(at: keeper.wallNow) {
                throw TusRefusal.over(uploader.told(reason))
            }
            var response = Self.answer(200, found.upload, hasOffset: true)
            response.headers.append(HTTPHeader("Upload-Length", "\(found.upload.length)"))
            if !found.upload.metadata.isEmpty {
                response.headers.append(HTTPHeader("Upload-Metadata", found.upload.metadata))
            }
            let body = Response.data(
                try await authority.json(found.upload, isThereAlready: found.isThereAlready))
            response.headers += body.headers.filter { $0.name != "Cache-Control" }
            response.body = body.body
            return response
        }
    }

    package func terminate(_ request: Request) async -> Response {
        await answered(request) {
            try Self.checkVersion(request)
            let uploader = try await authority.uploader(of: request)
            let id = try UploadEndpoints.id(request, "uploadId", of: "upload")
            try await keeper.store { try $0.endTus(id, of: uploader) }
            return Response(status: 204)
        }
    }
}

extension TusUpload {
    func json(isThereAlready: Bool) -> JSONValue {
        let members = row.json.members ?? []
        return .object(
            members.filter { $0.key != "expiresAt" } + [
                ("offset", .unsigned(offset)), ("length", .unsigned(length)), ("expiresAt", expiresAt.json),
                ("isThereAlready", .bool(isThereAlready)),
            ])
    }
}
