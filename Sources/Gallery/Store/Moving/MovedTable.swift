/// A table whose rows a move takes over.
struct MovedTable: Sendable {
    let name: String
    /// The columns of its primary key.
    let key: [String]
    /// What triggers count at the target, so that it is compared and not written.
    let counted: Set<String>

    init(_ name: String, key: [String], counted: Set<String> = []) {
        self.name = name
        self.key = key
        self.counted = counted
    }

    /// Each after those that its rows belong to.
    static let all = [
        MovedTable("accounts", key: ["id"]),
        MovedTable("token_families", key: ["id"]),
        MovedTable("refresh_tokens", key: ["hash"]),
        MovedTable("invitations", key: ["hash"]),
        MovedTable("password_links", key: ["hash"]),
        MovedTable("events", key: ["id"]),
        MovedTable("albums", key: ["id"]),
        MovedTable("cameras", key: ["id"]),
        MovedTable("uploads", key: ["id"]),
        MovedTable("places", key: ["object_key"]),
        MovedTable("guest_uploads", key: ["upload_id"]),
        MovedTable("tus_uploads", key: ["upload_id"]),
        MovedTable("tus_pieces", key: ["object_key"]),
        MovedTable("removals", key: ["object_key"]),
        MovedTable("purges", key: ["object_key"]),
        MovedTable("photos", key: ["id"]),
        MovedTable("photo_albums", key: ["photo_id", "album_id"]),
        MovedTable("hearts", key: ["photo_id", "device"]),
        MovedTable("comments", key: ["id"]),
        MovedTable("photo_reactions", key: ["photo_id"], counted: ["hearts", "comments"]),
        MovedTable("download_days", key: ["event_id", "day", "kind"]),
        MovedTable("download_photos", key: ["photo_id"]),
        MovedTable("download_guests", key: ["event_id", "device"]),
        MovedTable("reminders", key: ["event_id", "stage"]),
        MovedTable(
            "event_counts", key: ["event_id"], counted: ["photos", "bytes", "visible", "pending", "failed"]),
    ]

    /// Tables of a gallery in a file that mean nothing elsewhere: `counters` is not read since version 4, `purging` is about the
    /// program that runs, and what a search looks through is made anew.
    static func isLeft(_ name: String) -> Bool {
        ["counters", "purging", "photos_to_index"].contains(name) || name.hasPrefix("search_")
    }
}
