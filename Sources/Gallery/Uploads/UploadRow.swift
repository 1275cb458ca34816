package import Bridge
import Database

/// An upload as the database has it.
package struct UploadRow: Equatable, Sendable {
    package let id: String
    package let account: String
    package let event: String
    package let contentType: String
    package let contentLength: UInt64
    package let sha256: String?
    package let filename: String?
    package let capturedAt: Timestamp?
    package let source: String?
    /// By how many seconds the camera's clock was ahead of UTC, as the uploader has measured.
    package let clockAhead: Int64?
    package var intent: UploadIntent
    package let expiresAt: Timestamp
    package let createdAt: Timestamp
    package let completedAt: Timestamp?
    /// How often work on it has begun without an end.
    package let starts: Int

    static let columns = """
        id, account_id, event_id, content_type, content_length, sha256, filename, captured_at, source, status,
        object_key, error_code, error_message, photo_id, expires_at, created_at, completed_at, starts,
        clock_ahead
        """

    init(_ row: Row) throws {
        id = try row.get(0)
        account = try row.get(1)
        event = try row.get(2)
        contentType = try row.get(3)
        contentLength = try row.get(4)
        sha256 = try row.get(5)
        filename = try row.get(6)
        capturedAt = try row.moment(7)
        source = try row.get(8)
        let key: String? = try row.get(10)
        let status = try row.get(9, as: String.self)
        switch status {
        case "pending": intent = UploadIntent(.pending)
        case "processing": intent = UploadIntent(.processing(key: key ?? ""))
        case "completed":
            intent = UploadIntent(.completed(photo: try row.get(13), key: key ?? ""))
        case "failed":
            intent = UploadIntent(
                .failed(
                    UploadIntent.Failure(
                        .init(rawValue: try row.get(11)), try row.get(12, as: String?.self) ?? ""),
                    key: key))
        default: intent = UploadIntent(.expired)
        }
        expiresAt = Timestamp(milliseconds: try row.get(14))
        createdAt = Timestamp(milliseconds: try row.get(15))
        completedAt = try row.moment(16)
        starts = try row.get(17)
        clockAhead = try row.get(18)
    }

    package var status: String {
        switch intent.state {
        case .pending: "pending"
        case .processing: "processing"
        case .completed: "completed"
        case .failed: "failed"
        case .expired: "expired"
        }
    }

    package var photo: String? {
        if case .completed(let photo, _) = intent.state { photo } else { nil }
    }

    package var failure: UploadIntent.Failure? {
        if case .failed(let failure, _) = intent.state { failure } else { nil }
    }
}

extension Row {
    func moment(_ column: Int32) throws -> Timestamp? {
        try get(column, as: Int64?.self).map(Timestamp.init(milliseconds:))
    }
}

/// Where one upload's bytes may be put.
package struct UploadPlace: Equatable, Sendable {
    package let upload: UploadRow
    package let key: String
    package let expiresAt: Timestamp
    /// Made by this question, and not by an earlier one.
    package let isNew: Bool
}

/// What a client wants to upload.
package struct UploadWish: Equatable, Sendable {
    package var event: String
    package var contentType: String
    package var contentLength: UInt64
    package var filename: String?
    package var sha256: String?
    package var capturedAt: Timestamp?
    package var source: String?
    package var clockAhead: Int64?
    package var idempotencyKey: String?

    package init(
        event: String, contentType: String, contentLength: UInt64, filename: String? = nil,
        sha256: String? = nil, capturedAt: Timestamp? = nil, source: String? = nil,
        clockAhead: Int64? = nil, idempotencyKey: String? = nil
    ) {
        self.event = event
        self.contentType = contentType
        self.contentLength = contentLength
        self.filename = filename
        self.sha256 = sha256
        self.capturedAt = capturedAt
        self.source = source
        self.clockAhead = clockAhead
        self.idempotencyKey = idempotencyKey
    }

    /// The same wish has the same text, whatever it came in. What was measured may be another the next time.
    var canonical: String {
        JSONValue.array([
            .string(event), .string(contentType), .unsigned(contentLength), .string(filename ?? ""),
            .string(sha256 ?? ""), .integer(capturedAt?.milliseconds ?? -1), .string(source ?? ""),
        ]).compact
    }
}
