import Arguments
import Basics
import Posix
import Upload

/// A destination as the command line or the ledger names it, checked.
enum DestinationAddress: Sendable {
    case folder(FolderAddress, url: String)
    case bucket(S3Address, url: String)
    case webDAV(WebDAVAddress)
    case files(FilesAddress)

    static let kinds =
        "file:///absolute/path, s3://bucket/prefix, webdavs://host/folder, sftp://user@host/folder, "
        + "ftp://user@host/folder"

    init(_ url: String) throws(AddressProblem) {
        switch url.prefix(while: { $0 != ":" }) {
        case "file": self = .folder(try FolderAddress(url), url: url)
        case "s3": self = .bucket(try S3Address(url), url: url)
        case "webdav", "webdavs": self = .webDAV(try WebDAVAddress(url))
        case "sftp", "ftp", "ftps": self = .files(try FilesAddress(url))
        case "http", "https":
            let url = AddressParts.withoutPassword(url)
            throw AddressProblem(
                description:
                    "'\(url)' may be a gallery or a WebDAV server: a gallery is named with --server, a "
                    + "WebDAV server as webdavs://host/folder.")
        default:
            throw AddressProblem(
                description: "'\(AddressParts.withoutPassword(url))' is none of \(Self.kinds).")
        }
    }

    /// The same place where names stay as they are: a test leaves no folders behind.
    static func withoutTemplate(_ url: String) -> String {
        let parts = url.split(separator: "?", maxSplits: 1, omittingEmptySubsequences: false)
        guard parts.count == 2 else { return url }
        let items = parts[1].split(separator: "&").filter { !$0.hasPrefix("name=") }
        return String(parts[0]) + (items.isEmpty ? "" : "?" + items.joined(separator: "&"))
    }

    /// As the ledger keeps it: without a password.
    var url: String {
        switch self {
        case .folder(_, let url), .bucket(_, let url): url
        case .webDAV(let address): address.url
        case .files(let address): address.url
        }
    }
}
