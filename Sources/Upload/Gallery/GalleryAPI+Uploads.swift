import Basics
import Bridge

/// What a gallery is told of a photo. The same for each try: the gallery holds the key to it.
struct UploadDescription: Equatable, Sendable {
    let event: String
    let contentType: String
    let size: UInt64
    let fileName: String
    let sha256: String
    let capturedAt: Timestamp?
    var cameraClockAhead: Int64?

    /// A clock that is a hundred years off was never set, and says nothing about when a photo was taken. Galleries take no more.
    static let mostClockAhead: Int64 = 3_200_000_000

    var json: JSONValue {
        var members: [(key: String, value: JSONValue)] = [
            (key: "eventId", value: .string(event)), (key: "contentType", value: .string(contentType)),
            (key: "contentLength", value: .unsigned(size)), (key: "filename", value: .string(fileName)),
            (key: "sha256", value: .string(sha256)),
        ]
        if let capturedAt {
            let text = CivilTime.rfc3339(milliseconds: capturedAt.milliseconds)
            members.append((key: "capturedAt", value: .string(text)))
        }
        if let cameraClockAhead, cameraClockAhead.magnitude <= UInt64(Self.mostClockAhead) {
            members.append((key: "cameraClockAhead", value: .integer(cameraClockAhead)))
        }
        return .object(members)
    }
}

/// What a gallery says of one upload.
struct UploadStatus: Equatable, Sendable {
    let uploadID: String
    let status: String
    let errorCode: String?
    let errorMessage: String?
    let photoID: String?

    init(_ value: JSONValue) throws(GalleryResponseFields.Mismatch) {
        let fields = try GalleryResponseFields(value)
        uploadID = try fields.id("uploadId")
        status = try fields.text("status", most: 100)
        errorCode = try fields.optionalText("errorCode", most: 100)
        errorMessage = try fields.optionalText("errorMessage", most: 10_000)
        photoID = fields.has("photoId") ? try fields.id("photoId") : nil
    }
}

extension GalleryAPI {
    static let mostHeaders = 32
    static let longestURL = 8192

    /// A place for a new upload. The same key again is the same upload.
    func presign(
        _ upload: UploadDescription, key: String, _ token: String
    ) async throws(GalleryError) -> PresignedUpload {
        let answer = try await call(
            "POST", "uploads/presign", token: token, body: upload.json,
            headers: [HTTPHeader("Idempotency-Key", key)])
        return try intent(answer, size: upload.size)
    }

    /// A fresh place for the same upload.
    func represign(
        _ uploadID: String, size: UInt64, _ token: String
    ) async throws(GalleryError) -> PresignedUpload {
        let answer = try await call(
            "POST", "uploads/\(Self.escaped(uploadID))/presign", token: token)
        let intent = try intent(answer, size: size)
        return try reading("a fresh place") { () throws(GalleryResponseFields.Mismatch) in
            guard intent.uploadID == uploadID else {
                throw GalleryResponseFields.Mismatch(description: "it is for another upload")
            }
            return intent
        }
    }

    private func intent(_ answer: GalleryAnswer, size: UInt64) throws(GalleryError) -> PresignedUpload {
        try reading("a place for a photo") { () throws(GalleryResponseFields.Mismatch) in
            let fields = try GalleryResponseFields(answer.data)
            let url = try fields.text("putUrl", most: Self.longestURL)
            guard isPlace(url) else {
                throw GalleryResponseFields.Mismatch(description: "'putUrl' is no address")
            }
            return PresignedUpload(
                uploadID: try fields.id("uploadId"), url: url, objectKey: try fields.text("objectKey"),
                expiresAt: answer.ours(try fields.moment("expiresAt")),
                headers: try Self.headers(fields.value("requiredHeaders"), size: size))
        }
    }

    /// Absolute, and no less protected than the way to the gallery itself.
    private func isPlace(_ url: String) -> Bool {
        let schemes = address.isEncrypted ? ["https://"] : ["https://", "http://"]
        let scheme = schemes.first { url.lowercased().hasPrefix($0) }
        return scheme.map { url.utf8.count > $0.utf8.count } == true
            && url.utf8.allSatisfy { (0x21...0x7E).contains($0) }
    }

    private static func headers(
        _ value: JSONValue?, size: UInt64
    ) throws(GalleryResponseFields.Mismatch) -> [HTTPHeader] {
        guard let members = value?.members, members.count <= mostHeaders else {
            throw GalleryResponseFields.Mismatch(description: "'requiredHeaders' is no object of headers")
        }
        var headers: [HTTPHeader] = []
        for (name, value) in members {
            let text = value.string ?? value.integer.map { String($0) }
            guard let text, UntrustedText.isHeaderName(name), UntrustedText.isHeaderValue(text, most: 4096)
            else {
                throw GalleryResponseFields.Mismatch(description: "'requiredHeaders' holds what is no header")
            }
            switch name.lowercased() {
            // The HTTP client sends the body's length itself; it has to be the same.
            case "content-length":
                guard text == String(size) else {
                    throw GalleryResponseFields.Mismatch(
                        description: "the place is for a photo of another size")
                }
            // They would make it another request than the one that was meant.
            case "transfer-encoding", "host", "connection", "expect":
                throw GalleryResponseFields.Mismatch(description: "'requiredHeaders' holds '\(name)'")
            default: headers.append(HTTPHeader(name, text))
            }
        }
        return headers
    }

    /// What has become of uploads. Those that the gallery does not know, or says nothing sensible of, are left out.
    func status(_ uploadIDs: [String], _ token: String) async throws(GalleryError) -> [String: UploadStatus] {
        precondition(uploadIDs.count <= UploadScheduler.mostAsked, "a gallery is asked of so many at a time")
        let ids = uploadIDs.map(Self.escaped).joined(separator: ",")
        let answer = try await call("GET", "uploads/status?ids=\(ids)", token: token)
        return try reading("the status") { () throws(GalleryResponseFields.Mismatch) in
            guard let list = answer.data?.array, list.count <= 10 * UploadScheduler.mostAsked else {
                throw GalleryResponseFields.Mismatch(description: "there is no list")
            }
            let asked = Set(uploadIDs)
            var found: [String: UploadStatus] = [:]
            var mismatch: GalleryResponseFields.Mismatch?
            for value in list {
                do throws(GalleryResponseFields.Mismatch) {
                    let status = try UploadStatus(value)
                    if asked.contains(status.uploadID), found[status.uploadID] == nil {
                        found[status.uploadID] = status
                    }
                } catch {
                    // One strange entry does not keep us from reading the others.
                    mismatch = error
                }
            }
            if found.isEmpty, let mismatch { throw mismatch }
            return found
        }
    }

    /// Sends the bytes to the place that was given for them. What the answer means is not for here.
    func put(
        _ intent: PresignedUpload, file: FileSlice, way: UploadWay,
        onSent: @escaping @Sendable (UInt64) -> Void
    ) async throws(HTTPFailure) -> HTTPResponse {
        let asks = way.isMetered && file.count >= Self.worthAsking
        return try await http.send(
            HTTPRequest(
                "PUT", intent.url, headers: intent.headers, body: .file(file),
                answerLimit: Self.longestAnswer, redirects: 0,
                expects: asks ? .asks(atMost: Self.longestExpectation) : .never, limits: way.limits,
                interface: way.interface, path: way.path, onSent: onSent))
    }

    /// A body that costs more than the wait for the server's word where the server does not know the question.
    static let worthAsking: UInt64 = 1 << 20
    static let longestExpectation = Duration.milliseconds(200)
}
