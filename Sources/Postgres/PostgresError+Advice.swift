extension PostgresError {
    /// What an operator can do about a connection that was refused. libpq has no code for it, only words.
    var advice: String? { Self.known.first { message.contains($0.words) }?.advice }

    private static let known: [(words: String, advice: String)] = [
        ("could not translate host name", "check how the host is spelt in the address"),
        (
            "password authentication failed",
            "check the password in PGPASSWORD, or in the file that PGPASSFILE names"
        ),
        ("no password supplied", "give the password in PGPASSWORD, or in the file that PGPASSFILE names"),
        ("no pg_hba.conf entry", "let the server admit this machine and role in its pg_hba.conf"),
        ("root certificate file", "name the certificate of the server's authority with sslrootcert="),
        ("too many clients", tooMany), ("remaining connection slots", tooMany),
        ("Connection refused", "check that PostgreSQL runs there, its listen_addresses and the port"),
        ("does not exist", "make it with createuser, or createdb --encoding UTF8 --template template0"),
    ]

    private static let tooMany =
        "raise max_connections: a node takes twice its --database-connections, and two more"
}
