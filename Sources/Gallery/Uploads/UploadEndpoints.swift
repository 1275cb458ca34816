import Basics
package import HTTPServer

/// `/uploads/…`: places, what has become of uploads, and another try.
package struct UploadEndpoints: Sendable {
    let store: StorePool
    let storage: any ObjectStorage
    let accounts: Accounts
    let sweeper: Sweeper
    let settings: GallerySettings
    let reserve: DiskReserve?
    /// There is something to work on.
    let onLanded: @Sendable () -> Void

    package static let mostAsked = 50
    static let mostListed = 200
    private static let dismissedAtOnce = 500

    // MARK: Places

    package func presign(_ request: Request) async throws -> Response {
        let account = try await accounts.authenticate(request)
        guard reserve?.hasRoom() ?? true else { throw APIError.diskFull }
        let key = try Self.idempotencyKey(request)
        let limits = settings
        let wish = try JSONFields.read(request) { UploadWish(&$0, limits: limits, idempotencyKey: key) }
        let place = try await store {
            try $0.presign(wish, for: account.id, consent: settings.consentVersion)
        }
        return try await answer(place)
    }

    package func presignAgain(_ request: Request) async throws -> Response {
        let account = try await accounts.authenticate(request)
        guard reserve?.hasRoom() ?? true else { throw APIError.diskFull }
        let id = try Self.id(request, "uploadId", of: "upload")
        // Its bytes may have come unnoticed; then another URL makes no sense.
        if let row = try await store({ try $0.uploads([id], of: account.id) }).first { try await find(row) }
        let place = try await store({
            try $0.presignAgain(id, for: account.id, consent: settings.consentVersion)
        })
        return .data(try await json(place))
    }

    private func answer(_ place: UploadPlace) async throws -> Response {
        .data(try await json(place), status: place.isNew ? 201 : 200)
    }

    private func json(_ place: UploadPlace) async throws -> JSONValue {
        let given = try await storage.place(
            PlaceClaim(
                key: place.key, contentType: place.upload.contentType, length: place.upload.contentLength,
                sha256: place.upload.sha256, expiresAt: place.expiresAt))
        return [
            "uploadId": .string(place.upload.id), "putUrl": .string(given.url),
            "objectKey": .string(place.key),
            "expiresAt": place.expiresAt.json,
            "requiredHeaders": .object(given.requiredHeaders.map { ($0.name, .string($0.value)) }),
        ]
    }

    /// "1 to 255 visible characters": it is the client's name for an upload, and lies in an index.
    static func idempotencyKey(_ request: Request) throws -> String? {
        guard let key = request["Idempotency-Key"] else { return nil }
        guard (1...255).contains(key.utf8.count), key.utf8.allSatisfy({ (0x21...0x7E).contains($0) }) else {
            throw APIError(.badRequest, "Idempotency-Key must be 1 to 255 visible ASCII characters")
        }
        return key
    }

    /// A place of the path that has to hold an id. What is none is nothing that is here.
    static func id(_ request: Request, _ name: String, of kind: String) throws -> String {
        guard let text = request.parameters[name], let id = FieldRule.canonicalUUID(text) else {
            throw APIError.notFound(kind)
        }
        return id
    }

    // MARK: What has become of them

    package func status(_ request: Request) async throws -> Response {
        let account = try await accounts.authenticate(request)
        let ids = try Self.askedIDs(request, of: "uploads")
        for row in try await store({ try $0.uploads(ids, of: account.id) }) { try await find(row) }
        return .data(.array(try await store({ try $0.uploads(ids, of: account.id) }).map(\.json)))
    }

    /// "Asking the status of a pending upload makes the server look at the storage".
    private func find(_ row: UploadRow) async throws {
        switch row.intent.state {
        case .pending:
            if try await sweeper.find(row.id) { return }
            try await store({ try $0.nothingCame(to: row.id) })
        case .expired: _ = try await sweeper.find(row.id)
        case .processing, .completed, .failed: return
        }
    }

    package func list(_ request: Request) async throws -> Response {
        let account = try await accounts.authenticate(request)
        let event = try Self.id(request, "eventId", of: "event")
        let limit = try Page.limit(request, most: Self.mostListed)
        let cursor = try request.query["cursor"].map(Self.cursor)
        let rows = try await store {
            try $0.uploads(ofEvent: event, of: account.id, after: cursor, limit: limit)
        }
        let next = rows.count == limit ? rows.last.map { "\($0.createdAt.milliseconds).\($0.id)" } : nil
        return .data(["uploads": .array(rows.map(\.json)), "next": next.json])
    }

    private static func cursor(_ text: String) throws -> (created: Int64, id: String) {
        let parts = text.split(separator: ".", omittingEmptySubsequences: false).map(String.init)
        guard parts.count == 2, parts[0].utf8.count <= 15, let created = Page.plainNumber(parts[0]),
            FieldRule.canonicalUUID(parts[1]) == parts[1]
        else { throw Page.badCursor }
        return (Int64(created), parts[1])
    }

    // MARK: Another try

    package func retry(_ request: Request) async throws -> Response {
        let account = try await accounts.authenticate(request)
        let row = try await store {
            try $0.retry(
                try Self.id(request, "uploadId", of: "upload"),
                ofEvent: try Self.id(request, "eventId", of: "event"),
                of: account.id)
        }
        onLanded()
        return .data(row.json)
    }

    package func retryAll(_ request: Request) async throws -> Response {
        let account = try await accounts.authenticate(request)
        let event = try Self.id(request, "eventId", of: "event")
        let count = try await store { try $0.retryAll(ofEvent: event, of: account.id) }
        if count > 0 { onLanded() }
        return .data(["retried": .integer(Int64(count))])
    }

    // MARK: No more tries

    package func dismiss(_ request: Request) async throws -> Response {
        let account = try await accounts.authenticate(request)
        try await store {
            try $0.dismiss(
                try Self.id(request, "uploadId", of: "upload"),
                ofEvent: try Self.id(request, "eventId", of: "event"),
                of: account.id)
        }
        return Response(status: 204)
    }

    package func dismissAll(_ request: Request) async throws -> Response {
        let account = try await accounts.authenticate(request)
        let event = try Self.id(request, "eventId", of: "event")
        var count = 0
        // The account's other clients get their turn between two of these.
        while true {
            let more = try await store {
                try $0.dismissFailed(ofEvent: event, of: account.id, limit: Self.dismissedAtOnce)
            }
            count += more
            if more < Self.dismissedAtOnce { return .data(["dismissed": .integer(Int64(count))]) }
        }
    }
}

extension UploadWish {
    /// As clients say it.
    init(_ fields: inout JSONFields, limits: GallerySettings, idempotencyKey key: String?) {
        let event = fields.required("eventId", .uuid)
        let type = fields.required(
            "contentType",
            .text(1...100).and("must be one of \(UploadType.all.joined(separator: ", "))") {
                UploadType.all.contains($0)
            })
        self.init(
            event: event, contentType: type,
            contentLength: UInt64(
                fields.required("contentLength", .integer(1...Int(clamping: limits.limit(of: type))))),
            filename: fields.optional("filename", .text(1...255)),
            sha256: fields.optional(
                "sha256",
                .text(64...64).and("must be 64 hexadecimal digits") { text in
                    text.utf8.allSatisfy { Character(Unicode.Scalar($0)).isHexDigit }
                })?.lowercased(), capturedAt: fields.optional("capturedAt", .time),
            source: fields.optional("source", .text(1...200)),
            clockAhead: fields.optional(
                "cameraClockAhead", .integer(-GalleryStore.mostShift...GalleryStore.mostShift)
            ).map(Int64.init), idempotencyKey: key)
    }
}

/// How lists are asked for in pieces.
enum Page {
    static func limit(_ request: Request, most: Int, usual: Int = 100) throws -> Int {
        guard let text = request.query["limit"] else { return min(usual, most) }
        guard let limit = plainNumber(text), (1...most).contains(limit) else {
            throw APIError(
                .unprocessable, "not valid: limit",
                fields: [("limit", ["must be from 1 to \(most)"])])
        }
        return limit
    }

    static let badCursor = APIError(
        .unprocessable, "not valid: cursor",
        fields: [("cursor", ["is none that was given out here"])])

    /// Digits only: a sign is no part of any number here.
    static func plainNumber(_ text: String) -> Int? {
        guard text.utf8.allSatisfy({ (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }) else {
            return nil
        }
        return Int(text)
    }
}
