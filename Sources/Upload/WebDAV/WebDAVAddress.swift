import Basics
import Bridge
import Posix

/// `webdavs://user@host:port/folder?name={event}/{name}&credentials=/etc/tetherline/desk`: a folder of a server, and how
/// photos are called in it.
///
/// A password in it is taken and not kept: what is stored and shown has the user's name only. After a restart it
/// comes from the file that `credentials=` names, or from the environment.
package struct WebDAVAddress: Sendable {
    /// As it is stored and shown.
    package let url: String
    /// `https://host:port`
    let origin: String
    let host: String
    let port: UInt16
    /// The folder's path, encoded, with a slash at its end.
    let folder: String
    let template: NameTemplate
    /// Others take away what is delivered there.
    package let consumes: Bool
    /// What is said about a photo goes with it: `metadata=iptc`.
    package let writesCaptions: Bool
    private let user: String?
    private let password: String?
    private let credentialsFile: String?

    package init(_ url: String) throws(AddressProblem) {
        let secure = try AddressParts(url, scheme: "webdavs")
        let plain = secure == nil ? try AddressParts(url, scheme: "webdav") : nil
        guard let parts = secure ?? plain else {
            throw AddressProblem(
                description: "'\(AddressParts.withoutPassword(url))' is no WebDAV server: "
                    + "webdavs://user@host/folder is meant.")
        }
        self.url = parts.url
        let place = parts.authority.split(separator: "@", omittingEmptySubsequences: false)
        let server = place.last ?? ""
        // As it was written, since the parts have no password any more.
        let login = place.dropLast().joined(separator: "@")
        if login.isEmpty {
            user = nil
            password = nil
        } else {
            let pair = login.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
            user = try parts.decoded(pair[0])
            if pair.count == 2 {
                password = try ServerLogin.password(pair[1], parts.url)
            } else {
                password = nil
            }
        }
        let scheme = secure == nil ? "http" : "https"
        let usual: UInt16 = secure == nil ? 80 : 443
        do throws(HostPort.Unreadable) {
            let place = try HostPort(String(server), defaultPort: usual)
            host = place.host
            port = place.port
        } catch {
            throw AddressProblem(description: "\(error)")
        }
        origin = "\(scheme)://\(server.lowercased())"
        let components = try parts.components()
        folder = "/" + components.map { PercentEncoding.encoded($0) + "/" }.joined()
        var template = FolderAddress.usualTemplate
        var file: String?
        for item in parts.items {
            switch item.name {
            case "name": template = item.value
            case "credentials" where item.value.hasPrefix("/"): file = item.value
            default:
                throw parts.unknown(
                    item, known: "name=TEMPLATE, credentials=/absolute/path, metadata=iptc and consumed=true")
            }
        }
        self.template = try AddressParts.template(template)
        consumes = parts.consumes
        writesCaptions = parts.writesCaptions
        credentialsFile = file
    }

    /// Whether the file that `credentials` names holds a login.
    package func checkCredentials() throws(AddressProblem) {
        if let credentialsFile { _ = try ServerLogin(file: credentialsFile) }
    }

    /// The user and password that we send; nothing for a server that needs none.
    func login(_ environment: [String: String]) throws(AddressProblem) -> ServerLogin? {
        if let user, let password { return ServerLogin(user: user, password: password) }
        if let credentialsFile { return try ServerLogin(file: credentialsFile) }
        let said = environment["TETHERLINE_WEBDAV_USER"] ?? ""
        guard let user = user ?? (said.isEmpty ? nil : said) else { return nil }
        guard let password = environment["TETHERLINE_WEBDAV_PASSWORD"], !password.isEmpty else {
            throw AddressProblem(
                description: """
                    there is no password for '\(user)' at \(host); set TETHERLINE_WEBDAV_PASSWORD, or add \
                    credentials=/path to the destination, a file that holds user:password.
                    """)
        }
        return ServerLogin(user: user, password: password)
    }

    /// Where what we ask is the place for: a file, or a folder with a slash at its end.
    func path(_ name: String) -> String { folder + PercentEncoding.encoded(name, keeping: "/") }
}
