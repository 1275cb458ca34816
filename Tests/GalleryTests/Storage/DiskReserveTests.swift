import Glibc
import Posix
import TestSupport
import Testing

@testable import Gallery

/// The file that keeps room for hosts.
@Suite struct DiskReserveTests {
    /// What a file takes of its disk; nothing where there is none.
    private static func room(of path: String) -> UInt64? {
        var facts = stat()
        return lstat(path, &facts) == 0 ? UInt64(facts.st_blocks) * 512 : nil
    }

    @Test("what a run has left half made is whole after the next start; it is given up once, and made anew")
    func half() throws {
        let folder = try TemporaryFolder()
        try folder.write("", to: DiskReserve.name)
        let path = folder.file(DiskReserve.name)
        let directory = try Directory(path: folder.path)
        let whole = min(DiskReserve.most, try directory.space().total / DiskReserve.part)
        let lines = Shared<[String]>([])
        let reserve = try DiskReserve(
            in: directory, log: GalleryLog { _, line in lines.change { $0.append(line) } })
        #expect(try #require(Self.room(of: path)) >= whole)
        #expect(lines.value.isEmpty && reserve.giveUp())
        #expect(Self.room(of: path) == nil && lines.value.count == 1)
        #expect(!reserve.giveUp(), "there is nothing to give up any more")
        #expect(reserve.hasRoom())
        #expect(try #require(Self.room(of: path)) >= whole)
    }
}
