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
        // It would work for one run, be seen by all users of this machine, and be gone in the next.
        guard AddressParts.withoutPassword(url) == url else {
            throw AddressProblem(
                description:
                    "'\(AddressParts.withoutPassword(url))' was given with a password, which has no place in an address: "
                    + "all users of this machine can read it there, and it is not kept. Name a file that holds user:password "
                    + "with ?credentials=/path, or set \(Self.passwordVariable(url)).")
        }
    }

    /// What holds a server's password where no file does.
    static func passwordVariable(_ url: String) -> String {
        switch url.prefix(while: { $0 != ":" }) {
        case "sftp": "TETHERLINE_SFTP_PASSWORD"
        case "ftp", "ftps": "TETHERLINE_FTP_PASSWORD"
        default: "TETHERLINE_WEBDAV_PASSWORD"
        }
    }

    /// The same place where names stay as they are: a test leaves no folders behind.
    static func withoutTemplate(_ url: String) -> String {
        let parts = url.split(separator: "?", maxSplits: 1, omittingEmptySubsequences: false)
        guard parts.count == 2 else { return url }
        let items = parts[1].split(separator: "&").filter { !$0.hasPrefix("name=") }
        return String(parts[0]) + (items.isEmpty ? "" : "?" + items.joined(separator: "&"))
    }

    /// Why the file that `?credentials=` names holds none; nothing where all is well, or no file is named.
    var credentialsProblem: String? {
        do throws(AddressProblem) {
            switch self {
            case .folder: return nil
            case .bucket(let address, _): try address.checkCredentials()
            case .webDAV(let address): try address.checkCredentials()
            case .files(let address): try address.checkCredentials()
            }
            return nil
        } catch {
            return error.description
        }
    }

    /// What is said about a photo goes with it.
    var writesCaptions: Bool {
        switch self {
        case .folder(let address, _): address.writesCaptions
        case .bucket(let address, _): address.writesCaptions
        case .webDAV(let address): address.writesCaptions
        case .files(let address): address.writesCaptions
        }
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
