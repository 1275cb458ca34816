package import Basics
import Digest
package import Posix

/// The keys of a gallery in a folder: the first in `secret.key`, where programs that know of one only look for it, and all
/// others in `secret.keys`, a line each.
package struct KeyFiles: KeyPlace {
    package static let firstName = "secret.key"
    package static let othersName = "secret.keys"

    private static let heading = "# Keys of this gallery besides secret.key, which is number 1."
    private static let retired = "retired"
    private static let longest = 4096

    private let directory: Directory
    private let random: any RandomSource
    private let wall: any WallTime

    package init(_ directory: Directory, random: any RandomSource, wall: any WallTime) {
        self.directory = directory
        self.random = random
        self.wall = wall
    }

    package func load() async throws -> ServerSecret { try read() }

    /// The first is made when a gallery starts for the first time.
    package func read() throws -> ServerSecret {
        let first = try firstKey()
        let others = try others()
        let keys = others.keys + (others.firstIsRetired ? [] : [first])
        guard !keys.isEmpty else {
            throw problem(Self.othersName, "retires the first key and has no other")
        }
        return ServerSecret(keys)
    }

    package func add() async throws -> Int64 {
        let number = try read().nextNumber()
        var others = try others()
        others.keys.insert(
            ServerSecret.Key(number: number, random.bytes(ServerSecret.length), createdAt: wall.wallNow),
            at: 0)
        try write(others)
        return number
    }

    package func retire(_ number: Int64) async throws {
        try read().mayRetire(number)
        var others = try others()
        if number == SigningKey.firstNumber { others.firstIsRetired = true }
        others.keys.removeAll { $0.number == number }
        try write(others)
        // Nothing was ever signed with what stands there then, and a program that knows no other file starts with it.
        if number == SigningKey.firstNumber {
            _ = try writeAtomically(random.bytes(ServerSecret.length), to: Self.firstName, in: directory)
        }
    }

    // MARK: The first

    private func firstKey() throws -> ServerSecret.Key {
        if let known = try knownFirst() { return known }
        let new = random.bytes(ServerSecret.length)
        let isOurs = try writeAtomically(new, to: Self.firstName, in: directory, replacing: false)
        if isOurs { return ServerSecret.Key(new) }
        // Another program was faster by a moment.
        guard let other = try knownFirst() else {
            throw problem(Self.firstName, "came and went; start again")
        }
        return other
    }

    private func knownFirst() throws -> ServerSecret.Key? {
        guard let bytes = try bytes(Self.firstName) else { return nil }
        guard bytes.count == ServerSecret.length else {
            throw problem(
                Self.firstName,
                "has \(bytes.count) bytes instead of \(ServerSecret.length). Put it back from a backup, "
                    + "or remove it: a new one is made, and all users have to log in again")
        }
        return ServerSecret.Key(bytes)
    }

    // MARK: The others

    private struct Others {
        var keys: [ServerSecret.Key] = []
        var firstIsRetired = false
    }

    private func others() throws -> Others {
        guard let bytes = try bytes(Self.othersName) else { return Others() }
        var others = Others()
        let lines = String(decoding: bytes, as: UTF8.self).split(separator: "\n")
        for line in lines where !line.hasPrefix("#") {
            let fields = line.split(separator: " ", omittingEmptySubsequences: false)
            if fields.count == 2, fields[0] == "\(SigningKey.firstNumber)", fields[1] == Self.retired {
                others.firstIsRetired = true
            } else if let key = Self.key(fields), !others.keys.contains(where: { $0.number == key.number }) {
                others.keys.append(key)
            } else {
                // What stands in the line is secret.
                throw problem(Self.othersName, "has a line that is no key. Put it back from a backup")
            }
        }
        guard others.keys.count < ServerSecret.mostKeys else {
            throw problem(
                Self.othersName,
                "has \(others.keys.count) keys, and at most \(ServerSecret.mostKeys - 1) are read")
        }
        return others
    }

    private static func key(_ fields: [Substring]) -> ServerSecret.Key? {
        guard fields.count == 3, let number = SigningKeys.number(fields[0]), let moment = Int64(fields[1]),
            let bytes = Hexadecimal.bytes(String(fields[2])), bytes.count == ServerSecret.length
        else { return nil }
        return ServerSecret.Key(number: number, bytes, createdAt: Timestamp(milliseconds: moment))
    }

    private func write(_ others: Others) throws {
        let lines =
            [Self.heading] + (others.firstIsRetired ? ["\(SigningKey.firstNumber) \(Self.retired)"] : [])
            + others.keys.map {
                "\($0.number) \($0.createdAt?.milliseconds ?? 0) \(Hexadecimal.text($0.bytes))"
            }
        _ = try writeAtomically(
            Array((lines.joined(separator: "\n") + "\n").utf8), to: Self.othersName, in: directory)
    }

    // MARK: Files

    private func bytes(_ name: String) throws -> [UInt8]? {
        guard try directory.facts(of: name) != nil else { return nil }
        return try ReadableFile.contents(of: "\(directory.path)/\(name)", limit: Self.longest)
    }

    private func problem(_ name: String, _ what: String) -> ServerSecret.SecretProblem {
        ServerSecret.SecretProblem(description: "\(directory.path)/\(name) \(what).")
    }
}
