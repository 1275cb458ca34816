import Basics
import Digest
import Glibc
import Posix
import TestSupport
import Testing

@testable import Gallery

@Suite struct SecretTests {
    private func files(_ folder: TemporaryFolder, seed: UInt64 = 1) throws -> KeyFiles {
        KeyFiles(try Directory(path: folder.path), random: SeededSource(seed), wall: StandingCalendar())
    }

    private func mode(_ path: String) -> UInt32? {
        var facts = stat()
        return stat(path, &facts) == 0 ? facts.st_mode & 0o777 : nil
    }

    @Test("it is made once, for its owner only, and is the same at every later start")
    func madeOnce() throws {
        let folder = try TemporaryFolder()
        let first = try files(folder).read()
        let second = try files(folder, seed: 2).read()
        for purpose in ServerSecret.Purpose.allCases {
            #expect(first.keys(for: purpose).current == second.keys(for: purpose).current)
        }
        #expect(mode(folder.file(KeyFiles.firstName)) == 0o600)
        #expect(try readFile(folder.file(KeyFiles.firstName)).count == 32)
        #expect(folder.contents() == [KeyFiles.firstName])
    }

    @Test("each purpose has a key of its own, and another server has others")
    func keys() throws {
        let secrets = [
            ServerSecret(Array(0..<32)), ServerSecret(Array(1..<33)),
            ServerSecret([ServerSecret.Key(number: 2, Array(2..<34))]),
        ]
        let keys = ServerSecret.Purpose.allCases.flatMap { purpose in
            secrets.map { $0.keys(for: purpose).current.bytes }
        }
        #expect(
            Set(keys).count == 3 * ServerSecret.Purpose.allCases.count && keys.allSatisfy { $0.count == 32 })
    }

    @Test("a file that is no secret is refused and left as it is", arguments: [0, 31, 33, 5000])
    func damaged(length: Int) throws {
        let folder = try TemporaryFolder()
        let bytes = [UInt8](repeating: 7, count: length)
        try folder.write(bytes, to: KeyFiles.firstName)
        #expect(throws: (any Error).self) { try files(folder).read() }
        #expect(try readFile(folder.file(KeyFiles.firstName)) == bytes)
    }

    @Test("its text shows nothing of it")
    func hidden() {
        let secret = ServerSecret([UInt8](repeating: 0xAB, count: 32))
        let key = SigningKey([UInt8](repeating: 0xAB, count: 32))
        var dumped = ""
        dump(secret, to: &dumped)
        dump(secret.keys, to: &dumped)
        dump(key, to: &dumped)
        for text in ["\(secret)", String(reflecting: secret), "\(secret.keys)", "\(key)", dumped] {
            #expect(!text.contains("171") && !text.lowercased().contains("ab, "), "\(text)")
        }
    }

    // MARK: Several

    @Test("another key leaves the first where older programs look for it, and signs from then on")
    func rotated() async throws {
        let folder = try TemporaryFolder()
        let first = try files(folder).read()
        let bytes = try readFile(folder.file(KeyFiles.firstName))
        #expect(try await files(folder, seed: 2).add() == 2)
        #expect(try await files(folder, seed: 3).add() == 3)
        let known = try files(folder).read()
        #expect(known.keys.map(\.number) == [3, 2, 1] && known.current.number == 3)
        #expect(known.keys(for: .access)[1] == first.keys(for: .access).current)
        #expect(try readFile(folder.file(KeyFiles.firstName)) == bytes)
        #expect(mode(folder.file(KeyFiles.othersName)) == 0o600)
    }

    @Test("a retired key is gone from the disk, the first one too, and numbers are not used again")
    func retired() async throws {
        let folder = try TemporaryFolder()
        let files = try files(folder)
        _ = try files.read()
        let bytes = try readFile(folder.file(KeyFiles.firstName))
        let newest = try await AccountGround.refusal { try await files.retire(1) }
        #expect(newest?.code == .conflict)
        _ = try await files.add()
        let second = try #require(try files.read().keys.first?.bytes)
        _ = try await files.add()
        for number: Int64 in [1, 2] { try await files.retire(number) }
        #expect(try files.read().keys.map(\.number) == [3])
        #expect(try readFile(folder.file(KeyFiles.firstName)) != bytes)
        #expect(try readFile(folder.file(KeyFiles.firstName)).count == 32)
        let text = String(decoding: try readFile(folder.file(KeyFiles.othersName)), as: UTF8.self)
        #expect(!text.contains(Hexadecimal.text(second)))
        for number: Int64 in [1, 2, 4] {
            let refusal = try await AccountGround.refusal { try await files.retire(number) }
            #expect(refusal?.code == .notFound, "\(number)")
        }
        #expect(try await files.add() == 4)
    }

    @Test("there are no more than sixteen")
    func most() async throws {
        let folder = try TemporaryFolder()
        defer { withExtendedLifetime(folder) {} }
        let files = try files(folder)
        for number in 2...Int64(ServerSecret.mostKeys) { #expect(try await files.add() == number) }
        let refusal = try await AccountGround.refusal { try await files.add() }
        #expect(refusal?.code == .conflict && refusal?.message.contains("retire 1") == true)
        #expect(try files.read().keys.count == ServerSecret.mostKeys)
    }

    @Test(
        "a file of keys that was changed by hand is refused, and what stands in it is not told",
        arguments: [
            "2", "2 0 abab", "1 0 \(good)", "0 0 \(good)", "02 0 \(good)", "2  0 \(good)", "2 x \(good)",
            "2 0 \(good)\n2 0 \(good)", "retired 1", "2 0 \(good)ab", "1 retired",
        ])
    func damagedKeys(text: String) throws {
        let folder = try TemporaryFolder()
        _ = try files(folder).read()
        try folder.write("\(text)\n", to: KeyFiles.othersName)
        do {
            _ = try files(folder).read()
            Issue.record("it was taken")
        } catch {
            #expect("\(error)".contains(KeyFiles.othersName) && !"\(error)".contains("abab"))
        }
    }

    private static let good = String(repeating: "ab", count: 32)
}
