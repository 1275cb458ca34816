import Basics
import Bridge
import Glibc
import Posix
import TestSupport
import Testing
import Upload
import WorldSupport

@Suite struct FolderConformanceTests {
    @Test("a folder is a destination like any other", arguments: DestinationConformance.claims)
    func copies(claim: DestinationConformance.Claim) async throws {
        try await claim.check(DestinationConformance { try FolderPlace($0).place(isInstant: false) })
    }

    @Test("so is one that photos are linked into", arguments: DestinationConformance.claims)
    func links(claim: DestinationConformance.Claim) async throws {
        try await claim.check(
            DestinationConformance { try FolderPlace($0, query: "?link=hard").place(isInstant: true) })
    }
}

@Suite struct FolderDestinationTests {
    let spool: TestSpool

    init() throws {
        spool = try TestSpool()
    }

    /// The process's own, which the kernel tells without changing it.
    private func umask() throws -> mode_t {
        let status = String(
            decoding: try ReadableFile.virtualContents(of: "/proc/self/status", limit: 8192), as: UTF8.self)
        let line = try #require(status.split(separator: "\n").first { $0.hasPrefix("Umask:") })
        return try #require(
            mode_t(line.dropFirst("Umask:".count).filter { $0 != "\t" && $0 != " " }, radix: 8))
    }

    @Test("a template's folders are made, and the receipt's name has them")
    func templateFolders() async throws {
        let place = try FolderPlace(spool, query: "?name={event}/{date}/{name}")
        let folder = "Wedding/2026-11-21"
        for number in Int64(1)...3 {
            let name = "A-\(number).JPG"
            let job = try spool.job(number, name, photoBytes(UInt64(number)))
            #expect(await place.deliver(job).receipt?.key == "\(folder)/\(name)")
            #expect(try place.bytes("\(folder)/\(name)") == photoBytes(UInt64(number)))
        }
        #expect(place.top.contents().count == 3)
        let again = try spool.job(4, "A-1.JPG", photoBytes(4))
        #expect(await place.deliver(again).receipt?.key == "\(folder)/A-1-2.JPG")
    }

    @Test("what has gone is counted in the photos' own bytes")
    func counted() async throws {
        let place = try FolderPlace(spool)
        var bytes = 0
        for number in Int64(1)...3 {
            let photo = photoBytes(UInt64(number))
            bytes += photo.count
            #expect(await place.deliver(try spool.job(number, "A-\(number).JPG", photo)).receipt != nil)
            #expect(place.moved.value == bytes)
        }
    }

    @Test("photos and folders get the mode that the umask allows, though the spool's files are read-only")
    func modes() async throws {
        let mask = try umask()
        let place = try FolderPlace(spool, query: "?name={event}/{name}")
        let job = try spool.job(1, "A.JPG", photoBytes(1))
        chmod(spool.folder.file("1"), 0o400)
        #expect(await place.deliver(job).receipt != nil)
        #expect(place.facts("Wedding/A.JPG").st_mode & 0o7777 == 0o666 & ~mask)
        #expect(place.facts("Wedding").st_mode & 0o7777 == 0o777 & ~mask)
    }

    @Test("a copy has the time the photo was taken")
    func modificationTime() async throws {
        let place = try FolderPlace(spool)
        for (number, seconds) in [Int64(0), 1_000_000_000, 4_102_444_800].enumerated() {
            let job = try spool.job(Int64(number), "\(number).JPG", photoBytes(1), modified: seconds)
            #expect(await place.deliver(job).receipt != nil)
            #expect(place.facts("\(number).JPG").st_mtim.tv_sec == Int(seconds))
        }
    }

    @Test("a link is the same file with its mode and time; a copy never is")
    func linking() async throws {
        let job = try spool.job(1, "A.JPG", photoBytes(1))
        chmod(spool.folder.file("1"), 0o440)
        var source = stat()
        stat(spool.folder.file("1"), &source)
        let linked = try FolderPlace(spool, query: "?link=hard&name={event}/{name}")
        #expect(await linked.deliver(job).receipt?.key == "Wedding/A.JPG")
        let facts = linked.facts("Wedding/A.JPG")
        #expect(facts.st_ino == source.st_ino && facts.st_dev == source.st_dev && facts.st_nlink == 2)
        #expect(facts.st_mode & 0o7777 == 0o440 && facts.st_mtim.tv_sec == 1_700_000_000)
        let copied = try FolderPlace(spool)
        #expect(await copied.deliver(job).receipt?.key == "A.JPG")
        #expect(copied.facts("A.JPG").st_ino != source.st_ino)
    }

    @Test(
        "a top folder that is missing holds the destination, is named, and is not made",
        arguments: ["", "?link=hard"])
    func missingTop(query: String) async throws {
        let place = try FolderPlace(spool, query: query, below: "/usb/photos")
        let job = try spool.job(1, "A.JPG", photoBytes(1))
        let problem = try #require(await place.deliver(job).hold)
        #expect(problem.contains(place.top.file("usb/photos")))
        place.top.makeFolder("usb")
        #expect(await place.deliver(job).hold != nil)
        #expect(place.top.contents().isEmpty && access(place.top.file("usb/photos"), F_OK) != 0)
        place.top.makeFolder("usb/photos")
        #expect(await place.deliver(job).receipt?.key == "A.JPG", "the disk is mounted")
        #expect(place.names == ["usb/photos/A.JPG"])
    }

    @Test("a folder that is taken away while it is used holds the destination, until it is there again")
    func takenAway() async throws {
        let place = try FolderPlace(spool, below: "/usb")
        place.top.makeFolder("usb")
        #expect(await place.deliver(try spool.job(1, "A.JPG", photoBytes(1))).receipt != nil)
        unlink(place.top.file("usb/A.JPG"))
        rmdir(place.top.file("usb"))
        let job = try spool.job(2, "B.JPG", photoBytes(2))
        for _ in 0..<3 { #expect(await place.deliver(job).hold != nil) }
        place.top.makeFolder("usb")
        #expect(await place.deliver(job).receipt?.key == "B.JPG")
        #expect(place.names == ["usb/B.JPG"])
    }

    @Test("where the folder should be is a file: the destination is held and the file stays")
    func fileForFolder() async throws {
        let place = try FolderPlace(spool, query: "?name={event}/{name}")
        try place.top.write("mine", to: "Wedding")
        let job = try spool.job(1, "A.JPG", photoBytes(1))
        #expect(await place.deliver(job).hold?.contains(place.top.file("Wedding")) == true)
        let below = try FolderPlace(spool, below: "/file")
        try below.top.write("mine", to: "file")
        #expect(await below.deliver(job).hold?.contains(below.top.file("file")) == true)
        #expect(try below.bytes("file") == Array("mine".utf8))
        #expect(try place.bytes("Wedding") == Array("mine".utf8))
    }

    @Test(
        "a folder that may not be written holds the destination, until it may be",
        .enabled(if: geteuid() != 0, "root may write anywhere"))
    func readOnly() async throws {
        let place = try FolderPlace(spool)
        chmod(place.top.path, 0o555)
        let job = try spool.job(1, "A.JPG", photoBytes(1))
        #expect(await place.deliver(job).hold?.contains("Permission denied") == true)
        chmod(place.top.path, 0o755)
        #expect(await place.deliver(job).receipt?.key == "A.JPG")
    }

    @Test("what an earlier crash left of a photo is overwritten", arguments: [0, 10, 300_000])
    func leftOver(size: Int) async throws {
        let place = try FolderPlace(spool)
        let job = try spool.job(1, "A.JPG", photoBytes(1))
        try place.top.write(photoBytes(2, size), to: ".tetherline-\(job.key).part")
        #expect(await place.deliver(job).receipt?.key == "A.JPG")
        #expect(try place.bytes("A.JPG") == photoBytes(1))
        #expect(place.unfinished.isEmpty)
    }

    @Test("what an earlier crash left is removed when the photo turns out to be there")
    func leftOverOfDelivered() async throws {
        let place = try FolderPlace(spool)
        let job = try spool.job(1, "A.JPG", photoBytes(1))
        #expect(await place.deliver(job).receipt?.key == "A.JPG")
        try place.top.write("half", to: ".tetherline-\(job.key).part")
        #expect(await place.deliver(job).receipt?.key == "A.JPG")
        #expect(place.top.contents() == ["A.JPG"])
    }

    @Test("a folder or a link that has the photo's name is left alone")
    func otherThings() async throws {
        let place = try FolderPlace(spool)
        place.top.makeFolder("A.JPG")
        try place.top.write(photoBytes(1), to: "same")
        symlink(place.top.file("same"), place.top.file("A-2.JPG"))
        symlink("/nowhere", place.top.file("A-3.JPG"))
        mkfifo(place.top.file("A-4.JPG"), 0o644)
        #expect(await place.deliver(try spool.job(1, "A.JPG", photoBytes(1))).receipt?.key == "A-5.JPG")
        #expect(place.names == ["A-2.JPG", "A-3.JPG", "A-4.JPG", "A-5.JPG", "same"])
        #expect(access("/nowhere", F_OK) != 0)
        let asLarge = photoBytes(2, Int(place.facts("A.JPG").st_size))
        #expect(await place.deliver(try spool.job(2, "A.JPG", asLarge)).receipt?.key == "A-6.JPG")
    }

    @Test("a photo whose spool cannot be read says nothing about the folder")
    func unreadableSpool() async throws {
        let place = try FolderPlace(spool)
        let job = try spool.job(1, "A.JPG", photoBytes(1))
        spool.remove(job)
        // A link that leads to itself cannot be opened and is there.
        symlink("1", spool.folder.file("1"))
        guard case .retryable(let problem, _) = await place.deliver(job) else {
            Issue.record("the destination is not to blame")
            return
        }
        #expect(problem.contains(spool.folder.file("1")))
    }
}
