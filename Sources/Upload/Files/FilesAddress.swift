import Bridge
import Posix

/// `sftp://user@host:port/folder?name={event}/{name}&key=/path&known-hosts=/path`, `ftp://user@host/folder?tls=none`,
/// `ftps://…`: a folder of a server of files, and how photos are called in it.
///
/// A password in it is taken and not kept: what is stored and shown has the user's name only.
package struct FilesAddress: Sendable {
    /// As it is stored and shown.
    package let url: String
    /// Without user and wishes: `sftp://host:port/folder`.
    package let serverURL: String
    package let scheme: String
    package let host: String
    package let port: UInt16
    /// A private key's file, where it is not one of the usual ones.
    package let keyFile: String?
    package let knownHosts: String?
    /// Passwords and photos may go without TLS.
    package let allowsPlain: Bool
    let template: NameTemplate
    /// Others take away what is delivered there.
    package let consumes: Bool
    /// What is said about a photo goes with it: `metadata=iptc`.
    package let writesCaptions: Bool
    private let user: String?
    private let password: String?
    private let credentialsFile: String?

    package static let schemes = ["sftp": 22 as UInt16, "ftp": 21, "ftps": 990]

    package init(_ url: String) throws(AddressProblem) {
        let scheme = String(url.prefix { $0 != ":" })
        guard let usual = Self.schemes[scheme], let parts = try AddressParts(url, scheme: scheme) else {
            throw AddressProblem(
                description: "'\(AddressParts.withoutPassword(url))' is no server of files: "
                    + "sftp://user@host/folder is meant.")
        }
        self.scheme = scheme
        self.url = parts.url
        // As it was written, since the parts have no password any more.
        let authority = url.dropFirst(scheme.count + 3).prefix { $0 != "/" && $0 != "?" }
        let place = authority.split(separator: "@", omittingEmptySubsequences: false)
        let login = place.dropLast().joined(separator: "@")
        let pair = login.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
        user = pair.first.map { $0.isEmpty } == false ? try parts.decoded(pair[0]) : nil
        password = pair.count == 2 ? try ServerLogin.password(pair[1], parts.url) : nil
        do throws(HostPort.Unreadable) {
            let server = try HostPort(String(place.last ?? ""), defaultPort: usual)
            (host, port) = (server.host, server.port)
        } catch {
            throw AddressProblem(description: "\(error)")
        }
        // So that a folder that leads elsewhere is refused when the operator names it.
        _ = try parts.components()
        serverURL = "\(scheme)://\(place.last ?? "")\(parts.path.isEmpty ? "/" : parts.path)"
        var template = FolderAddress.usualTemplate
        var files: [Substring: String] = [:]
        var allowsPlain = false
        for item in parts.items {
            switch (item.name, item.value) {
            case ("name", let value): template = value
            case ("credentials", let path) where path.hasPrefix("/"),
                ("key", let path) where path.hasPrefix("/") && scheme == "sftp",
                ("known-hosts", let path) where path.hasPrefix("/") && scheme == "sftp":
                files[item.name] = path
            case ("tls", "none") where scheme == "ftp": allowsPlain = true
            default:
                throw parts.unknown(
                    item,
                    known: "name=TEMPLATE, metadata=iptc, consumed=true, credentials=/path, "
                        + (scheme == "sftp" ? "key=/path and known-hosts=/path" : "and tls=none with ftp"))
            }
        }
        self.template = try AddressParts.template(template)
        consumes = parts.consumes
        writesCaptions = parts.writesCaptions
        credentialsFile = files["credentials"]
        keyFile = files["key"]
        knownHosts = files["known-hosts"]
        self.allowsPlain = allowsPlain
    }

    /// Whether the file that `credentials` names holds a login.
    package func checkCredentials() throws(AddressProblem) {
        if let credentialsFile { _ = try ServerLogin(file: credentialsFile) }
    }

    /// Who we say that we are, and the password, where there is one.
    package func login(
        _ environment: [String: String]
    ) throws(AddressProblem) -> (user: String, password: String?) {
        if let user, let password { return (user, password) }
        if let credentialsFile {
            let login = try ServerLogin(file: credentialsFile)
            return (login.user, login.password)
        }
        let variable = scheme == "sftp" ? "TETHERLINE_SFTP_PASSWORD" : "TETHERLINE_FTP_PASSWORD"
        guard let user else {
            throw AddressProblem(
                description: "'\(url)' names no user: \(scheme)://user@host/folder is meant.")
        }
        if let password = environment[variable], !password.isEmpty { return (user, password) }
        // Keys do as well.
        if scheme == "sftp" { return (user, nil) }
        throw AddressProblem(
            description:
                "there is no password for '\(user)' at \(host); set \(variable), or add credentials=/path "
                + "to the destination, a file that holds user:password.")
    }
}
