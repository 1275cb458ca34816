import Basics
import Digest

extension ModelGalleryState {
    private static let types: Set = [
        "image/jpeg", "image/png", "image/heic", "image/heif", "image/tiff", "image/x-canon-cr2",
        "image/x-canon-cr3", "image/x-nikon-nef", "image/x-sony-arw", "image/x-fuji-raf",
        "image/x-adobe-dng", "image/x-panasonic-rw2",
    ]

    // MARK: Places

    mutating func presign(
        _ body: JSONValue, _ request: HTTPRequest, _ account: Account, at now: Timestamp
    ) -> HTTPResponse {
        let key = request.headers.first { $0.name.lowercased() == "idempotency-key" }?.value
        if key == nil { violations.append("presign: no Idempotency-Key") }
        guard account.hasConsented else { return .failure(403, "CONSENT_REQUIRED", "consent is missing") }
        let index = "\(account.id) \(key ?? newID())"
        if !rules.ignoresIdempotencyKeys, let id = keys[index], let known = uploads[id] {
            guard known.description == body else {
                violations.append("presign: the same key with another body")
                return .failure(409, "CONFLICT", "that key has another body")
            }
            guard let place = known.places.last, known.status != .pending || now < place.expiresAt else {
                return .success(describe(addPlace(to: id, at: now), id))
            }
            return .success(describe(place, id))
        }
        if let no = objection(to: body, account, at: now) { return no }
        let upload = ModelUpload(
            id: newID(), event: body["eventId"]?.string ?? "", account: account.id, description: body)
        uploads[upload.id] = upload
        keys[index] = upload.id
        return .success(describe(addPlace(to: upload.id, at: now), upload.id), status: 201)
    }

    private mutating func objection(
        to body: JSONValue, _ account: Account, at now: Timestamp
    ) -> HTTPResponse? {
        guard
            let event = events.first(where: { $0.id == body["eventId"]?.string && $0.account == account.id })
        else { return .failure(404, "NOT_FOUND", "no such event") }
        if let expiresAt = event.expiresAt, expiresAt <= now {
            return .failure(410, "GONE", "the event is over")
        }
        guard let type = body["contentType"]?.string, Self.types.contains(type) else {
            return .failure(422, "UNPROCESSABLE", "that type is not taken")
        }
        guard let length = body["contentLength"]?.integer, length >= 1 else {
            return .failure(422, "UNPROCESSABLE", "contentLength is 1 or more")
        }
        guard UInt64(length) <= rules.objectLimit else {
            return .failure(413, "PAYLOAD_TOO_LARGE", "that is too large")
        }
        if let sha256 = body["sha256"], SHA256Digest(hex: sha256.string ?? "") == nil {
            violations.append("presign: sha256 is none")
            return .failure(422, "UNPROCESSABLE", "sha256 is none")
        }
        if let text = body["capturedAt"], Timestamp(rfc3339: text.string ?? "") == nil {
            violations.append("presign: capturedAt is no time")
        }
        return rules.credits.map { $0 <= 0 } == true
            ? .failure(402, "PAYMENT_REQUIRED", "no credits are left") : nil
    }

    mutating func represign(_ id: String, _ account: Account, at now: Timestamp) -> HTTPResponse {
        guard let upload = uploads[id], upload.account == account.id else {
            return .failure(404, "NOT_FOUND", "no such upload")
        }
        guard account.hasConsented else { return .failure(403, "CONSENT_REQUIRED", "consent is missing") }
        look(at: id, now)
        switch uploads[id]?.status {
        case .pending, .expired, .failed: break
        case .processing, .completed, nil:
            oddities.append("represign: \(id) is \(upload.status.rawValue)")
            return .failure(409, "CONFLICT", "it goes on without a new place")
        }
        uploads[id]?.status = .pending
        uploads[id]?.errorCode = nil
        uploads[id]?.errorMessage = nil
        return .success(describe(addPlace(to: id, at: now), id))
    }

    private mutating func addPlace(to id: String, at now: Timestamp) -> ModelUpload.Place {
        guard let upload = uploads[id] else { preconditionFailure("it was just looked up") }
        let objectKey = "o-\(newID())"
        let expiresAt = now + rules.placeLife
        var headers = [
            (name: "Content-Type", value: upload.description["contentType"]?.string ?? ""),
            (name: "Content-Length", value: String(upload.size)), (name: "If-None-Match", value: "*"),
        ]
        if !rules.ignoresChecksums, let digest = upload.sha256.flatMap({ SHA256Digest(hex: $0) }) {
            headers.append((name: "x-amz-checksum-sha256", value: Base64.text(digest.bytes)))
        }
        let place = ModelUpload.Place(
            objectKey: objectKey,
            path: "objects/\(objectKey)?expires=\(expiresAt.milliseconds)&signature=secret-\(newID())",
            expiresAt: expiresAt, headers: headers)
        uploads[id]?.places.append(place)
        return place
    }

    private func describe(_ place: ModelUpload.Place, _ id: String) -> JSONValue {
        [
            "uploadId": .string(id), "putUrl": .string(base + place.path),
            "objectKey": .string(place.objectKey),
            "expiresAt": .string(CivilTime.rfc3339(milliseconds: place.expiresAt.milliseconds)),
            "requiredHeaders": .object(
                place.headers.map { (key: $0.name, value: .string($0.value)) }),
        ]
    }

    // MARK: Bytes

    /// What a connection adds to any request.
    private static let usual: Set = [
        "host", "user-agent", "accept", "accept-encoding", "connection", "expect", "content-length",
    ]

    mutating func put(_ request: HTTPRequest, _ path: String, at now: Timestamp) -> HTTPResponse {
        guard let upload = uploads.values.first(where: { $0.places.contains { $0.path == path } }),
            let place = upload.places.first(where: { $0.path == path }),
            case .bytes(let bytes) = request.body
        else {
            if !forgottenPlaces.contains(path) { violations.append("PUT: a place that was never given") }
            return HTTPResponse(status: 403)
        }
        checkHeaders(of: request, place)
        guard now < place.expiresAt else {
            oddities.append("PUT: the place has expired")
            return HTTPResponse(status: 403)
        }
        if place != upload.places.last { oddities.append("PUT: to a place that has a successor") }
        guard objects[place.objectKey] == nil else {
            oddities.append("PUT: the bytes are there already")
            return HTTPResponse(status: 412)
        }
        guard bytes.count == Int(upload.size) else {
            violations.append("PUT: \(bytes.count) bytes where \(upload.size) were announced")
            return HTTPResponse(status: 400)
        }
        let sha256 = "\(SHA256.of(bytes))"
        if !rules.ignoresChecksums, let wanted = upload.sha256, wanted != sha256 {
            return HTTPResponse(status: 400)
        }
        objects[place.objectKey] = Object(
            size: UInt64(bytes.count), sha256: sha256, first: Array(bytes.prefix(16)))
        if rules.noticesBytes { look(at: upload.id, now) }
        return HTTPResponse(status: 200)
    }

    private mutating func checkHeaders(of request: HTTPRequest, _ place: ModelUpload.Place) {
        var given: [String: [String]] = [:]
        for header in request.headers { given[header.name.lowercased(), default: []].append(header.value) }
        for (name, value) in place.headers {
            // A transport that knows the length says it by itself.
            let found = given.removeValue(forKey: name.lowercased())
            let said = found ?? (name == "Content-Length" ? [String(request.body.count)] : [])
            if said != [value] { violations.append("PUT: '\(name)' is \(said) and not '\(value)'") }
        }
        let excess = Set(given.keys).subtracting(Self.usual)
        if !excess.isEmpty { violations.append("PUT: headers that were not asked for: \(excess.sorted())") }
        if request.redirects != 0 { violations.append("PUT: redirects are followed") }
    }

    // MARK: Work

    mutating func status(_ whole: String, _ account: Account, at now: Timestamp) -> HTTPResponse {
        guard let query = whole.split(separator: "?").dropFirst().first, query.hasPrefix("ids=") else {
            violations.append("status: no ids")
            return .failure(422, "UNPROCESSABLE", "ids are missing")
        }
        let ids = query.dropFirst(4).split(separator: ",").map(String.init)
        guard (1...50).contains(ids.count) else {
            violations.append("status: \(ids.count) ids at once")
            return .failure(422, "UNPROCESSABLE", "1 to 50 ids")
        }
        return .success(
            .array(
                ids.compactMap { id in
                    guard uploads[id]?.account == account.id else { return nil }
                    look(at: id, now)
                    return uploads[id].map(Self.json)
                }))
    }

    private static func json(_ upload: ModelUpload) -> JSONValue {
        func time(_ moment: Timestamp?) -> JSONValue {
            .optional(moment) { .string(CivilTime.rfc3339(milliseconds: $0.milliseconds)) }
        }
        return [
            "uploadId": .string(upload.id), "eventId": .string(upload.event),
            "status": .string(upload.status.rawValue),
            "errorCode": .optional(upload.errorCode) { .string($0) },
            "errorMessage": .optional(upload.errorMessage) { .string($0) },
            "photoId": .optional(upload.photo) { .string($0) }, "completedAt": time(upload.completedAt),
            "expiresAt": time(upload.places.last?.expiresAt),
        ]
    }

    /// What happens by itself between two looks: bytes are found, work gets done, places expire.
    mutating func look(at id: String, _ now: Timestamp) {
        guard var upload = uploads[id] else { return }
        if upload.status == .pending || upload.status == .expired {
            let found = upload.places.last { objects[$0.objectKey] != nil }
            if let found, found.objectKey != upload.winner {
                upload.winner = found.objectKey
                upload.status = .processing
                upload.isReady = now + rules.processingTime
            } else if let place = upload.places.last, now >= place.expiresAt {
                upload.status = .expired
            }
        }
        if upload.status == .processing, let isReady = upload.isReady, now >= isReady {
            process(&upload, now)
        }
        uploads[id] = upload
    }

    private mutating func process(_ upload: inout ModelUpload, _ now: Timestamp) {
        func fail(_ code: String, _ message: String) {
            upload.status = .failed
            upload.errorCode = code
            upload.errorMessage = message
        }
        guard let object = upload.winner.flatMap({ objects[$0] }) else {
            preconditionFailure("only what is there is worked on")
        }
        if !failures.isEmpty {
            let (code, message) = failures.removeFirst()
            return fail(code, message)
        }
        if let wanted = upload.sha256, wanted != object.sha256 {
            return fail("CHECKSUM_MISMATCH", "the bytes are not those that were announced")
        }
        if let same = photos.first(where: { $0.event == upload.event && $0.sha256 == object.sha256 }) {
            upload.photo = same.id
        } else {
            if let credits = rules.credits {
                guard credits > 0 else { return fail("INSUFFICIENT_CREDITS", "no credits are left") }
                rules.credits = credits - 1
            }
            charges += 1
            let photo = ModelPhoto(
                id: newID(), event: upload.event, sha256: object.sha256, size: object.size)
            photos.append(photo)
            upload.photo = photo.id
        }
        upload.status = .completed
        upload.completedAt = now
    }
}
