import Bridge
import Glibc
import Posix
import TestSupport
import Testing
import Upload
import WorldSupport

@Suite(.enabled(if: SmallDisk.canMount, "mounting a small disk takes root and a kernel that allows it"))
final class FullDiskTests {
    private let folder: TemporaryFolder
    private let disk: SmallDisk
    private let spool: TestSpool
    private let thread = ThreadExecutor(name: "deliver")

    init() throws {
        folder = try TemporaryFolder()
        disk = try SmallDisk(at: folder.path, megabytes: 1)
        spool = try TestSpool()
    }

    deinit {
        thread.shutDown()
    }

    private func destination(_ url: String) throws -> FolderDestination {
        FolderDestination(
            id: DestinationID(1), url: url, try FolderAddress(url), spool: spool.path, executors: [thread])
    }

    private var byName: String { FolderAddress.url(path: folder.path, template: "{event}/{name}") }

    /// What this process has open on the disk. Unmounting it would tell as well, and would also see the programs that other
    /// tests start just now, which have our descriptors until they are themselves.
    private func openHere() throws -> [String] {
        try Directory(path: "/proc/self/fd").names(limit: 100_000).compactMap { number in
            var target = [UInt8](repeating: 0, count: Int(PATH_MAX))
            let count = readlink("/proc/self/fd/\(number)", &target, target.count)
            guard count > 0 else { return nil }
            let path = String(decoding: target.prefix(count), as: UTF8.self)
            return path.hasPrefix(folder.path) ? path : nil
        }
    }

    @Test("a full disk holds the destination, keeps nothing half, and goes on when there is room")
    func full() async throws {
        let destination = try destination(byName)
        let small = try spool.job(1, "SMALL.JPG", photoBytes(1, 600_000))
        let next = try spool.job(2, "NEXT.JPG", photoBytes(2, 600_000))
        #expect(await destination.deliver(small).receipt?.key == "Wedding/SMALL.JPG")
        for _ in 0..<2 {
            let problem = try #require(await destination.deliver(next).hold)
            #expect(problem.contains("No space left") && problem.contains(folder.path))
            #expect(folder.contents() == ["Wedding/SMALL.JPG"])
        }
        #expect(
            await destination.deliver(small).receipt?.key == "Wedding/SMALL.JPG", "what is there is there")
        unlink(folder.file("Wedding/SMALL.JPG"))
        #expect(await destination.deliver(next).receipt?.key == "Wedding/NEXT.JPG")
        #expect(try readFile(folder.file("Wedding/NEXT.JPG")) == photoBytes(2, 600_000))
        #expect(try openHere().isEmpty, "between two photos the operator may unplug the disk")
        let open = try ReadableFile(path: folder.file("Wedding/NEXT.JPG"))
        #expect(try openHere() == [open.path], "what is open is seen")
        withExtendedLifetime(open) {}
    }

    @Test("where a disk is another file system, photos cannot be linked, and that holds the destination")
    func otherFileSystem() async throws {
        let outcome = try await destination("file://\(folder.path)?link=hard").deliver(
            spool.job(1, "A.JPG", photoBytes(1)))
        #expect(outcome.hold?.contains("cross-device") == true)
        #expect(folder.contents().isEmpty)
        #expect(try openHere().isEmpty)
    }
}
