package import Basics
import Digest
package import Posix

/// What only this server knows. A thief who has it can log in as any user, so it never leaves its file; without it,
/// all users have to log in anew.
package struct ServerSecret: Sendable, CustomStringConvertible, CustomReflectable {
    /// What a key is for: one that leaks or is misused says nothing about the others.
    package enum Purpose: String, CaseIterable, Sendable {
        case access
        case refresh
        case places
        case guests
        case hosts
        case devices
    }

    package static let fileName = "secret.key"
    static let length = 32

    private let bytes: [UInt8]

    package init(_ bytes: [UInt8]) {
        precondition(bytes.count == Self.length, "the secret of a server has \(Self.length) bytes")
        self.bytes = bytes
    }

    package func key(for purpose: Purpose) -> [UInt8] {
        HMACSHA256.code(of: Array("tetherline gallery \(purpose.rawValue)".utf8), key: bytes)
    }

    /// That of the server whose data lie there; made when it starts for the first time.
    package static func load(
        from directory: Directory, random: any RandomSource
    ) throws -> ServerSecret {
        if let known = try read(from: directory) { return known }
        let new = random.bytes(length)
        let isOurs = try writeAtomically(
            new, to: fileName, in: directory, mode: 0o600, replacing: false)
        if isOurs { return ServerSecret(new) }
        // Another program was faster by a moment.
        guard let other = try read(from: directory) else {
            throw SecretProblem(description: "\(directory.path)/\(fileName) came and went; start again.")
        }
        return other
    }

    private static func read(from directory: Directory) throws -> ServerSecret? {
        guard try directory.facts(of: fileName) != nil else { return nil }
        let path = "\(directory.path)/\(fileName)"
        let bytes = try ReadableFile.contents(of: path, limit: 4096)
        guard bytes.count == length else {
            throw SecretProblem(
                description:
                    "\(path) has \(bytes.count) bytes instead of \(length). Put it back from a backup, "
                    + "or remove it: a new one is made, and all users have to log in again.")
        }
        return ServerSecret(bytes)
    }

    package struct SecretProblem: Error, Equatable, CustomStringConvertible {
        package let description: String
    }

    package var description: String { "the server's secret" }
    package var customMirror: Mirror { Mirror(self, children: [:]) }
}
