import Basics
import Glibc
import TestSupport
import Testing

/// `verify --read-back` and `redeliver`: what was delivered is looked at, and sent again where it is gone.
@Suite struct RedeliverTests {
    private func delivered(_ more: String...) throws -> (person: Operator, camera: Camsim) {
        let camera = try Camsim("--photos", "3", "--photo-size", "30000")
        let person = try Operator()
        let words = person.arguments([camera], ["--once", "--since", "all", "--idle", "300ms"] + more)
        #expect(try person.run(words).code == 0)
        return (person, camera)
    }

    private func url(_ person: Operator) -> String { "file://\(person.out)" }

    private func empty(_ person: Operator) throws {
        for name in try person.arrived().keys { #expect(unlink("\(person.out)/\(name)") == 0) }
    }

    @Test(
        "an emptied folder is missing, and has its photos again under their names, each with a second receipt"
    )
    func emptied() throws {
        let (person, camera) = try delivered()
        defer { withExtendedLifetime(camera) {} }
        let before = try person.arrived()
        let well = try person.run("verify", "--read-back")
        #expect(well.code == 0, "\(well.text)\(well.errors)")
        #expect(well.lines.last == "\(url(person)): 3 delivered: 3 there", "\(well.text)")
        try empty(person)
        #expect(try person.run("verify").code == 0, "without --read-back the destination is not looked at")
        let gone = try person.run("verify", "--read-back", "--manifest", person.folder.file("m.json"))
        #expect(gone.code == 1, "\(gone.text)")
        #expect(
            gone.text.contains("3 frames: 0 delivered, 0 on the way, 0 filtered, 3 missing"), "\(gone.text)")
        #expect(gone.text.contains("it is gone from \(url(person))"), "\(gone.text)")
        #expect(
            gone.lines.last?.hasPrefix("\(url(person)): 3 delivered: 0 there, 3 gone") == true, "\(gone.text)"
        )
        let json = try person.run("verify", "--read-back", "--sample", "1", "--json")
        #expect(
            json.code == 1 && json.lines.count { $0.contains(#""verdict":"missing""#) } == 1, "\(json.text)")
        #expect(json.lines.last?.contains(#""looked":1,"#) == true, "\(json.text)")
        try CommandTests.expectJSON(json)

        let asked = try person.run("redeliver", url(person))
        #expect(asked.code == 64 && asked.errors.contains("say --yes"), "\(asked.errors)")
        #expect(
            asked.lines.count { $0.hasPrefix("gone") && $0.contains("from the spool") } == 3, "\(asked.text)")
        #expect(try person.arrived().isEmpty, "the operator has not agreed")
        let one = try #require(before.keys.min())
        let only = try person.run("redeliver", url(person), one, "--yes")
        #expect(only.code == 0 && only.text.contains("1 delivered to \(url(person)) again"), "\(only.errors)")
        #expect(try person.arrived() == before.filter { $0.key == one })
        let again = try person.run("redeliver", url(person), "--yes")
        #expect(again.code == 0 && again.text.contains("2 gone"), "\(again.text)\(again.errors)")
        #expect(try person.arrived() == before)
        #expect(try person.run("verify", "--read-back").code == 0)
        #expect(try person.run("redeliver", url(person), "--yes").code == 0, "nothing is gone")

        let keys = try person.query(
            "SELECT count(DISTINCT key) FROM (SELECT key FROM upload_jobs UNION ALL SELECT key FROM earlier_deliveries)"
        )
        #expect(keys == ["6"], "each is a delivery of its own")
        let jobs = try person.run("jobs", "--json")
        #expect(jobs.lines.count { $0.contains(#""earlier":[{"#) } == 3, "\(jobs.text)")
        try CommandTests.expectJSON(jobs)
    }

    @Test("what has other bytes is missing, is left where it lies, and is sent beside it when that is wanted")
    func altered() throws {
        let (person, camera) = try delivered()
        defer { withExtendedLifetime(camera) {} }
        let before = try person.arrived()
        let name = try #require(before.keys.min())
        let changed = [UInt8](repeating: 7, count: 30_000)
        try person.folder.write(changed, to: "out/\(name)")
        let said = try person.run("verify", "--read-back")
        #expect(
            said.code == 1 && said.text.contains("another SHA-256 than when it was delivered"), "\(said.text)"
        )
        let left = try person.run("redeliver", url(person), "--yes")
        #expect(left.code == 0 && left.text.contains("--altered sends them again"), "\(left.text)")
        #expect(try person.arrived().count == 3)
        let sent = try person.run("redeliver", url(person), "--yes", "--altered")
        #expect(sent.code == 0, "\(sent.text)\(sent.errors)")
        let arrived = try person.arrived()
        #expect(arrived.count == 4 && arrived[name] == changed)
        #expect(Set(arrived.values) == Set(before.values).union([changed]))
        #expect(try person.run("verify", "--read-back").code == 0, "the last receipt counts")
    }

    @Test(
        "a bridge that runs reads back and sends again, with the photos from the card where the spool let go of them"
    )
    func throughTheBridge() throws {
        let camera = try Camsim("--photos", "3", "--photo-size", "30000")
        let person = try Operator()
        let bridge = try person.start([camera], "--retention", "delete")
        try bridge.waitForDelivered(3)
        let before = try person.arrived()
        try empty(person)
        let gone = try person.run("verify", "--read-back")
        #expect(gone.code == 1 && gone.text.contains("3 missing"), "\(gone.text)\(gone.errors)")
        let sent = try person.run("redeliver", url(person), "--yes")
        #expect(sent.code == 0 && sent.text.contains("3 are on their way"), "\(sent.text)\(sent.errors)")
        #expect(sent.text.contains("not in the spool"), "\(sent.text)")
        try bridge.waitForDelivered(6)
        #expect(try person.arrived() == before)
        #expect(try person.run("verify", "--read-back").code == 0)
        let other = try person.run("redeliver", "file:///elsewhere", "--yes")
        #expect(other.code == 66 && other.errors.contains("has no destination"), "\(other.errors)")
        bridge.end()
    }

    @Test(
        "without a bridge a card gives them; without the camera another destination; where none has it that is said"
    )
    func sources() throws {
        let second = try TemporaryFolder()
        let (person, camera) = try delivered(
            "--destination", "file://\(second.path)", "--retention", "delete")
        let before = try person.arrived()
        let spooled = {
            person.folder.contents().filter { $0.hasPrefix("home/spool/") && $0.hasSuffix(".JPG") }
        }
        #expect(before.count == 3 && spooled().isEmpty)
        try empty(person)
        let fromCard = try person.run("redeliver", url(person), "--yes", "--json")
        #expect(fromCard.code == 0, "\(fromCard.text)\(fromCard.errors)")
        #expect(fromCard.lines.count { $0.contains(#""from":"the card""#) } == 3, "\(fromCard.text)")
        try CommandTests.expectJSON(fromCard)
        #expect(try person.arrived() == before)

        #expect(camera.daemon.stop() == 0)
        for name in spooled() { #expect(unlink(person.folder.file(name)) == 0) }
        try empty(person)
        let fromOther = try person.run("redeliver", url(person), "--yes", "--json")
        #expect(fromOther.code == 0, "\(fromOther.text)\(fromOther.errors)")
        #expect(
            fromOther.lines.count { $0.contains(#""from":"file://\#(second.path)""#) } == 3,
            "\(fromOther.text)")
        #expect(try person.arrived() == before)

        for name in spooled() { #expect(unlink(person.folder.file(name)) == 0) }
        try empty(person)
        for name in second.contents() { try second.write("other", to: name) }
        let nobody = try person.run("redeliver", url(person), "--yes")
        #expect(nobody.code == 1, "\(nobody.text)\(nobody.errors)")
        #expect(nobody.lines.count { $0.hasPrefix("not sent again") } == 3, "\(nobody.text)")
        #expect(nobody.text.contains("gives other bytes than the ledger knows"), "\(nobody.text)")
        #expect(try person.arrived().isEmpty && spooled().isEmpty)
    }

    @Test(
        "a destination whose files are taken away by others is not checkable, and nothing is sent there again"
    )
    func consumed() throws {
        let camera = try Camsim("--photos", "2", "--photo-size", "30000")
        let person = try Operator()
        let url = "file://\(person.out)?consumed=true"
        let words = ["run", "--event", "Wedding", "--destination", url, "--camera", camera.address]
        #expect(try person.run(words + ["--once", "--since", "all", "--idle", "300ms"]).code == 0)
        try empty(person)
        let said = try person.run("verify", "--read-back")
        #expect(said.code == 0, "\(said.text)\(said.errors)")
        #expect(
            said.text.contains("2 delivered, 0 on the way") && said.text.contains("not checkable"),
            "\(said.text)")
        let refused = try person.run("redeliver", url, "--yes")
        #expect(refused.code == 1 && refused.errors.contains("consumed=true"), "\(refused.errors)")
        #expect(try person.arrived().isEmpty)
    }

    @Test("a folder that is not there says nothing of a photo: exit code 69")
    func unmounted() throws {
        let (person, camera) = try delivered()
        defer { withExtendedLifetime(camera) {} }
        #expect(rename(person.out, person.folder.file("away")) == 0)
        let said = try person.run("verify", "--read-back")
        #expect(said.code == 69 && said.text.contains("0 missing"), "\(said.text)\(said.errors)")
        #expect(said.text.contains("not answered"), "\(said.text)")
        #expect(try person.run("redeliver", url(person), "--yes").code == 69)
    }

    @Test("what a gallery's host deletes or hides is withdrawn: neither missing nor sent again")
    func withdrawn() throws {
        let house = try GalleryHouse()
        let camera = try Camsim("--photos", "3", "--photo-size", "300000")
        let person = try Operator()
        let login = [
            "login", house.url, "--email", "ann@example.org", "--password-file",
            house.folder.file("password"),
        ]
        #expect(try person.run(login).code == 0)
        #expect(try person.run("consent", "--give").code == 0)
        #expect(try person.run("events", "create", "Wedding").code == 0)
        let words = [
            "run", "--camera", camera.address, "--server", house.url, "--event", "Wedding", "--reserve", "0",
        ]
        let ran = try person.run(words + ["--once", "--since", "all", "--idle", "300ms"])
        #expect(ran.code == 0, "\(ran.errors)")
        let well = try person.run("verify", "--read-back")
        #expect(well.code == 0 && well.text.contains("3 delivered: 3 there"), "\(well.text)\(well.errors)")

        let ids = try person.query(
            "SELECT json_extract(receipt, '$.photoId') FROM upload_jobs ORDER BY id")
        let token = try house.token()
        try house.ask("PATCH", "/photos/\(ids[0])", token, #"{"hidden":true}"#)
        try house.ask("DELETE", "/photos/\(ids[1])", token)
        let said = try person.run("verify", "--read-back")
        #expect(said.code == 0, "\(said.text)\(said.errors)")
        #expect(
            said.text.contains("1 delivered, 0 on the way, 0 filtered, 0 missing, 2 withdrawn by the host"),
            "\(said.text)")
        #expect(said.text.contains("the host has deleted it") && said.text.contains("the host has hidden it"))
        let place = try #require(person.query("SELECT url FROM destinations").first)
        let sent = try person.run("redeliver", place, "--yes")
        #expect(
            sent.code == 0 && sent.text.contains("2 were withdrawn by the host"), "\(sent.text)\(sent.errors)"
        )
        #expect(try person.query("SELECT count(*) FROM earlier_deliveries") == ["0"])
        try otherAccount(person, house, place)
        #expect(house.gallery.stop() == 0)
    }

    /// Of whom the gallery knows no such photos: nothing is concluded from that.
    private func otherAccount(_ person: Operator, _ house: GalleryHouse, _ place: String) throws {
        let password = ["--password-file", house.folder.file("password")]
        let added = try #require(Tool(Built.gallery)).run(
            ["user", "add", "bob@example.org", "--data", house.data] + password)
        #expect(added.code == 0, "\(added.errors)")
        let login = try person.run(["login", house.url, "--email", "bob@example.org"] + password)
        #expect(login.code == 0, "\(login.errors)")
        let said = try person.run("verify", "--read-back")
        #expect(said.code == 69, "\(said.text)\(said.errors)")
        #expect(
            said.text.contains("3 not answered: the account that is logged in has no such event"),
            "\(said.text)")
        let sent = try person.run("redeliver", place, "--yes")
        #expect(sent.code == 69, "\(sent.text)\(sent.errors)")
        #expect(try person.query("SELECT count(*) FROM upload_jobs WHERE state <> 'completed'") == ["0"])
    }
}

extension GalleryHouse {
    /// Of the host, for what a page would do.
    fileprivate func token() throws -> String {
        let answer = try ask(
            "POST", "/auth/login", nil, #"{"email":"ann@example.org","password":"correct horse"}"#)
        return try #require(JSON5.parse(answer)["data"]?["accessToken"]?.string, "\(answer)")
    }

    @discardableResult
    fileprivate func ask(_ method: String, _ path: String, _ token: String?, _ body: String? = nil) throws
        -> String
    {
        let answer = try #require(Tool("curl")).run(
            ["-sS", "--fail-with-body", "-X", method, "-H", "Content-Type: application/json"]
                + (token.map { ["-H", "Authorization: Bearer \($0)"] } ?? [])
                + (body.map { ["-d", $0] } ?? [])
                + ["\(url)\(path)"])
        #expect(answer.code == 0, "\(answer.text)\(answer.errors)")
        return answer.text
    }
}
