import Basics
import Database
import Digest
import Glibc
import HTTPServer
import Posix
import TestSupport
import Testing

@testable import Gallery

/// What an exported event consists of, on either database: judged by sha256sum and by Python's reader of HTML.
@Suite(
    .enabled(if: ExportGround.judges, "sha256sum and python3 are the judges"),
    .timeLimit(.minutes(Cases.minutesOfHang)))
struct ExportTests {
    @Test("an event is pages, pictures, facts and checksums, in the order of the guests' page")
    func whole() async throws {
        let ground = try await ExportGround()
        let first = try await ground.bring("kiss", name: "DSC_1.JPG", at: "2026-11-21T20:15:00.000Z")
        let last = try await ground.bring("cake", name: "DSC_2.JPG", at: "2026-11-21T21:05:00.000Z")
        let (album, moment) = (TestIDs.id(7), ground.gallery.wall.wallNow + .seconds(1))
        ground.gallery.wall.go(.seconds(2))
        let at = JSONValue.string(CivilTime.rfc3339(milliseconds: moment.milliseconds))
        let synced = try await ground.gallery.call(
            "POST", "/sync",
            [
                "lastSync": .null,
                "changes": [
                    [
                        "type": "album", "id": .string(album), "action": "upsert", "updatedAt": at,
                        "data": ["eventId": .string(ground.host.event), "name": "Party <1>"],
                    ],
                    [
                        "type": "photo", "id": .string(first), "action": "upsert", "updatedAt": at,
                        "data": [
                            "albumIds": [.string(album)], "caption": "A kiss & <b>more</b>", "tags": ["love"],
                            "rating": .integer(4),
                        ],
                    ],
                ],
            ], token: ground.token)
        #expect(synced.status == 200, "\(synced)")
        let report = try await ground.export()
        #expect(report.photos == 2 && report.copied == 4 && report.kept == 0 && report.failed == 0)
        try ground.expectWhole()
        #expect(
            try Set(ground.files().keys) == [
                "index.html", "section-\(album).html", "gallery.css", "gallery.js", "icon.svg", "photos.json",
                "SHA256SUMS", "thumbs/DSC_1.jpg", "thumbs/DSC_2.jpg", "screens/DSC_1.jpg",
                "screens/DSC_2.jpg",
            ])
        let page = try ground.page()
        var rest = page[...]
        for mark in ["21 November 2026", "22:00", "photo-\(last)", "21:00", "photo-\(first)"] {
            let found = try #require(
                rest.firstRange(of: mark), "\(mark) is not there, or not behind the others")
            rest = rest[found.upperBound...]
        }
        #expect(page.contains("A kiss &amp; &lt;b&gt;more&lt;/b&gt;") && page.contains("Europe/Vienna"))
        #expect(page.contains("Party &lt;1&gt;") && page.contains("4 of 5 stars"))
        let section = try ground.page("section-\(album).html")
        #expect(section.contains("photo-\(first)") && !section.contains("photo-\(last)"))
        #expect(section.contains("<title>Wedding · Party &lt;1&gt; · 1 photo</title>"))
        let photo = try #require(try ground.facts()["photos"]?.array?.last)
        #expect(photo["id"]?.string == first && photo["albums"] == ["Party <1>"] && photo["tags"] == ["love"])
        #expect(photo["rating"]?.integer == 4 && photo["localTime"]?.string == "2026-11-21T21:15:00.000")
        #expect(photo["sha256"]?.string == "\(SHA256.of(Array("kiss".utf8)))")
        #expect(photo["files"]?["thumb"]?["path"]?.string == "thumbs/DSC_1.jpg")
        // A section that is no more takes its pages with it.
        ground.gallery.wall.go(.seconds(2))
        let later = JSONValue.string(
            CivilTime.rfc3339(milliseconds: ground.gallery.wall.wallNow.milliseconds))
        let deleted = try await ground.gallery.call(
            "POST", "/sync",
            [
                "lastSync": .null,
                "changes": [
                    ["type": "album", "id": .string(album), "action": "delete", "updatedAt": later]
                ],
            ], token: ground.token)
        #expect(deleted.status == 200, "\(deleted)")
        #expect(try await ground.export().pages == 1)
        #expect(try ground.files()["section-\(album).html"] == nil)
        #expect(try !ground.page().contains("class=\"sections\""))
        try ground.expectWhole()
    }

    @Test("a photo whose time is set right later gives it to its files, which are not copied anew")
    func laterTime() async throws {
        let ground = try await ExportGround()
        let photo = try await ground.bring("kiss", name: "DSC_1.JPG", at: "2026-11-21T20:15:00.000Z")
        try await ground.export()
        let times = {
            try #require(Tool("stat")).run(
                ["-c", "%Y", "screens/DSC_1.jpg", "thumbs/DSC_1.jpg"], in: ground.out
            ).text
        }
        #expect(try times() == "1795292100\n1795292100\n")
        let changed = try await ground.gallery.server.store { store in
            try store.database.run(
                "UPDATE photos SET captured_at = captured_at - 3600000 WHERE id = ?", photo)
        }
        #expect(changed == 1)
        let again = try await ground.export()
        #expect(again.copied == 0 && again.kept == 2)
        #expect(try times() == "1795288500\n1795288500\n")
        try ground.expectWhole()
    }

    @Test("originals are in it where the event gives them, or where the operator says so")
    func originals() async throws {
        let ground = try await ExportGround()
        try await ground.bring("kiss", name: "DSC_1.CR3")
        try await ground.export()
        #expect(try ground.names(in: .original) == [])
        try await ground.export(originals: .always)
        #expect(try ground.names(in: .original) == ["DSC_1.CR3"])
        #expect(try ground.files()["originals/DSC_1.CR3"] == Array("kiss".utf8))
        try ground.expectWhole()
        let without = try await ground.export()
        #expect(without.removed == 1)
        #expect(try ground.names(in: .original) == [] && !ground.page().contains("originals/"))
        let event = try await ground.gallery.call(
            "PATCH", "/events/\(ground.host.event)", ["allowsOriginals": .bool(true)], token: ground.token)
        #expect(event.status == 200)
        try await ground.export()
        #expect(try ground.names(in: .original) == ["DSC_1.CR3"])
        try await ground.export(originals: .never)
        #expect(try ground.names(in: .original) == [])
        try ground.expectWhole()
    }

    @Test(
        "what lets in is not in it: no PIN, no key, no address of the event, no address or id of an account")
    func secrets() async throws {
        let ground = try await ExportGround([
            "name": "Wedding", "pin": "13579", "allowsOriginals": .bool(true),
        ])
        try await ground.bring("kiss", name: "DSC_1.JPG")
        let list = try await ground.gallery.call(
            "GET", "/events/\(ground.host.event)/photos", token: ground.token)
        let photo = try #require(list["photos"]?.array?.first)
        let event = try #require(try await ground.gallery.store.event(ground.host.event))
        try await ground.export()
        var secrets = [
            "13579", try #require(event.pinHash), ground.host.slug, ground.host.account, "host@example.org",
            ground.token, String(event.entryURL("").split(separator: "=").last ?? "="),
        ]
        for key in ["thumbKey", "screenKey", "originalKey"] {
            secrets.append(try #require(photo[key]?.string))
        }
        var texts = try ground.files().filter { !$0.key.hasPrefix("originals/") }
        for name in ["about.json", ExportJournal.name] {
            texts[name] = try readFile("\(ground.out)/\(ExportFolder.workName)/\(name)")
        }
        for (name, bytes) in texts {
            let text = String(decoding: bytes, as: UTF8.self)
            for secret in secrets { #expect(!text.contains(secret), "\(name) holds \(secret)") }
        }
    }

    @Test(
        "a second run brings what is new and takes away what was hidden or deleted, under the names of then")
    func again() async throws {
        let ground = try await ExportGround()
        let first = try await ground.bring("kiss", name: "a.jpg")
        let second = try await ground.bring("cake", name: "A.JPG")
        try await ground.bring("dance", name: "a.jpg")
        try await ground.export(originals: .always)
        #expect(try ground.names(in: .original) == ["A-2.JPG", "a-3.jpg", "a.jpg"])
        let before = try ground.files()
        let same = try await ground.export(originals: .always)
        #expect(same.copied == 0 && same.kept == 9 && same.removed == 0)
        #expect(try ground.files() == before)

        try await ground.change(first, ["hidden": .bool(true)])
        try await ground.bring("late", name: "b.jpg")
        let report = try await ground.export(originals: .always)
        #expect(report.copied == 3 && report.kept == 6 && report.removed == 3, "\(report)")
        #expect(try ground.names(in: .original) == ["A.JPG", "a-2.jpg", "b.jpg"])
        #expect(try ground.files()["originals/a-2.jpg"] == Array("dance".utf8))
        #expect(try !ground.page().contains(first))
        try ground.expectWhole()

        _ = try await ground.gallery.call("DELETE", "/photos/\(second)", token: ground.token)
        try await ground.change(first, ["hidden": .bool(false)])
        try await ground.export(originals: .always)
        #expect(try ground.names(in: .original) == ["a-2.jpg", "a.jpg", "b.jpg"])
        try ground.expectWhole()
    }

    /// Hides a photo when the first object is asked for.
    private struct Hiding: ExportSource {
        let objects: FolderObjects
        let isHidden = Shared(false)
        let hide: @Sendable () async throws -> Void
        let readsAtOnce = 1

        func copy(_ key: String, of size: UInt64, into file: StagedFile, on threads: DiskThreads) async throws
        {
            let isFirst = isHidden.change { isHidden in
                defer { isHidden = true }
                return !isHidden
            }
            if isFirst { try await hide() }
            try await objects.copy(key, of: size, into: file, on: threads)
        }
    }

    @Test("a photo that is hidden while it is exported is not in it")
    func hiddenMeanwhile() async throws {
        let ground = try await ExportGround()
        let photo = try await ground.bring("kiss", name: "a.jpg")
        try await ground.bring("cake", name: "b.jpg")
        let hiding = Hiding(objects: ground.source) {
            try await ground.change(photo, ["hidden": .bool(true)])
        }
        let report = try await ground.export(from: hiding)
        #expect(report.photos == 1 && report.removed == 2)
        #expect(try ground.names(in: .screen) == ["b.jpg"])
        #expect(try !ground.page().contains(photo))
        try ground.expectWhole()
    }

    @Test("names that cameras and phones really send, and those that they should not, are files on any disk")
    func oddNames() async throws {
        let ground = try await ExportGround()
        let names = [
            "CON.jpg", "a:b*c?.jpg", "\u{202E}gpj.exe", "שלום 1.jpg", "x#y%20z&'+.jpg", "..", "-rf.jpg",
            String(repeating: "ä", count: 250) + ".jpg", "DSC_1.JPG", "dsc_1.jpg", "e\u{301}.jpg",
            "\u{E9}.jpg",
            "trailing. .", "C:\\DCIM\\a.jpg", "\"quoted\" <b>.jpg",
        ]
        for (index, name) in names.enumerated() { try await ground.bring("picture \(index)", name: name) }
        let report = try await ground.export(originals: .always)
        #expect(report.failed == 0 && report.photos == names.count)
        try ground.expectWhole()
        let made = try ground.names(in: .original)
        #expect(made.count == names.count)
        #expect(Set(made.map { $0.lowercased() }).count == names.count, "some disks know no capitals")
        for name in made {
            #expect(name.utf8.count <= 255 && !name.hasPrefix(".") && !name.hasPrefix("-"), "\(name)")
            #expect(!name.contains { ":*?\"<>|\\".contains($0) } && !name.unicodeScalars.contains("\u{202E}"))
            #expect(!["con.jpg"].contains(name.lowercased()))
        }
        let desk = ArchiveDesk(reader: ground.gallery.ground.database.reader)
        let wish = try await desk.everything(of: ground.host.event, .original, showsHidden: false)
        let archive = try await desk.layout(of: ground.host.event, wish, showsHidden: false)
        #expect(archive.files.map(\.name).sorted() == made, "a ZIP has the same names")
    }
}
