import Glibc
import TestSupport
import Testing

/// What the machine under the bridge does to it.
@Suite struct BridgeDiskTests {
    @Test(
        "a full disk is said, and it goes on by itself when there is room",
        .enabled(if: SmallDisk.canMount, "a disk can only be mounted by root"),
        arguments: [[], ["--reserve", "0"]])
    func fullDisk(options: [String]) throws {
        let camera = try Camsim("--photos", "6", "--photo-size", "3MiB")
        let person = try Operator()
        let disk = try SmallDisk(at: person.home, megabytes: 40)
        // 40 MiB, of which 30 are taken: three photos at the most.
        try disk.fill("ballast", megabytes: 30)
        let bridge = try person.start(person.arguments([camera], ["--json", "--since", "all"] + options))
        let held = try bridge.wait(for: #""event":"held""#)
        #expect(held.contains("\(person.home)/spool"), "\(held)")
        #expect(held.contains("it goes on by itself") || held.contains("No space left"), "\(held)")
        #expect(unlink("\(person.home)/ballast") == 0)
        try bridge.waitForDelivered(6)
        bridge.end()
        #expect(bridge.lines("released").count >= 1)
        #expect(bridge.lines("lost").isEmpty && bridge.lines("givenUp").isEmpty)
        try person.expectEverything(of: [camera])
        withExtendedLifetime(disk) {}
    }

    @Test("a full destination is said, and its photos wait for room", .enabled(if: SmallDisk.canMount))
    func fullDestination() throws {
        let camera = try Camsim("--photos", "4", "--photo-size", "3MiB")
        let person = try Operator()
        let disk = try SmallDisk(at: person.out, megabytes: 16)
        try disk.fill("ballast", megabytes: 9)
        let bridge = try person.start([camera])
        let held = try bridge.wait(for: #""event":"destinationHeld""#)
        #expect(held.contains("No space left"), "\(held)")
        try bridge.wait(for: #""event":"staged""#, times: 4)
        #expect(unlink("\(person.out)/ballast") == 0)
        try bridge.waitForDelivered(4)
        bridge.end()
        try person.expectEverything(of: [camera])
        withExtendedLifetime(disk) {}
    }

    @Test(
        "images of the gallery give their room to photos before a photo waits",
        .enabled(if: SmallDisk.canMount, "a disk can only be mounted by root"))
    func imagesGiveWay() throws {
        let camera = try Camsim("--photos", "6", "--photo-size", "3MiB")
        let person = try Operator()
        let disk = try SmallDisk(at: person.home, megabytes: 40)
        mkdir("\(person.home)/cache", 0o700)
        // An image by its name, of which the index does not say whose it is.
        let image = "cache/" + String(repeating: "0a", count: 32)
        try disk.fill(image, megabytes: 30)
        try disk.fill("cache/index.sqlite", bytes: 100)
        let bridge = try person.start(person.arguments([camera], ["--json", "--since", "all"]))
        try bridge.waitForDelivered(6)
        bridge.end()
        #expect(bridge.lines("held").isEmpty)
        #expect(access("\(person.home)/\(image)", F_OK) != 0)
        try person.expectEverything(of: [camera])
        withExtendedLifetime(disk) {}
    }

    /// Whether /mnt is a folder of the system's own disk.
    private static let hasPlainMnt: Bool = {
        var (root, mnt) = (stat(), stat())
        return stat("/", &root) == 0 && stat("/mnt", &mnt) == 0 && root.st_dev == mnt.st_dev
    }()

    @Test(
        "a disk that is not plugged in is waited for, and nothing is written where it is to be",
        .enabled(if: SmallDisk.canMount && hasPlainMnt, "a disk can only be mounted by root"))
    func unplugged() throws {
        let stick = "/mnt/tetherline-test-\(getpid())"
        let photos = "\(stick)/wedding"
        let camera = try Camsim("--photos", "2", "--photo-size", "20000")
        let person = try Operator()
        let words = [
            "run", "--event", "Wedding", "--destination", "file://\(photos)", "--camera", camera.address,
            "--since", "all", "--json",
        ]
        let bridge = try person.start(words)
        let held = try bridge.wait(for: #""event":"destinationHeld""#)
        #expect(held.contains("no disk is mounted at \(photos)"), "\(held)")
        try bridge.wait(for: #""event":"staged""#, times: 2)
        let told = try bridge.wait(for: "mkdir -p \(photos)")
        #expect(told.contains("photos wait here until it is"), "\(told)")
        #expect(access(stick, F_OK) != 0)
        var disk: SmallDisk? = try SmallDisk(at: stick, megabytes: 4)
        try bridge.waitForDelivered(2)
        bridge.end()
        #expect(access("\(photos)/TETH0001.JPG", F_OK) == 0)
        // This run has seen the disk; the next one misses it, although there is a folder.
        let again = try person.runOnce([camera])
        #expect(again.code == 0, "\(again.errors)")
        withExtendedLifetime(disk) {}
        disk = nil
        #expect(mkdir(stick, 0o755) == 0 && mkdir(photos, 0o755) == 0)
        defer {
            rmdir(photos)
            rmdir(stick)
        }
        let test = try person.run("verify", "--read-back")
        #expect(test.code != 0 && "\(test.text)\(test.errors)".contains("no disk is mounted"), "\(test.text)")
        let doctor = try person.run("doctor")
        #expect(doctor.text.contains("no disk is mounted at \(photos)"), "\(doctor.text)")
    }

    @Test("what is held in reserve is not touched")
    func reserve() throws {
        let camera = try Camsim("--photos", "1", "--photo-size", "30000")
        let person = try Operator()
        let run = try person.runOnce([camera], "--reserve", "900TiB", "--retry", "1s")
        #expect(run.code == 75, "\(run.text)")
        #expect(
            run.errors.contains("in reserve do not fit. Make room; it goes on by itself."), "\(run.errors)")
        #expect(try person.arrived().isEmpty)
        let later = try person.runOnce([camera], "--reserve", "0")
        #expect(later.code == 0, "\(later.errors)")
        try person.expectEverything(of: [camera])
    }

    @Test(
        "a home that cannot be written is said at once: exit code 77",
        .enabled(if: SmallDisk.canMount, "a disk can only be mounted by root"))
    func readOnlyHome() throws {
        let person = try Operator()
        let disk = try SmallDisk(at: person.home, megabytes: 4)
        try disk.makeReadOnly()
        let run = try person.run("run", "--camera", "127.0.0.1:1", "--event", "E")
        #expect(run.code == 77, "\(run.errors)")
        #expect(run.errors.contains(person.home) && run.errors.contains("Read-only"), "\(run.errors)")
        withExtendedLifetime(disk) {}
    }

    @Test("a file size limit costs the photos that are larger, and nothing else")
    func fileSizeLimit() throws {
        let card = try DatedCard()
        try card.add("LARGE.TXT", "2024-05-01", bytes: 3_000_000)
        for name in ["A.TXT", "B.TXT"] { try card.add(name, "2024-05-01", bytes: 900_000) }
        let camera = try card.camera()
        let person = try Operator()
        let words = person.arguments([camera], ["--once", "--since", "all", "--idle", "300ms"])
        let run = try limited("-f 2048", person, words)
        #expect(run.code == 1, "\(run.text)\(run.errors)")
        #expect(run.errors.contains("LARGE.TXT") && run.errors.contains("File too large"), "\(run.errors)")
        #expect(try person.arrived().keys.sorted() == ["A.TXT", "B.TXT"])
        let without = try person.run(words)
        #expect(without.code == 0, "\(without.errors)")
        try person.expectEverything(of: [camera])
    }

    private func limited(_ limit: String, _ person: Operator, _ words: [String]) throws -> Tool.Output {
        try #require(Tool("bash")).run(
            ["-c", "ulimit \(limit) && exec \"$0\" \"$@\"", Built.tetherline] + words,
            environment: ["TETHERLINE_HOME": person.home])
    }

    @Test(
        "few file descriptors are enough, or it is said that they are not", arguments: [64, 48, 32, 24])
    func fewDescriptors(limit: Int) throws {
        let camera = try Camsim("--photos", "3", "--photo-size", "30000")
        let person = try Operator()
        let words = person.arguments(
            [camera], ["--once", "--since", "all", "--idle", "300ms", "--retry", "2s"])
        let run = try limited("-n \(limit)", person, words)
        if run.code == 0 {
            try person.expectEverything(of: [camera])
        } else {
            #expect(run.code > 0 && run.errors.contains("Too many open files"), "\(run.code): \(run.errors)")
        }
        #expect(limit < 48 || run.code == 0, "\(run.errors)")
        let again = try person.run(words)
        #expect(again.code == 0, "\(again.errors)")
        try person.expectEverything(of: [camera])
    }

    /// A handful may be open already when a program begins; the process that started it decides that.
    @Test("with ever fewer descriptors the program ends with a sentence, wherever it is", arguments: 7...30)
    func hardlyAnyDescriptors(limit: Int) throws {
        let person = try Operator()
        // No camera is there, so that it takes little time where the descriptors suffice.
        let words = person.arguments(
            [], ["--camera", "127.0.0.1:9", "--once", "--since", "all", "--idle", "300ms"])
        let run = try limited("-n \(limit)", person, words + ["--retry", "1s"])
        #expect(run.code > 0, "\(run.code): \(run.errors)")
        #expect(
            ["Too many open files", "Connection refused"].contains { run.errors.contains($0) },
            "\(run.errors)")
    }

    @Test("a spool that is removed under the bridge is made again, and everything after it arrives")
    func spoolRemoved() throws {
        let camera = try Camsim(
            "--photos", "2", "--photo-size", "30000", "--shoot", "3", "--every", "700")
        let person = try Operator()
        let bridge = try person.start([camera])
        try bridge.waitForDelivered(2)
        #expect(try #require(Tool("rm")).run(["-r", "\(person.home)/spool"]).code == 0)
        try bridge.waitForDelivered(5)
        bridge.end()
        try person.expectEverything(of: [camera])
        let again = try person.runOnce([camera])
        #expect(again.code == 0 && again.text.contains("0 to download"), "\(again.text)")
    }

    @Test("a home has one bridge; the second names the first's process: exit code 75")
    func twoBridges() throws {
        let camera = try Camsim("--photos", "1", "--photo-size", "30000")
        let person = try Operator()
        let bridge = try person.start([camera])
        try bridge.waitForDelivered(1)
        let lock = String(decoding: try readFile("\(person.home)/lock"), as: UTF8.self)
        let second = try person.run("run", "--camera", "127.0.0.1:1", "--event", "E")
        #expect(second.code == 75, "\(second.errors)")
        #expect(second.errors.contains("process \(lock.filter(\.isNumber)) holds"), "\(second.errors)")
        bridge.end()
    }

    @Test(
        "a clock that is set back a year keeps nothing waiting",
        .enabled(if: Tool.isThere("faketime"), "faketime is not installed"))
    func clockSetBack() throws {
        let camera = try Camsim("--photos", "2", "--photo-size", "30000")
        let person = try Operator()
        let bridge = try person.start([camera])
        try bridge.waitForDelivered(2)
        #expect(rename(person.out, person.folder.file("away")) == 0)
        bridge.end()
        let later = try Camsim("--photos", "2", "--photo-size", "31000", "--seed", "4", "--serial", "2")
        let words = [
            "run", "--event", "Wedding", "--camera", later.address, "--since", "all", "--once", "--idle",
            "300ms", "--retry",
        ]
        #expect(try person.run(words + ["1s"]).code == 75)
        #expect(rename(person.folder.file("away"), person.out) == 0)
        let run = try #require(Tool("faketime")).run(
            ["-f", "-365d", Built.tetherline] + words + ["10s"],
            environment: ["TETHERLINE_HOME": person.home, "FAKETIME_DONT_FAKE_MONOTONIC": "1"])
        #expect(run.code == 0, "\(run.text)\(run.errors)")
        #expect(run.lines.last == "Wedding: photos: 4 staged; deliveries: 4 completed", "\(run.text)")
        try person.expectEverything(of: [camera, later])
    }

    enum Strange: String, CaseIterable {
        case garbage = "head -c 50000 /dev/urandom >$0"
        case damaged = """
            printf '%2000s' garbage | dd of=$0 bs=1 seek=8192 conv=notrunc status=none
            """
        case newer = "sqlite3 $0 'PRAGMA user_version = 999'"
        case foreign = "rm $0; sqlite3 $0 'CREATE TABLE recipes (name); PRAGMA application_id = 77'"
    }

    @Test(
        "a ledger that is not ours to write is refused, and not a byte of it is changed",
        arguments: Strange.allCases)
    func strangeLedger(kind: Strange) throws {
        let camera = try Camsim("--photos", "2", "--photo-size", "30000")
        let person = try Operator()
        #expect(try person.runOnce([camera]).code == 0)
        let file = "\(person.home)/tetherline.sqlite"
        let made = try #require(Tool("bash")).run(["-ec", kind.rawValue, file])
        #expect(made.code == 0, "\(made.errors)")
        let before = try CommandTests.sum(file)
        let files = person.folder.contents()
        let run = try person.runOnce([camera])
        #expect(run.code == 65, "\(run.text)\(run.errors)")
        #expect(run.errors.contains(file) && run.errors.contains("othing was changed"), "\(run.errors)")
        #expect(try CommandTests.sum(file) == before)
        #expect(person.folder.contents() == files)
        let looking = try person.run("captures")
        #expect(looking.code != 0 || kind == .damaged, "\(looking.text)")
        #expect(try CommandTests.sum(file) == before)
    }
}
