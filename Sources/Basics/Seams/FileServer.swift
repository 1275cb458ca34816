/// What uploading asks of a server that keeps files: FTP, SFTP. Paths are relative to the folder that was agreed on, with
/// slashes between their parts; no part is empty, "." or "..".
public protocol FileServer: Sendable {
    /// Writes a piece of a file under a name, over what has that name, and makes the folders that are missing.
    func upload(
        _ slice: FileSlice, to path: String, share: String?, onSent: (@Sendable (UInt64) -> Void)?
    ) async throws(FileServerFailure)
    /// Whether the folder that was agreed on is there.
    func hasFolder() async throws(FileServerFailure) -> Bool
    /// Nothing when there is no file of that name.
    func size(of path: String) async throws(FileServerFailure) -> UInt64?
    /// Gives every byte of a file, as they come, on the network's thread. False from `take` ends it.
    func read(
        _ path: String, _ take: @escaping @Sendable (RawSpan) -> Bool
    ) async throws(FileServerFailure)
    /// False when the new name is taken; nothing has changed then.
    func rename(_ path: String, to newPath: String) async throws(FileServerFailure) -> Bool
    /// A file that is not there is no failure.
    func remove(_ path: String) async throws(FileServerFailure)
}

/// Why a server of files did not do it.
public enum FileServerFailure: Error, Equatable, Sendable {
    /// No name, no route, refused, or cut before anything was asked.
    case unreachable(String)
    /// The other side cannot prove who it is: its certificate, or its key, is not the known one.
    case distrusted(String)
    /// It does not know this user, or this key or password.
    case logInRefused(String)
    /// The connection broke, or nothing moved. With the whole body sent the other side may have it.
    case broken(String, bodyWasSent: Bool)
    case noRoom(String)
    case missing(String)
    /// It said no. The code is FTP's; 0 of SFTP.
    case refused(String, code: Int)
    /// The file could not be read here.
    case body(DiskError)
    /// A mistake in an address or a setting.
    case invalid(String)
    case cancelled
}

extension FileServerFailure: CustomStringConvertible {
    public var description: String {
        switch self {
        case .unreachable(let text), .distrusted(let text), .logInRefused(let text), .broken(let text, _),
            .noRoom(let text), .missing(let text), .refused(let text, _), .invalid(let text):
            text
        case .body(let error): "\(error)"
        case .cancelled: "it was taken back"
        }
    }
}
