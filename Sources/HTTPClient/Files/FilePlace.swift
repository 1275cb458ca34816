package import Basics

/// A folder of a server, taken from a URL: `sftp://host/srv/photos`, `sftp://host/~/photos`, `ftp://host/photos`,
/// `ftps://host:990/photos`. Of SFTP a path begins at the top, unless it begins with `/~/`: then at the user's own folder.
/// Of FTP it begins where the log-in leads, unless it begins with two slashes.
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
        if scheme == "sftp" {
            prefix = path.hasPrefix("/~/") ? String(path.dropFirst(3)) : path
        } else {
            prefix = String(path.dropFirst())
        }
    }

    /// A path in the words of libcurl and of the server.
    struct Target {
        let url: String
        /// Of the folder that it is in.
        let folderURL: String
        let plain: String
        /// The folders above it, outermost first.
        let folders: [String]

        /// As libcurl reads a name in a command of SFTP's.
        var quoted: String {
            "\"" + plain.replacing("\\", with: "\\\\").replacing("\"", with: "\\\"") + "\""
        }
    }

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
