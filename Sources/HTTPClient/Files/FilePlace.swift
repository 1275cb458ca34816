package import Basics

/// A folder of a server, taken from a URL: `sftp://host/srv/photos`, `sftp://host/~/photos`, `ftp://host/photos`,
/// `ftps://host:990/photos`. A path that begins with `/~/` begins where the log-in leads, one that begins with two slashes at
/// the top, of SFTP and of FTP alike. One that begins otherwise begins at the top of SFTP and where the log-in leads of FTP,
/// as other programs have it: on most servers of FTP that is the same.
package struct FilePlace: Equatable, Sendable {
    package let scheme: String
    package let host: String
    package let port: String
    /// What stands before every path, as the server is told it; empty, or with a slash at its end.
    private let prefix: String
    private let base: String

    package var isSFTP: Bool { scheme == "sftp" }
    package var peer: String { host.contains(":") ? "[\(host)]:\(port)" : "\(host):\(port)" }

    package static let schemes: Set = ["sftp", "ftp", "ftps"]

    package init(_ url: String) throws(HTTPFailure) {
        let address = try Address(url)
        guard Self.schemes.contains(address.scheme) else {
            throw .invalid("'\(address.scheme)' is no server of files; there are sftp, ftp and ftps")
        }
        guard !url.contains("?"), !url.contains("#") else {
            throw .invalid("an address of a folder has neither '?' nor '#'; write %3F and %23")
        }
        (scheme, host, port) = (address.scheme, address.host, address.port)
        base = "\(address.scheme)://\(address.peer)/"
        var path = try address.decodedPath()
        guard path.utf8.allSatisfy({ $0 >= 0x20 && $0 != 0x7F }) else {
            throw .invalid("the folder of \(address.peer) has a control character in its name")
        }
        if !path.hasSuffix("/") { path += "/" }
        if path.hasPrefix("/~/") {
            prefix = String(path.dropFirst(3))
        } else if scheme == "sftp" {
            while path.hasPrefix("//") { path.removeFirst() }
            prefix = path
        } else {
            prefix = String(path.dropFirst())
        }
    }

    /// Which folder that is, for people: `/x` alone is not the same to every kind of server.
    package var folder: String {
        if prefix.hasPrefix("/") {
            return prefix == "/" ? "the topmost folder" : "the folder \(prefix.dropLast())"
        }
        return prefix.isEmpty
            ? "the folder where the log-in leads"
            : "\(prefix.dropLast()), in the folder where the log-in leads"
    }

    /// A path in the words of libcurl and of the server.
    struct Target {
        let url: String
        /// Of the folder that it is in.
        let folderURL: String
        let plain: String
        /// The folders above it, outermost first.
        let folders: [String]

        var quoted: String { FilePlace.quoted(plain) }
    }

    /// As libcurl reads a name in a command of SFTP's.
    private static func quoted(_ name: String) -> String {
        "\"" + name.replacing("\\", with: "\\\\").replacing("\"", with: "\\\"") + "\""
    }

    /// The folder that was agreed on, in a command of SFTP's.
    var quotedFolder: String { Self.quoted(prefix.isEmpty ? "." : prefix) }

    func resolve(_ path: String) throws(FileServerFailure) -> Target {
        let parts = path.split(separator: "/", omittingEmptySubsequences: false)
        guard parts.allSatisfy({ !["", ".", ".."].contains($0) }),
            path.utf8.allSatisfy({ $0 >= 0x20 && $0 != 0x7F })
        else { throw .invalid("'\(path.filter { $0 >= " " })' is no path of a file on \(peer)") }
        let plain = prefix + path
        var folders: [String] = []
        for part in plain.split(separator: "/").dropLast() {
            folders.append((folders.last.map { "\($0)/" } ?? (plain.hasPrefix("/") ? "/" : "")) + part)
        }
        let folder = plain[
            ..<(plain.utf8.lastIndex(of: UInt8(ascii: "/")).map(plain.utf8.index(after:)) ?? plain.startIndex)
        ]
        return Target(
            url: url(of: plain), folderURL: url(of: String(folder)), plain: plain, folders: folders)
    }

    /// The folder that was agreed on: its list, and what FTP calls it, where that is not simply where the log-in leads.
    var listURL: String { url(of: prefix) }
    var folderName: String? { prefix.isEmpty ? nil : prefix.count > 1 ? String(prefix.dropLast()) : prefix }

    /// For commands that transfer nothing.
    var folderURL: String { isSFTP ? base + "~/" : base }

    private func url(of plain: String) -> String {
        let escaped = PercentEncoding.encoded(plain, keeping: "/")
        if !isSFTP { return base + (plain.hasPrefix("/") ? "%2F" + escaped.dropFirst() : escaped) }
        return base + (plain.hasPrefix("/") ? String(escaped.dropFirst()) : "~/" + escaped)
    }
}
