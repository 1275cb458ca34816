import Basics
import Glibc

/// A user of this machine, looked up so that tests on several threads do not write over each other's answer, as they
/// would with `getpwnam` and `getpwuid`.
public struct SystemUser: Sendable {
    public let name: String
    public let id: UInt32
    public let group: UInt32

    /// Nothing when there is no such user.
    public init?(named name: String) {
        self.init { getpwnam_r(name, $0, $1, $2, $3) }
    }

    /// Whose process this is.
    public static func own() throws -> SystemUser {
        guard let own = SystemUser({ getpwuid_r(geteuid(), $0, $1, $2, $3) }) else {
            throw FileProblem(path: "the entry of user \(geteuid()) in /etc/passwd", number: ENOENT)
        }
        return own
    }

    private typealias Entry = UnsafeMutablePointer<passwd>

    private init?(
        _ look: (Entry, UnsafeMutablePointer<CChar>, Int, UnsafeMutablePointer<Entry?>) -> CInt
    ) {
        var entry = passwd()
        var found: Entry?
        // More than /etc/passwd lets a line have in practice; a longer one is an account that is not found.
        var words = [CChar](repeating: 0, count: 16_384)
        let account = words.withUnsafeMutableBufferPointer { buffer -> (String, UInt32, UInt32)? in
            guard let base = buffer.baseAddress, look(&entry, base, buffer.count, &found) == 0, found != nil
            else { return nil }
            return (String(cString: entry.pw_name), entry.pw_uid, entry.pw_gid)
        }
        guard let account else { return nil }
        (name, id, group) = account
    }
}
