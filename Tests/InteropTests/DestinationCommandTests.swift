import Basics
import Glibc
import TestSupport
import Testing

/// `tetherline destination`, beside a bridge that runs and without one.
@Suite struct DestinationCommandTests {
    /// No server listens there.
    private static let mistyped = "webdav://127.0.0.1:9/photos"

    private func list(_ person: Operator) throws -> [JSONValue] {
        let said = try person.run("destination", "list", "--json")
        #expect(said.code == 0, "\(said.errors)")
        return try said.lines.map { try JSON5.parse($0) }
    }

    private func files(_ person: Operator, _ folder: String) -> [String] {
        person.folder.contents().filter { $0.hasPrefix(folder + "/") && $0.contains(".JPG") }
    }

    @Test("a mistyped host is corrected while the bridge runs, and what waited for it arrives")
    func corrects() throws {
        let camera = try Camsim("--photos", "4", "--photo-size", "100000")
        let person = try Operator()
        let bridge = try person.start([camera], "--destination", Self.mistyped)
        try bridge.waitForDelivered(4)
        try bridge.wait(for: "destinationHeld")
        let before = try list(person)
        #expect(before.map { $0["state"]?.string } == ["used", "used"])
        #expect(before[0]["completed"]?.integer == 4 && before[1]["completed"]?.integer == 0)
        #expect(before[1]["hold"]?["reason"]?.string?.contains("127.0.0.1:9") == true)
        #expect(try person.run("verify").code == 75, "on their way")
        let right = "file://\(person.folder.file("right"))"
        let corrected = try person.run("destination", "replace", "127.0.0.1:9", right, "--json")
        #expect(corrected.code == 0, "\(corrected.errors)")
        #expect(try JSON5.parse(corrected.text)["moved"]?.integer == 4)
        try bridge.waitForDelivered(8)
        #expect(files(person, "right").count == 4)
        #expect(try person.run("verify").code == 0)
        let after = try list(person)
        #expect(after.map { $0["state"]?.string } == ["used", "replaced", "used"])
        #expect(after[1]["replacedBy"]?.string == right && after[2]["completed"]?.integer == 4)
        bridge.end()
        // The same command line, out of the shell's history.
        let again = try person.start([camera], "--destination", Self.mistyped)
        try again.wait(for: "was replaced by \(right)")
        again.end()
        #expect(try list(person).count == 3)
    }

    @Test(
        "one that is removed while the bridge runs is waited for no more, and says what it has; added again it gets all"
    )
    func removes() throws {
        let camera = try Camsim("--photos", "3", "--photo-size", "100000")
        let person = try Operator()
        let bridge = try person.start([camera], "--destination", Self.mistyped)
        try bridge.waitForDelivered(3)
        #expect(try person.run("destination", "remove", "nonsense").code == 66)
        let removed = try person.run("destination", "remove", "127.0.0.1:9")
        #expect(removed.code == 0 && removed.text.contains("It has 0 photos; 3 deliveries are cancelled"))
        #expect(try person.run("verify").code == 0, "the other one has all")
        #expect(try person.run("status").text.contains("127.0.0.1:9") == false)
        bridge.end()
        #expect(try list(person).last?["state"]?.string == "removed")
        #expect(try person.run("destination", "add", Self.mistyped).code == 0)
        #expect(try list(person).last?["queued"]?.integer == 3)
        #expect(try person.run("destination", "remove", "2").code == 0)
        #expect(try list(person).last?["cancelled"]?.integer == 3)
    }

    @Test("another ?name= delivers nothing twice, and one added while the bridge runs gets what is here")
    func renames() throws {
        let camera = try Camsim("--photos", "3", "--photo-size", "100000")
        let person = try Operator()
        let bridge = try person.start([camera])
        try bridge.waitForDelivered(3)
        let better = "file://\(person.out)?name=late/{name}"
        let replaced = try person.run("destination", "replace", "1", better)
        #expect(
            replaced.code == 0
                && replaced.text.contains("has 3 photos, which are not delivered again; 0 more"))
        let added = "file://\(person.folder.file("more"))"
        #expect(try person.run("destination", "add", added).code == 0)
        try bridge.waitForDelivered(6)
        #expect(try person.run("verify").code == 0)
        bridge.end()
        #expect(files(person, "more").count == 3)
        // The same place under yet another name is no destination until the operator says so.
        let third = "file://\(person.out)?name=third/{name}"
        let noted = try person.start([try Camsim("--photos", "0")], "--destination", third)
        try noted.wait(for: "would get every photo a second time")
        noted.end()
        #expect(files(person, "out/third").isEmpty)
        #expect(try person.run("destination", "add", third).code == 0)
        #expect(try list(person).last?["queued"]?.integer == 3)
        #expect(try person.run("destination", "remove", third).code == 0)
        let other = try Camsim("--photos", "1", "--photo-size", "100000", "--seed", "9", "--serial", "2")
        let run = try person.run([
            "run", "--event", "Wedding", "--camera", other.address, "--once", "--since", "all", "--idle",
            "0s",
        ])
        #expect(run.code == 0, "\(run.errors)")
        #expect(files(person, "out/late").count == 1 && files(person, "out").count == 4)
    }

    @Test(
        "one that was removed is used again by its number, whatever its kind; what the spool has not is said to be missing"
    )
    func usesAgain() throws {
        let camera = try Camsim("--photos", "3", "--photo-size", "100000")
        let person = try Operator()
        // What an end comes before the next run lets go of.
        for _ in 1...2 { #expect(try person.runOnce([camera], "--retention", "delete").code == 0) }
        #expect(files(person, "home/spool").isEmpty)
        #expect(try person.run("verify").code == 0)
        #expect(try person.run("destination", "remove", "1").code == 0)
        let added = try person.run("destination", "add", "file://\(person.folder.file("new"))")
        #expect(
            added.code == 0 && added.text.contains("3 photos whose files --retention has let go of"),
            "\(added.text)")
        let missing = try person.run("verify")
        #expect(missing.code == 1 && missing.text.contains("none of the event's any more"), "\(missing.text)")
        #expect(try person.run("destination", "add", "1").code == 0)
        #expect(try list(person).first?["state"]?.string == "used")
        let gallery = "https://gallery.example/events/7"
        let sqlite = try #require(Tool("sqlite3"))
        _ = try sqlite.run([
            "\(person.home)/tetherline.sqlite",
            "INSERT INTO destinations (event_id, url, kind, created_at, removed_at) SELECT id, '\(gallery)', 'gallery', 1, 2 FROM events",
        ])
        #expect(try person.run("destination", "add", gallery).code == 0)
        #expect(try list(person).last?["state"]?.string == "used")
    }

    @Test("a test writes, reads back and removes, and says what is wrong with an address")
    func tests() throws {
        let person = try Operator()
        person.folder.makeFolder("place")
        let place = person.folder.file("place")
        let good = try person.run("destination", "test", "file://\(place)?name={date}/{name}&link=hard")
        #expect(good.code == 0 && good.text.contains("written, read back and removed"), "\(good.errors)")
        #expect(
            person.folder.contents().filter { $0.contains("tetherline-test") || $0.hasPrefix("place/") }
                .isEmpty)
        // With no password in the environment, that is what the error says.
        let key = person.folder.file("key")
        try person.folder.write([UInt8]("key".utf8), to: "key")
        let wrong: [(url: String, code: Int32, words: [String])] = [
            (Self.mistyped, 69, ["127.0.0.1:9 cannot be reached", "typing error"]),
            ("file://\(place)/missing", 69, ["\(place)/missing"]),
            (
                "sftp://desk@127.0.0.1:9/photos?key=\(key)", 69,
                ["(the folder /photos)", "127.0.0.1:9 cannot be reached", "typing error"]
            ),
            (
                "ftp://desk@127.0.0.1:9/photos", 78,
                ["(photos, in the folder where the log-in leads)", "TETHERLINE_FTP_PASSWORD"]
            ),
            (
                "sftp://desk:hunter2@127.0.0.1:9/photos", 64,
                ["has no place in an address", "?credentials=/path"]
            ),
            ("webdavs://desk:hunter2@127.0.0.1:9/photos", 64, ["TETHERLINE_WEBDAV_PASSWORD"]),
            ("wedbav://desk:hunter2@host/photos", 64, ["'wedbav://desk@host/photos' is none of"]),
        ]
        let doubtful = try person.run(
            "run", "--camera", "127.0.0.1:9", "--event", "Wedding", "--destination",
            "https://desk:hunter2@host/photos")
        #expect(
            doubtful.code == 64 && doubtful.errors.contains("'https://desk@host/photos' may be a gallery"))
        #expect(!doubtful.errors.contains("hunter2"))
        for example in wrong {
            let said = try person.run("destination", "test", example.url)
            #expect(said.code == example.code, "\(example.url): \(said.code)")
            #expect(!said.errors.contains("hunter2"))
            for word in example.words { #expect(said.errors.contains(word), "\(said.errors)") }
        }
    }
}
