import Database

extension ImageAccessCache.Image {
    fileprivate init(_ key: String, _ row: any SQLRow) throws {
        let isThumb = try row["thumb_key"] == key
        let (tile, stream): (String?, String?) = (try row["tile_key"], try row["stream_key"])
        let (isTile, isStream) = (tile == key, stream == key)
        let isRendition = try isThumb || isTile || row["screen_key"] == key
        let type: String = try row["content_type"]
        let (filename, id): (String?, String) = (try row["filename"], try row["id"])
        let name =
            isRendition
            ? Photo.screenName(filename: filename, id: id, contentType: type)
            : Photo.name(filename: filename, id: id, contentType: type)
        self.init(
            key: key, owner: try row["owner_id"], event: try row["event_id"], pinHash: try row["pin_hash"],
            expiresAt: try row.moment("expires_at"), isHidden: try row["hidden"],
            allowsOriginals: try row["allows_originals"], guestKey: try GuestLinkKey(row["guest_key"]),
            type: isRendition ? "image/jpeg" : type,
            size: try row[
                isThumb
                    ? "thumb_size"
                    : isTile ? "tile_size" : isRendition ? "screen_size" : isStream ? "stream_size" : "size"],
            isOriginal: !isRendition && !isStream,
            names: isThumb || isTile ? nil : ImageAccessCache.Names(name),
            forGuests: ImageAccessCache.GuestAnswer(key))
    }
}

extension SQLSession {
    /// What stands behind the key of an image that is not deleted.
    func image(_ key: String) throws -> ImageAccessCache.Image? {
        try first(
            """
            SELECT thumb_key, screen_key, content_type, photos.owner_id, event_id, pin_hash, expires_at, hidden,
                allows_originals, guest_key, size, thumb_size, screen_size, filename, photos.id, stream_key, stream_size,
                tile_key, tile_size
            FROM photos JOIN events ON events.id = event_id
            WHERE photos.id = coalesce(
                    (SELECT id FROM photos WHERE thumb_key = ?1), (SELECT id FROM photos WHERE tile_key = ?1),
                    (SELECT id FROM photos WHERE screen_key = ?1), (SELECT id FROM photos WHERE original_key = ?1),
                    (SELECT id FROM photos WHERE stream_key = ?1))
                AND photos.deleted_at IS NULL AND events.deleted_at IS NULL
            """, key
        ) { row in try ImageAccessCache.Image(key, row) }
    }

    /// Whether that log-in of the account has not ended.
    func isLoggedIn(_ account: String, family: String) throws -> Bool {
        try has(
            "SELECT 1 FROM token_families WHERE id = ? AND account_id = ? AND revoked_at IS NULL", family,
            account)
    }
}
