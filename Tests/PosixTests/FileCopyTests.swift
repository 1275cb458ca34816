import Basics
import Glibc
import Posix
import TestSupport
import Testing

@Suite struct FileCopyTests {
    let folder: TemporaryFolder
    let directory: Directory

    init() throws {
        folder = try TemporaryFolder()
        directory = try Directory(path: folder.path)
    }

    /// No piece of it is like another.
    private func photo(_ count: Int) -> [UInt8] {
        (0..<count).map { UInt8(truncatingIfNeeded: $0 &* 31 ^ $0 >> 8 ^ $0 >> 16) }
    }

    @Test(
        "a copy is the same bytes, whichever way is tried first, and nothing of what was there before",
        arguments: [FileCopy.Way.reflink, .kernel, .bytes], [0, 1, 99_999, 3 << 20])
    func sameBytes(first: FileCopy.Way, count: Int) throws {
        let bytes = photo(count)
        try folder.write(bytes, to: "photo")
        try folder.write(photo(4 << 20), to: "copy")
        let target = try StagedFile(in: directory, partialName: "copy")
        var copied: [UInt64] = []
        let way = try FileCopy.copy(
            ReadableFile(path: folder.file("photo")), to: target, inPieces: 1_500_000, startingWith: first,
            isCancelled: { false }, onCopied: { copied.append($0) })
        #expect(way >= first)
        #expect(copied.reduce(0, +) == count && (count < 2_000_000 || way == .reflink || copied.count > 2))
        #expect(try readFile(folder.file("copy")) == bytes)
    }

    @Test("a copy to another file system is the same bytes")
    func otherFileSystem() throws {
        let bytes = photo(3_000_001)
        let memory = "/dev/shm/tetherline-copy-\(getpid())"
        defer { unlink(memory) }
        let file = try #require(fopen(memory, "wb"))
        #expect(fwrite(bytes, 1, bytes.count, file) == bytes.count)
        fclose(file)
        let target = try StagedFile(in: directory, partialName: "copy")
        let way = try FileCopy.copy(ReadableFile(path: memory), to: target, inPieces: 1 << 20) { false }
        #expect(way != .reflink)
        #expect(try readFile(folder.file("copy")) == bytes)
    }

    @Test(
        "a file that has another size than when it was opened is an error that names it",
        arguments: [FileCopy.Way.reflink, .kernel, .bytes], [0, 10, 5000])
    func changedSize(first: FileCopy.Way, newSize: Int) throws {
        try folder.write(photo(1000), to: "photo")
        let source = try ReadableFile(path: folder.file("photo"))
        truncate(folder.file("photo"), newSize)
        let target = try StagedFile(in: directory, partialName: "copy")
        let error = #expect(throws: SystemError.self) {
            try FileCopy.copy(source, to: target, inPieces: 100, startingWith: first) { false }
        }
        #expect(error?.subject == folder.file("photo"))
    }

    @Test("cancelling is noticed before the first piece and after each", arguments: [0, 1, 3])
    func cancelling(pieces: Int) throws {
        try folder.write(photo(1000), to: "photo")
        let target = try StagedFile(in: directory, partialName: "copy")
        var asked = 0
        #expect(throws: CancellationError.self) {
            try FileCopy.copy(
                ReadableFile(path: folder.file("photo")), to: target, inPieces: 100, startingWith: .kernel
            ) {
                asked += 1
                return asked > pieces
            }
        }
        #expect(try target.size() == UInt64(pieces * 100))
    }
}

@Suite struct FolderTests {
    let folder: TemporaryFolder
    let directory: Directory
    let other: Directory

    init() throws {
        folder = try TemporaryFolder()
        directory = try Directory(path: folder.path)
        other = try directory.subdirectory("other")
        try folder.write("one", to: "a")
    }

    @Test("a file moves to another folder under a new name, and replaces nothing")
    func moving() throws {
        try folder.write("two", to: "other/b")
        #expect(try !directory.move("a", to: other, as: "b"))
        #expect(folder.contents() == ["a", "other/b"])
        #expect(try directory.move("a", to: other, as: "c"))
        #expect(folder.contents() == ["other/b", "other/c"])
        #expect(try readFile(folder.file("other/b")) == Array("two".utf8))
        let error = #expect(throws: SystemError.self) { try directory.move("a", to: other, as: "d") }
        #expect(error?.kind == .missing)
    }

    @Test("a second name is the same file, and replaces nothing")
    func linking() throws {
        #expect(try directory.link("a", to: other, as: "b"))
        #expect(try !directory.link("a", to: other, as: "b"))
        var facts = stat()
        stat(folder.file("other/b"), &facts)
        #expect(facts.st_nlink == 2)
        #expect(throws: SystemError.self) { try directory.link("missing", to: other, as: "c") }
    }

    @Test("a folder knows how much room there is around it")
    func space() throws {
        let space = try directory.space()
        #expect(space.free > 0 && space.free <= space.total)
    }

    @Test("a file made read-only keeps who may read it and can still be synced")
    func readOnly() throws {
        chmod(folder.file("a"), 0o750)
        let file = try StagedFile(in: directory, partialName: "a")
        try file.syncData()
        try file.makeReadOnly()
        try file.sync()
        var facts = stat()
        stat(folder.file("a"), &facts)
        #expect(facts.st_mode & 0o777 == 0o440)
    }
}

@Suite struct ChanceTests {
    @Test("chance does not repeat itself")
    func chance() {
        let chance = SystemRandomSource()
        #expect(Set((0..<100).map { _ in chance.next() }).count == 100)
    }

    @Test("the calendar is the machine's, to the millisecond")
    func calendar() {
        let calendar = SystemWallTime()
        let before = WallClock.now
        let now = calendar.wallNow
        #expect(now >= Timestamp(milliseconds: before.seconds * 1000 + before.nanoseconds / 1_000_000))
        #expect(calendar.localOffset(at: now) == WallClock.localOffset(at: now.seconds))
    }
}
