import Basics
import Digest
import Glibc
import Posix
import TestSupport
import Testing

@testable import Gallery

/// Exports that are interrupted, meet a full disk or a damaged store, or are sent to a folder of something else.
@Suite(
    .enabled(if: ExportGround.judges, "sha256sum and python3 are the judges"),
    .timeLimit(.minutes(Cases.minutesOfHang)))
struct ExportTroubleTests {
    private func ground() async throws -> ExportGround {
        let ground = try await ExportGround()
        for name in ["kiss", "cake", "dance"] { try await ground.bring(name, name: "\(name).jpg") }
        return ground
    }

    @Test("an export that ends at any moment is gone on with, and is the same in the end")
    func interrupted() async throws {
        let ground = try await ground()
        let whole = ground.folder.file("whole")
        try await ground.export(originals: .always, to: whole)
        // Nine files, with a step before and one after each.
        for step in 1...18 {
            let path = ground.folder.file("cut \(step)")
            let isWhole = try await ground.survives(step: step, to: path)
            #expect(!isWhole, "step \(step)")
            #expect(try ground.files(path)["index.html"] == nil, "half of it has no page")
            try await ground.export(originals: .always, to: path)
            #expect(try ground.files(path) == ground.files(whole), "step \(step)")
            let left = try Directory(path: "\(path)/\(ExportFolder.workName)").names(limit: 100)
            #expect(!left.contains { $0.hasSuffix(".part") }, "\(left)")
        }
        try ground.expectWhole(whole)
    }

    @Test(
        "files that were harmed since are brought anew, and a journal that was cut or is gone costs only time"
    )
    func harmed() async throws {
        let ground = try await ground()
        try await ground.export(originals: .always)
        let before = try ground.files()
        for name in ["thumbs/kiss.jpg", "screens/cake.jpg", "originals/dance.jpg", "index.html"] {
            let size = try #require(before[name]).count
            unlink("\(ground.out)/\(name)")
            try ground.folder.write([UInt8](repeating: 1, count: size), to: "out/\(name)")
        }
        let report = try await ground.export(originals: .always)
        #expect(report.copied == 3 && report.kept == 6)
        #expect(try ground.files() == before)
        let journal = "\(ground.out)/\(ExportFolder.workName)/\(ExportJournal.name)"
        try TemporaryFolder.cut(journal, to: 150)
        #expect(try await ground.export(originals: .always).kept >= 3)
        unlink(journal)
        #expect(try await ground.export(originals: .always).kept == 3, "what the database has hashes of")
        #expect(try ground.files() == before)
    }

    @Test("a journal that names files elsewhere is not believed")
    func tampered() async throws {
        let ground = try await ground()
        try await ground.export()
        try ground.folder.write("mine", to: "mine")
        try ground.folder.write("mine", to: "out/mine")
        let (mark, hash) = (String(repeating: "a", count: 32), "\(SHA256.of(Array("mine".utf8)))")
        let journal = "\(ExportFolder.workName)/\(ExportJournal.name)"
        let lines = [
            "../mine", "thumbs/../../mine", "mine", "thumbs/./mine", "/etc/hostname", "thumbs//mine",
        ]
        .map { "\(mark) \(hash) 4 \($0)\n" }
        let before = String(decoding: try readFile("\(ground.out)/\(journal)"), as: UTF8.self)
        try ground.folder.write(before + lines.joined(), to: "out/\(journal)")
        #expect(try await ground.export().removed == 0)
        #expect(try readFile(ground.folder.file("mine")) == Array("mine".utf8))
        #expect(
            try readFile(ground.folder.file("out/mine")) == Array("mine".utf8), "a file of the owner's stays")
    }

    @Test("links in the folder lead nowhere")
    func links() async throws {
        let ground = try await ground()
        try await ground.export()
        let outside = ground.folder.file("outside")
        ground.folder.makeFolder("outside")
        unlink("\(ground.out)/screens/kiss.jpg")
        symlink("\(outside)/kiss.jpg", "\(ground.out)/screens/kiss.jpg")
        unlink("\(ground.out)/photos.json")
        symlink("\(outside)/photos.json", "\(ground.out)/photos.json")
        try await ground.export()
        try ground.expectWhole()
        #expect(try Directory(path: outside).names(limit: 10) == [])
        for name in ["kiss.jpg", "cake.jpg", "dance.jpg"] { unlink("\(ground.out)/thumbs/\(name)") }
        rmdir("\(ground.out)/thumbs")
        symlink(outside, "\(ground.out)/thumbs")
        await #expect(throws: EventExport.Stopped.self) { try await ground.export() }
        #expect(try Directory(path: outside).names(limit: 10) == [])
    }

    @Test("a folder of something else is refused, with what is in it")
    func refused() async throws {
        let ground = try await ground()
        ground.folder.makeFolder("out")
        ground.folder.makeFolder("out/lost+found")
        try ground.folder.write("x", to: "out/letter.txt")
        #expect(try await refusal(ground)?.contains("'letter.txt'") == true)
        unlink("\(ground.out)/letter.txt")
        try await ground.export()
        let other = try await ground.gallery.call(
            "POST", "/events", ["name": "Another"], token: ground.token)
        let event = try #require(other["id"]?.string)
        let export = EventExport(
            ground.gallery.ground.database, from: ground.source, time: try GalleryThreads.time())
        await #expect(throws: ExportRefusal.self) { try await export.run(event, to: ground.out) }
        let lock = try FileLock(path: "\(ground.out)/\(ExportFolder.workName)/lock")
        #expect(try await refusal(ground)?.contains("another 'gallery export'") == true)
        withExtendedLifetime(lock) {}
        try ground.folder.write(
            "{\"format\": 99, \"event\": \"\(ground.host.event)\"}",
            to: "out/\(ExportFolder.workName)/about.json")
        await #expect(throws: ExportRefusal.self) { try await ground.export() }
        try ground.folder.write("{", to: "out/\(ExportFolder.workName)/about.json")
        await #expect(throws: ExportRefusal.self) { try await ground.export() }
    }

    @Test("a folder of the form before goes on, and what has a name that no page can have stays")
    func before() async throws {
        let ground = try await ground()
        try await ground.export()
        let about = "out/\(ExportFolder.workName)/about.json"
        try ground.folder.write("{\"format\": 1, \"event\": \"\(ground.host.event)\"}", to: about)
        let own = ["page-1.html", "page-0002.html", "section-mine.html", "section-1.html"]
        for name in own { try ground.folder.write("the host's own", to: "out/\(name)") }
        try ground.folder.write("of a run with more photos", to: "out/page-7.html")
        try ground.folder.write(
            "of a section that is gone", to: "out/section-\(TestIDs.id(5)).html")
        let folder = ground.folder.file("out/page-9.html")
        #expect(mkdir(folder, 0o755) == 0)
        try await ground.export()
        #expect(
            String(decoding: try readFile(ground.folder.file(about)), as: UTF8.self).contains("\"format\":2"))
        for name in own { #expect(access(ground.folder.file("out/\(name)"), R_OK) == 0, "\(name)") }
        #expect(access(folder, R_OK) == 0)
        #expect(access(ground.folder.file("out/page-7.html"), R_OK) != 0)
        #expect(access(ground.folder.file("out/section-\(TestIDs.id(5)).html"), R_OK) != 0)
    }

    private func refusal(_ ground: ExportGround) async throws -> String? {
        do {
            try await ground.export()
            return nil
        } catch let refusal as ExportRefusal {
            return refusal.description
        }
    }

    @Test("an object that is lost or changed is named, the rest is exported, and it is tried again")
    func damage() async throws {
        let ground = try await ground()
        let list = try await ground.gallery.call(
            "GET", "/events/\(ground.host.event)/photos", token: ground.token)
        let photos = try #require(list["photos"]?.array)
        let tree = ObjectTree(path: ground.gallery.objects)
        func path(_ index: Int, _ key: String) throws -> String {
            tree.path(of: try #require(photos[index][key]?.string))
        }
        let (thumb, screen, original) = (
            try path(0, "thumbKey"), try path(1, "screenKey"), try path(2, "originalKey")
        )
        let (saved, old) = (try readFile(screen), try readFile(original))
        rename(thumb, "\(thumb).away")
        try replace(screen, with: [1, 2, 3])
        try replace(original, with: old.map { $0 ^ 1 })
        let report = try await ground.export(originals: .always)
        #expect(report.failed == 3 && report.copied == 6 && report.photos == 3, "\(report)")
        for (index, words) in [
            (0, "its thumb is missing in the store"), (1, "its screen has 3 bytes in the store instead of"),
            (2, "its original has the SHA-256"),
        ] {
            let id = try #require(photos[index]["id"]?.string)
            #expect(report.problems.contains { $0.contains(id) && $0.contains(words) }, "\(report.problems)")
        }
        try ground.expectWhole()
        rename("\(thumb).away", thumb)
        try replace(screen, with: saved)
        try replace(original, with: old)
        let again = try await ground.export(originals: .always)
        #expect(again.failed == 0 && again.copied == 3 && again.kept == 6)
        try ground.expectWhole()
    }

    private func replace(_ path: String, with bytes: [UInt8]) throws {
        unlink(path)
        guard let file = fopen(path, "wb") else { throw FileProblem(path: path, number: errno) }
        defer { fclose(file) }
        guard fwrite(bytes, 1, bytes.count, file) == bytes.count else {
            throw FileProblem(path: path, number: errno)
        }
    }

    @Test(
        "a full disk is told, and the next run goes on",
        .enabled(if: SmallDisk.canMount, "mounting a small disk takes root and a kernel that allows it"))
    func full() async throws {
        let ground = try await ground()
        let big = String(repeating: "large ", count: 300_000)
        try await ground.bring(big, name: "large.jpg")
        let disk = try SmallDisk(at: ground.folder.file("disk"), megabytes: 4)
        try disk.leave(1 << 20)
        let path = ground.folder.file("disk/out")
        let stopped = await #expect(throws: EventExport.Stopped.self) {
            try await ground.export(originals: .always, to: path)
        }
        #expect(stopped?.cause.kind == .noRoom)
        #expect(stopped?.description.contains("the same command goes on") == true)
        try disk.leave(nil)
        try await ground.export(originals: .always, to: path)
        try await ground.export(originals: .always)
        #expect(try ground.files(path) == ground.files())
    }

    @Test("a bucket's objects are exported as a folder's are", .enabled(if: SeaweedFS.isThere))
    func bucket() async throws {
        let ground = try await ground()
        let bucket = try MoveGround.makeBucket()
        let tree = ObjectTree(path: ground.gallery.objects)
        for object in try await ground.source.list(after: nil, limit: 100) {
            let path = tree.path(of: object.key)
            try await bucket.put(
                path, size: object.size, sha256: SHA256.of(try readFile(path)), type: "image/jpeg",
                as: object.key)
        }
        try await ground.export(originals: .always, from: bucket)
        try ground.expectWhole()
        let folder = ground.folder.file("from a folder")
        try await ground.export(originals: .always, to: folder)
        #expect(try ground.files() == ground.files(folder))
        let empty = try await ground.export(
            originals: .always, from: try MoveGround.makeBucket(), to: ground.folder.file("nothing"))
        #expect(empty.failed == 9 && empty.problems.count == 9)
    }
}
