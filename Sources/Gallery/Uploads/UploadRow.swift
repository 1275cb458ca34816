package import Basics

/// An upload, and how far it has come.
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
    package var intent: UploadStateMachine
    package let expiresAt: Timestamp
    package let createdAt: Timestamp
    package let completedAt: Timestamp?
    /// How often work on it has begun without an end.
    package let starts: Int

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

    package var failure: UploadStateMachine.Failure? {
        if case .failed(let failure, _) = intent.state { failure } else { nil }
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
