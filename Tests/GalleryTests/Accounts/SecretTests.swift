import Basics
import Glibc
import Posix
import TestSupport
import Testing

@testable import Gallery

@Suite struct SecretTests {
    @Test("it is made once, for its owner only, and is the same at every later start")
    func madeOnce() throws {
        let folder = try TemporaryFolder()
        let directory = try Directory(path: folder.path)
        let first = try ServerSecret.load(from: directory, random: SeededSource(1))
        let second = try ServerSecret.load(from: directory, random: SeededSource(2))
        for purpose in ServerSecret.Purpose.allCases {
            #expect(first.key(for: purpose) == second.key(for: purpose))
        }
        var facts = stat()
        #expect(stat(folder.file(ServerSecret.fileName), &facts) == 0)
        #expect(facts.st_mode & 0o777 == 0o600 && facts.st_size == 32)
        #expect(folder.contents() == [ServerSecret.fileName])
    }

    @Test("each purpose has a key of its own, and another server has others")
    func keys() throws {
        let here = ServerSecret(Array(0..<32))
        let there = ServerSecret(Array(1..<33))
        let keys = ServerSecret.Purpose.allCases.flatMap { [here.key(for: $0), there.key(for: $0)] }
        #expect(
            Set(keys).count == 2 * ServerSecret.Purpose.allCases.count && keys.allSatisfy { $0.count == 32 })
    }

    @Test("a file that is no secret is refused and left as it is", arguments: [0, 31, 33, 5000])
    func damaged(length: Int) throws {
        let folder = try TemporaryFolder()
        let bytes = [UInt8](repeating: 7, count: length)
        try folder.write(bytes, to: ServerSecret.fileName)
        #expect(throws: (any Error).self) {
            try ServerSecret.load(from: try Directory(path: folder.path), random: SeededSource(1))
        }
        #expect(try readFile(folder.file(ServerSecret.fileName)) == bytes)
    }

    @Test("its text shows nothing of it")
    func hidden() {
        let secret = ServerSecret([UInt8](repeating: 0xAB, count: 32))
        var dumped = ""
        dump(secret, to: &dumped)
        for text in ["\(secret)", String(reflecting: secret), dumped] {
            #expect(!text.contains("171") && !text.lowercased().contains("ab, "), "\(text)")
        }
    }
}
