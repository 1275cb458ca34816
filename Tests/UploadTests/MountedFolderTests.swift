import Bridge
import Glibc
import Posix
import TestSupport
import Testing
import Upload
import WorldSupport

/// A folder on a disk that can be unplugged: nothing of it is written onto the disk below.
@Suite(.enabled(if: SmallDisk.canMount, "mounting a small disk takes root and a kernel that allows it"))
final class MountedFolderTests {
    private let media: TemporaryFolder
    private let spool: TestSpool
    private let thread = ThreadExecutor(name: "deliver")
    private var stick: String { media.file("stick") }
    private var photos: String { "\(stick)/photos" }

    init() throws {
        media = try TemporaryFolder()
        spool = try TestSpool()
    }

    deinit { thread.shutDown() }

    private func destination(_ path: String, wasMounted: Bool = false) throws -> FolderDestination {
        let url = FolderAddress.url(path: path, template: nil)
        return FolderDestination(
            id: DestinationID(1), url: url, try FolderAddress(url), spool: spool.path, executors: [thread],
            wasMounted: wasMounted, mountRoots: [media.path])
    }

    @Test("photos wait while no disk is there, go onto it when it is, and wait again when it is pulled")
    func plugged() async throws {
        let destination = try destination(photos)
        let first = try spool.job(1, "A.JPG", photoBytes(1, 3000))
        let second = try spool.job(2, "B.JPG", photoBytes(2, 3000))
        let hold = try #require(await destination.deliver(first).hold)
        #expect(hold.contains("no disk is mounted at \(photos)"), "\(hold)")
        let probe = await destination.probe()
        #expect(probe?.hold?.contains("no disk is mounted") == true)
        #expect(media.contents().isEmpty, "nothing is made below")
        var disk: SmallDisk? = try SmallDisk(at: stick, megabytes: 1)
        #expect(await destination.probe() == nil)
        #expect(await destination.deliver(first).receipt?.key == "A.JPG")
        #expect(try readFile("\(photos)/A.JPG") == photoBytes(1, 3000))
        withExtendedLifetime(disk) {}
        disk = nil
        // As a disk's place in fstab does, the folder stays when the disk goes.
        #expect(mkdir(stick, 0o755) == 0 && mkdir(photos, 0o755) == 0)
        #expect(await destination.deliver(second).hold?.contains("no disk is mounted") == true)
        let looked = await destination.look(at: [Receipt(key: "A.JPG", size: 3000, sha256: "")])
        #expect("\(looked)".contains("no disk is mounted"), "a photo on it is not gone: \(looked)")
        #expect(media.contents().isEmpty)
        // A new disk in the old one's place is as good.
        disk = try SmallDisk(at: stick, megabytes: 1)
        #expect(await destination.deliver(second).receipt?.key == "B.JPG")
        #expect(try readFile("\(photos)/B.JPG") == photoBytes(2, 3000))
        withExtendedLifetime(disk) {}
    }

    @Test(
        "a plain folder there is used as long as no disk has been seen in its place, also by an earlier run")
    func plain() async throws {
        #expect(mkdir(stick, 0o755) == 0)
        let job = try spool.job(1, "A.JPG", photoBytes(1, 3000))
        #expect(await (try destination(stick)).deliver(job).receipt?.key == "A.JPG")
        let missed = try destination(stick, wasMounted: true)
        let other = try spool.job(2, "B.JPG", photoBytes(2, 3000))
        #expect(await missed.deliver(other).hold?.contains("no disk is mounted") == true)
        #expect(media.contents() == ["stick/A.JPG"])
    }

    @Test(
        "a path belongs to a disk below the folders for disks alone; what is mounted on such a folder counts as well"
    )
    func places() throws {
        for path in ["/media", "/media2/x", "/srv/media/x", "/srv/ann/mnt/x", "/run/user/1000"] {
            #expect(DiskPlace(of: path) == nil)
        }
        for path in ["/media/usb", "/media/ann/USB/wedding", "/mnt/x", "/run/media/ann/USB"] {
            #expect(DiskPlace(of: path) != nil)
        }
        let root = media.file("root")
        #expect(mkdir(root, 0o755) == 0)
        let place = try #require(DiskPlace(of: "\(root)/usb/photos", below: [root]))
        #expect(!place.isMounted)
        let disk = try SmallDisk(at: root, megabytes: 1)
        #expect(place.isMounted)
        withExtendedLifetime(disk) {}
        #expect(try #require(DiskPlace(of: "/no/such/root/x", below: ["/no/such/root"])).isMounted == false)
        // As a service's own view of the system has it: the same disk, bound to itself.
        let bound = media.file("bound")
        #expect(mkdir(bound, 0o755) == 0 && mount(bound, bound, nil, UInt(MS_BIND), nil) == 0)
        defer { umount2(bound, Int32(MNT_DETACH)) }
        let inService = try #require(DiskPlace(of: "\(bound)/usb/photos", below: [bound]))
        #expect(!inService.isMounted)
    }
}
