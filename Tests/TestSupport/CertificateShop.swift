/// Keys and certificates for one test, made by the openssl program.
public final class CertificateShop: Sendable {
    public struct Pair: Sendable {
        public let certificate: String
        public let key: String
    }

    public struct Refused: Error {
        public let words: [String]
        public let errors: String
    }

    public let folder: TemporaryFolder
    /// The certificate of an authority that no client knows.
    public var authority: String { folder.file("authority.crt") }
    private let openssl: Tool

    public init() throws {
        guard let openssl = Tool("openssl") else {
            throw Refused(words: ["openssl"], errors: "not installed")
        }
        self.openssl = openssl
        folder = try TemporaryFolder()
        _ = try selfSigned("authority", name: "A private authority", isAuthority: true)
        try folder.write("", to: "index.txt")
        try folder.write(
            """
            [ca]
            default_ca = own
            [own]
            database = index.txt
            new_certs_dir = .
            rand_serial = yes
            default_md = sha256
            policy = any
            unique_subject = no
            copy_extensions = copy
            [any]
            commonName = supplied

            """, to: "ca.conf")
    }

    private func run(_ words: [String]) throws {
        let output = try openssl.run(words, in: folder.path)
        guard output.code == 0 else { throw Refused(words: words, errors: output.errors) }
    }

    private func alternative(_ name: String) -> String {
        "subjectAltName=DNS:\(name)" + (name == "localhost" ? ",IP:127.0.0.1" : "")
    }

    /// It vouches for itself.
    public func selfSigned(
        _ file: String, name: String = "localhost", isAuthority: Bool = false
    ) throws -> Pair {
        let extensions =
            isAuthority
            ? ["basicConstraints=critical,CA:TRUE", "keyUsage=critical,keyCertSign,cRLSign"]
            : [alternative(name)]
        try run(
            [
                "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-days",
                "30",
                "-keyout", "\(file).key", "-out", "\(file).crt", "-subj", "/CN=\(name)",
            ] + extensions.flatMap { ["-addext", $0] })
        return Pair(certificate: self.folder.file("\(file).crt"), key: self.folder.file("\(file).key"))
    }

    /// The authority vouches for it, from and until a time such as `20200101000000Z`.
    public func signed(
        _ file: String, name: String = "localhost", from: String = "20200101000000Z",
        until: String = "20990101000000Z"
    ) throws -> Pair {
        try run([
            "req", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-keyout", "\(file).key",
            "-out", "\(file).csr", "-subj", "/CN=\(name)", "-addext", alternative(name),
        ])
        try run([
            "ca", "-batch", "-notext", "-config", "ca.conf", "-cert", "authority.crt", "-keyfile",
            "authority.key",
            "-in", "\(file).csr", "-out", "\(file).crt", "-startdate", from, "-enddate", until,
        ])
        return Pair(certificate: folder.file("\(file).crt"), key: folder.file("\(file).key"))
    }
}

/// OpenSSL's server, which answers each GET with a page about the connection.
public final class TLSServer: Sendable {
    public let port: UInt16
    private let daemon: Daemon

    public init(_ pair: CertificateShop.Pair, _ shop: CertificateShop) throws {
        guard let openssl = Tool("openssl") else {
            throw CertificateShop.Refused(words: ["openssl"], errors: "not installed")
        }
        daemon = try Daemon(
            openssl.path,
            ["s_server", "-accept", "127.0.0.1:0", "-cert", pair.certificate, "-key", pair.key, "-www"])
        // "ACCEPT 127.0.0.1:45231"
        let line = try daemon.wait(for: "ACCEPT ")
        port = line.split(separator: ":").last.flatMap { UInt16($0) } ?? 0
    }
}
