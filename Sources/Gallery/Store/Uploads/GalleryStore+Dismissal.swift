import Basics
import Database

/// What failed and is wanted no more. The row stays, for the client that asks what has become of it; its bytes go.
extension GalleryStore {
    package func dismiss(_ upload: String, ofEvent event: String, of account: String) throws {
        try write {
            _ = try liveEvent(event, of: account)
            guard let row = try uploadToChange(upload), row.account == account, row.event == event else {
                throw GalleryRefusal.notFound(.upload)
            }
            try dismiss(row)
            try noteCounts(of: event)
        }
    }

    /// So many of those that have failed. Says how many there were.
    package func dismissFailed(ofEvent event: String, of account: String, limit: Int) throws -> Int {
        try write {
            // Nothing becomes of an upload of the account meanwhile.
            try lock(account: account)
            _ = try liveEvent(event, of: account)
            let failed = try database.all(
                """
                SELECT \(UploadRow.columns) FROM uploads
                WHERE event_id = ? AND status = 'failed' AND error_code <> ? ORDER BY id LIMIT ?
                """, event, UploadStateMachine.Code.dismissed.rawValue, limit, as: UploadRow.init)
            for row in failed { try dismiss(row) }
            if !failed.isEmpty { try noteCounts(of: event) }
            return failed.count
        }
    }

    private func dismiss(_ row: UploadRow) throws {
        var row = row
        switch row.intent.handle(.dismissed) {
        case .conflict(let reason): throw GalleryRefusal.uploadConflict(reason)
        case .nothing: return
        case .moved: break
        }
        try discard(Self.keysOfUploads("id"), of: row.id)
        for table in ["places", "tus_uploads"] {
            try database.run("DELETE FROM \(table) WHERE upload_id = ?", row.id)
        }
        try write(row)
    }
}
