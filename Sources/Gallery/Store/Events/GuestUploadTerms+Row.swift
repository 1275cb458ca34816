import Database

extension GuestUploadTerms {
    /// The version before shows a photo without clearing `waiting`; such a photo waits no more. Every guest's request reads this:
    /// photos are counted only where guests have brought some.
    static let columns = """
        allows_guest_uploads, guest_uploads_moderated, guest_upload_credits, guest_credits_spent,
        CASE WHEN guest_credits_spent = 0 THEN 0 ELSE (SELECT count(*) FROM photos AS w
            WHERE w.event_id = events.id AND w.waiting = 1 AND w.hidden = 1 AND w.deleted_at IS NULL) END
            AS guest_photos_waiting
        """

    init(_ row: any SQLRow) throws {
        isAllowed = try row["allows_guest_uploads"]
        isModerated = try row["guest_uploads_moderated"]
        credits = try row["guest_upload_credits"]
        spent = try row["guest_credits_spent"]
        waiting = try row["guest_photos_waiting"]
    }
}
