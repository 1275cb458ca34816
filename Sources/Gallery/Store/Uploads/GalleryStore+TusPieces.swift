import Basics
import Database

/// Pieces of an upload. One request brings one at a time, under a lease in the upload's row, so that it does not matter
/// which node a request comes to; what it brings counts in the transaction that still finds it the holder.
extension GalleryStore {
    /// Takes the lease, and says where the bytes go. `run` is what names of holders begin with in this run of the program:
    /// where there is no other program, one of another run has died.
    package func beginPiece(
        of id: String, of uploader: Uploader, at start: UInt64, count: UInt64, holder: String, run: String
    ) throws -> TusPiece {
        try write {
            guard let row = try uploadToChange(id), try isBrought(row, by: uploader),
                let upload = try tus(id)
            else {
                throw GalleryRefusal.notFound(.upload)
            }
            guard isFree(upload, for: holder, in: run) else { throw TusRefusal.held }
            if let reason = upload.end(at: wall.wallNow) { throw TusRefusal.over(uploader.told(reason)) }
            guard start == upload.offset else { throw TusRefusal.wrongOffset(upload.offset) }
            guard count <= upload.length - start else { throw TusRefusal.tooLong(upload.length) }
            guard count > 0 else {
                return TusPiece(
                    upload: id, holder: "", start: start, count: 0, key: "",
                    contentType: TusUpload.contentType, isWhole: false)
            }
            let pieces = try database.count("FROM tus_pieces WHERE upload_id = ?", id)
            guard pieces < TusUpload.mostPieces else { throw TusRefusal.tooManyPieces }
            try lease(id, to: holder)
            let isWhole = count == upload.length
            return TusPiece(
                upload: id, holder: holder, start: start, count: count,
                key: try isWhole ? placeOfWhole(upload) : passingKey(),
                contentType: isWhole ? upload.row.contentType : TusUpload.contentType, isWhole: isWhole)
        }
    }

    private func isFree(_ upload: TusUpload, for holder: String, in run: String) -> Bool {
        guard let other = upload.holder, other != holder else { return true }
        return worker == nil && !other.hasPrefix(run)
    }

    private func lease(_ id: String, to holder: String) throws {
        try database.run(
            "UPDATE tus_uploads SET holder = ?, leased_until = \(leaseClock) + ? WHERE upload_id = ?", holder,
            TusUpload.lease.wholeMilliseconds, id)
    }

    /// A place that is good as long as the upload is.
    private func placeOfWhole(_ upload: TusUpload) throws -> String {
        try database.first(
            "SELECT object_key FROM places WHERE upload_id = ? AND expires_at >= ? ORDER BY number DESC LIMIT 1",
            upload.id, upload.expiresAt.milliseconds
        ) { try $0["object_key"] } ?? addPlace(to: upload.id, until: upload.expiresAt)
    }

    /// A request that was to bring everything was cut: what has come is a piece.
    package func keyForRest(of piece: TusPiece) throws -> String {
        try write { try passingKey() }
    }

    /// False where another request may bring bytes by now.
    package func renewTus(_ id: String, holder: String) throws -> Bool {
        try database.run(
            "UPDATE tus_uploads SET leased_until = \(leaseClock) + ? WHERE upload_id = ? AND holder = ?",
            TusUpload.lease.wholeMilliseconds, id, holder) == 1
    }

    package func releaseTus(_ id: String, holder: String) throws {
        try database.run(
            "UPDATE tus_uploads SET holder = NULL, leased_until = 0 WHERE upload_id = ? AND holder = ?", id,
            holder)
    }

    /// These bytes lie in the storage and count from now on. The lease goes on where all of them are here, for putting them
    /// together. Returns the upload as it is then.
    package func keptPiece(_ piece: TusPiece, key: String, size: UInt64) throws -> TusUpload {
        try write {
            guard try uploadToChange(piece.upload) != nil, let upload = try tus(piece.upload),
                upload.received == piece.start, try isHeld(piece)
            else { throw TusRefusal.held }
            let unwanted = try database.run("DELETE FROM removals WHERE object_key = ?", key)
            guard unwanted == 1 else { throw TusRefusal.held }
            try database.run(
                "INSERT INTO tus_pieces (object_key, upload_id, start, size) VALUES (?, ?, ?, ?)", key,
                piece.upload, piece.start, size)
            let isAll = piece.start + size == upload.length
            try database.run(
                """
                UPDATE tus_uploads SET received = ?, is_waiting = ?, holder = CASE WHEN ? = 1 THEN holder END
                WHERE upload_id = ?
                """, piece.start + size, isAll, isAll, piece.upload)
            guard let now = try tus(piece.upload) else { throw GalleryRefusal.notFound(.upload) }
            return now
        }
    }

    /// Whatever its lease's end: no other has taken it since.
    private func isHeld(_ piece: TusPiece) throws -> Bool {
        try database.has(
            "SELECT 1 FROM tus_uploads WHERE upload_id = ? AND holder = ?", piece.upload, piece.holder)
    }

    // MARK: The whole

    /// The lease on an upload of which all bytes are here, and what is to be put together; nothing where there is nothing to
    /// do, or another does it.
    package func planTus(_ id: String, holder: String, run: String) throws -> TusPlan? {
        try write {
            guard try uploadToChange(id) != nil, let upload = try tus(id),
                isFree(upload, for: holder, in: run),
                try database.has("SELECT 1 FROM tus_uploads WHERE upload_id = ? AND is_waiting = 1", id)
            else { return nil }
            try lease(id, to: holder)
            let pieces = try database.all(
                "SELECT object_key, size FROM tus_pieces WHERE upload_id = ? ORDER BY start", id
            ) { (key: try $0.get("object_key", as: String.self), size: try $0.get("size", as: UInt64.self)) }
            return TusPlan(
                key: try placeOfWhole(upload), length: upload.length, contentType: upload.row.contentType,
                pieces: pieces)
        }
    }

    /// The whole lies at this key: from here on it is an upload like others. Says whether there is something to work on.
    package func wholeTus(_ id: String, key: String, holder: String) throws -> Bool {
        try write {
            guard let row = try uploadToChange(id), try tus(id) != nil else {
                try removeSoon([key])
                return false
            }
            try dropPieces(of: id)
            try database.run(
                """
                UPDATE tus_uploads SET received = ?, is_waiting = 0, leased_until = 0,
                    holder = CASE WHEN holder = ? THEN NULL ELSE holder END WHERE upload_id = ?
                """, row.contentLength, holder, id)
            return try landed(key, row)
        }
    }
}
