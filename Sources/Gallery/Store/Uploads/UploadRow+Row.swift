import Database

extension UploadRow {
    static let columns = """
        id, account_id, event_id, content_type, content_length, sha256, filename, captured_at, source, clock_ahead,
        status, object_key, error_code, error_message, photo_id, expires_at, created_at, completed_at, starts
        """

    init(_ row: any SQLRow) throws {
        id = try row["id"]
        account = try row["account_id"]
        event = try row["event_id"]
        contentType = try row["content_type"]
        contentLength = try row["content_length"]
        sha256 = try row["sha256"]
        filename = try row["filename"]
        capturedAt = try row.moment("captured_at")
        source = try row["source"]
        clockAhead = try row["clock_ahead"]
        intent = UploadStateMachine(try Self.state(row))
        expiresAt = try row.moment("expires_at")
        createdAt = try row.moment("created_at")
        completedAt = try row.moment("completed_at")
        starts = try row["starts"]
    }

    private static func state(_ row: any SQLRow) throws -> UploadStateMachine.State {
        let status: String = try row["status"]
        let key: String? = try row["object_key"]
        switch status {
        case "pending": return .pending
        case "processing": return .processing(key: key ?? "")
        case "completed": return .completed(photo: try row["photo_id"], key: key ?? "")
        case "failed":
            let message: String? = try row["error_message"]
            let code = UploadStateMachine.Code(rawValue: try row["error_code"])
            return .failed(UploadStateMachine.Failure(code, message ?? ""), key: key)
        default: return .expired
        }
    }
}
