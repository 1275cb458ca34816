import Bridge
import Glibc
import Posix
import TestSupport
import Testing
import Upload

/// A file system of a mebibyte, mounted while it is used.
private final class SmallDisk: Sendable {
    let folder: TemporaryFolder
    private let tool: Tool

    init?() throws {
        guard geteuid() == 0, let mount = Tool("mount"), let umount = Tool("umount") else { return nil }
        folder = try TemporaryFolder()
        tool = umount
        guard try mount.run(["-t", "tmpfs", "-o", "size=1m", "tmpfs", folder.path]).code == 0 else {
            return nil
        }
    }

    /// Told and not left to the end of the value, because it can fail.
    func unmount() throws {
        #expect(try openHere().isEmpty, "something on it is still open")
        // Lazily: programs that other tests start just now have our descriptors until they are themselves.
        #expect(try tool.run(["-l", folder.path]).code == 0)
    }

    /// What this process has open on it.
    func openHere() throws -> [String] {
        try Directory(path: "/proc/self/fd").names(limit: 100_000).compactMap { number in
            var target = [UInt8](repeating: 0, count: Int(PATH_MAX))
            let count = readlink("/proc/self/fd/\(number)", &target, target.count)
            guard count > 0 else { return nil }
            let path = String(decoding: target.prefix(count), as: UTF8.self)
            return path.hasPrefix(folder.path) ? path : nil
        }
    }

    /// Whether this machine lets us mount one.
    static let isPossible: Bool = {
        do {
            guard let disk = try SmallDisk() else { return false }
            try disk.unmount()
            return true
        } catch {
            return false
        }
    }()
}

@Suite(.enabled(if: SmallDisk.isPossible, "mounting a small disk takes root and a kernel that allows it"))
struct FullDiskTests {
    @Test("a full disk holds the destination, keeps nothing half, and goes on when there is room")
    func full() async throws {
        let disk = try #require(try SmallDisk())
        let spool = try TestSpool()
        let url = FolderAddress.url(path: disk.folder.path, template: "{event}/{name}")
        let thread = ThreadExecutor(name: "deliver")
        defer { thread.shutDown() }
        let destination = FolderDestination(
            id: DestinationID(1), url: url, try FolderAddress(url), spool: spool.path, executors: [thread])
        let small = try spool.job(1, "SMALL.JPG", photoBytes(1, 600_000))
        let next = try spool.job(2, "NEXT.JPG", photoBytes(2, 600_000))
        #expect(await destination.deliver(small).receipt?.key == "Wedding/SMALL.JPG")
        for _ in 0..<2 {
            let problem = try #require(await destination.deliver(next).hold)
            #expect(problem.contains("No space left") && problem.contains(disk.folder.path))
            #expect(disk.folder.contents() == ["Wedding/SMALL.JPG"])
        }
        #expect(
            await destination.deliver(small).receipt?.key == "Wedding/SMALL.JPG", "what is there is there")
        unlink(disk.folder.file("Wedding/SMALL.JPG"))
        #expect(await destination.deliver(next).receipt?.key == "Wedding/NEXT.JPG")
        #expect(try readFile(disk.folder.file("Wedding/NEXT.JPG")) == photoBytes(2, 600_000))
        do {
            let open = try ReadableFile(path: disk.folder.file("Wedding/NEXT.JPG"))
            #expect(try disk.openHere() == [open.path], "what is open is seen")
            withExtendedLifetime(open) {}
        }
        try disk.unmount()
    }

    @Test("between two photos nothing is open on the disk: somebody may take it away")
    func takenAway() async throws {
        let disk = try #require(try SmallDisk())
        let spool = try TestSpool()
        let url = FolderAddress.url(path: disk.folder.path, template: "{event}/{name}")
        let thread = ThreadExecutor(name: "deliver")
        defer { thread.shutDown() }
        let destination = FolderDestination(
            id: DestinationID(1), url: url, try FolderAddress(url), spool: spool.path, executors: [thread])
        #expect(await destination.deliver(try spool.job(1, "A.JPG", photoBytes(1))).receipt != nil)
        try disk.unmount()
    }

    @Test("where a disk is another file system, photos cannot be linked, and that holds the destination")
    func otherFileSystem() async throws {
        let disk = try #require(try SmallDisk())
        let spool = try TestSpool()
        let url = "file://\(disk.folder.path)?link=hard"
        let thread = ThreadExecutor(name: "deliver")
        defer { thread.shutDown() }
        let destination = FolderDestination(
            id: DestinationID(1), url: url, try FolderAddress(url), spool: spool.path, executors: [thread])
        let outcome = await destination.deliver(try spool.job(1, "A.JPG", photoBytes(1)))
        #expect(outcome.hold?.contains("cross-device") == true)
        #expect(disk.folder.contents().isEmpty)
        try disk.unmount()
    }
}
