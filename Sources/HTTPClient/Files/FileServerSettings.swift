import Basics
import CCurl
import Glibc

/// Who we are to a server of files, and how it proves who it is.
package struct FileServerSettings: Sendable {
    package enum Proof: Sendable {
        case password(String)
        /// A private key's file, and the words that open it; without a file the usual ones of this user.
        case key(path: String?, passphrase: String?)
    }

    package enum Security: Sendable {
        /// FTP without TLS is refused.
        case required
        /// Passwords and photos may be read by every host on the way.
        case none
    }

    package var user: String
    package var proof: Proof
    package var security = Security.required
    /// Without one, this user's own.
    package var knownHosts: String?
    package var privateCA: String?

    package init(user: String, proof: Proof) {
        self.user = user
        self.proof = proof
    }

    private static var home: String { Trust.variable("HOME") ?? "/nonexistent" }
    var knownHostsPath: String { knownHosts ?? "\(Self.home)/.ssh/known_hosts" }

    func options(for place: FilePlace) throws(HTTPFailure) -> [Option] {
        var options: [Option] = [.text(CURLOPT_USERNAME, user)]
        if case .password(let password) = proof { options.append(.text(CURLOPT_PASSWORD, password)) }
        if place.isSFTP { return options + [.text(CURLOPT_SSH_KNOWNHOSTS, knownHostsPath)] + (try key()) }
        guard case .password = proof else {
            throw .invalid("FTP knows no keys; \(place.peer) needs a password")
        }
        let level = isSecure(place) ? CURLUSESSL_ALL : CURLUSESSL_NONE
        options.append(.number(CURLOPT_USE_SSL, Int(level.rawValue)))
        options += try Trust(privateCA: privateCA, environment: Trust.variable).options()
        // Servers want the session of the commands again for the bytes. With 1.3 a session is good for one use, and
        // its second use is refused.
        options.append(
            .number(
                CURLOPT_SSLVERSION, Int(CURL_SSLVERSION_TLSv1_2) | Int(CURL_SSLVERSION_MAX_TLSv1_2)))
        return options
    }

    func isSecure(_ place: FilePlace) -> Bool { security == .required || place.scheme != "ftp" }

    private func key() throws(HTTPFailure) -> [Option] {
        guard case .key(let path, let passphrase) = proof else {
            return [.number(CURLOPT_SSH_AUTH_TYPES, Int(CURLSSH_AUTH_PASSWORD | CURLSSH_AUTH_KEYBOARD))]
        }
        let usual = ["id_ed25519", "id_ecdsa", "id_rsa"].map { "\(Self.home)/.ssh/\($0)" }
        guard let file = path ?? usual.first(where: { access($0, R_OK) == 0 }) else {
            throw .invalid("there is no key in \(Self.home)/.ssh; name a private key's file, or a password")
        }
        guard access(file, R_OK) == 0 else {
            throw .invalid("the private key \(file) cannot be read: \(String(cString: strerror(errno)))")
        }
        return [
            .number(CURLOPT_SSH_AUTH_TYPES, Int(CURLSSH_AUTH_PUBLICKEY)),
            .text(CURLOPT_SSH_PRIVATE_KEYFILE, file),
            // Made from the private one.
            .text(CURLOPT_SSH_PUBLIC_KEYFILE, ""),
            passphrase.map { .text(CURLOPT_KEYPASSWD, $0) } ?? .noText(CURLOPT_KEYPASSWD),
        ]
    }
}
