import Database

extension Account {
    static let columns = columns(of: "accounts")

    /// Where its table goes by that name.
    static func columns(of table: String) -> String {
        ["id", "email", "display_name", "credits", "consent_version", "created_at"]
            .map { "\(table).\($0)" }.joined(separator: ", ")
    }

    init(_ row: any SQLRow) throws {
        id = try row["id"]
        email = try row["email"]
        displayName = try row["display_name"]
        credits = try row["credits"]
        consentVersion = try row["consent_version"]
        createdAt = try row.moment("created_at")
    }
}
