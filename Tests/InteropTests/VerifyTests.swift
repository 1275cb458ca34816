import Glibc
import TestSupport
import Testing

/// `tetherline verify`, `captures` and `store`: looking, and what can be believed of it.
@Suite struct VerifyTests {
    /// A home where a card's photos have been delivered.
    private func delivered(_ photos: Int = 3) throws -> (person: Operator, camera: Camsim) {
        let camera = try Camsim("--photos", "\(photos)", "--photo-size", "30000")
        let person = try Operator()
        #expect(try person.runOnce([camera]).code == 0)
        return (person, camera)
    }

    @Test("all delivered: exit code 0, and every line of --json is JSON")
    func allDelivered() throws {
        let (person, camera) = try delivered()
        let verified = try person.run("verify")
        #expect(verified.code == 0, "\(verified.errors)")
        #expect(verified.lines == ["Wedding: 3 frames: 3 delivered, 0 on the way, 0 filtered, 0 missing"])
        let json = try person.run("verify", "--json", "--camera", camera.address, "--event", "Wedding")
        #expect(json.code == 0 && json.lines.count == 3)
        try CommandTests.expectJSON(json)
        let captures = try person.run("captures", "--json")
        #expect(captures.code == 0 && captures.lines.count == 3)
        try CommandTests.expectJSON(captures)
        #expect(try person.run("captures", "--json", "--state", "lost").output.isEmpty)
        let nothing = try person.run("verify", "--event", "Weding")
        #expect(nothing.code == 66 && nothing.errors.contains("there are 'Wedding'"), "\(nothing.errors)")
    }

    @Test("what a rule passed over is named with its rule, what no bridge took note of as missing")
    func filteredAndMissing() throws {
        let camera = try Camsim("--photos", "2", "--photo-size", "30000", "--raw-jpeg", "--serial", "5")
        let person = try Operator()
        #expect(try person.runOnce([camera], "--take", "jpeg").code == 0)
        let filtered = try person.run("verify")
        #expect(filtered.code == 0, "\(filtered.errors)")
        #expect(filtered.text.contains("4 frames: 2 delivered, 0 on the way, 2 filtered, 0 missing"))
        #expect(filtered.lines.filter { $0.hasPrefix("filtered") && $0.hasSuffix("kind") }.count == 2)

        let fuller = try Camsim(
            "--photos", "1", "--photo-size", "40000", "--serial", "5", "--first", "77")
        let missing = try person.run("verify", "--camera", fuller.address)
        #expect(missing.code == 1, "\(missing.text)")
        #expect(
            missing.text.contains("TETH0077.JPG  it is on the card and no bridge has taken note of it"),
            "\(missing.text)")
    }

    @Test("what waits for a destination that is not there is on its way: exit code 75, and 0 when it is back")
    func onItsWay() throws {
        let (person, camera) = try delivered(1)
        defer { withExtendedLifetime(camera) {} }
        let away = person.folder.file("away")
        #expect(rename(person.out, away) == 0)
        let later = try Camsim("--photos", "2", "--photo-size", "31000", "--seed", "3", "--serial", "2")
        let resume = [
            "run", "--event", "Wedding", "--camera", later.address, "--since", "all", "--once", "--retry",
            "1s",
        ]
        let held = try person.run(resume)
        #expect(held.code == 75 && held.errors.contains("does not take photos now"), "\(held.errors)")
        let waiting = try person.run("verify")
        #expect(waiting.code == 75, "\(waiting.text)")
        #expect(waiting.text.contains("3 frames: 1 delivered, 2 on the way"), "\(waiting.text)")
        #expect(rename(away, person.out) == 0)
        let ended = try person.run(resume + ["--idle", "300ms"])
        #expect(ended.code == 0, "\(ended.errors)")
        #expect(try person.run("verify").code == 0)
        #expect(try person.arrived().count == 3)
    }

    @Test("a camera that is off is named: exit code 69; one without a card: exit code 76")
    func unreachable() throws {
        let (person, camera) = try delivered(1)
        let address = camera.address
        #expect(camera.daemon.stop() == 0)
        let off = try person.run("verify")
        #expect(off.code == 69 && off.errors.contains("\(address) cannot be looked at"), "\(off.errors)")

        let memory = try camsim(faults: "in-memory", "--photos", "0")
        let blind = try person.run("verify", "--camera", memory.address)
        #expect(blind.code == 76, "\(blind.text)")
        #expect(blind.errors.contains("has no card that could be listed"), "\(blind.errors)")
    }

    @Test("while a bridge holds the camera's slot it is asked, and answers for its own event")
    func throughTheBridge() throws {
        let camera = try Camsim("--photos", "3", "--photo-size", "30000")
        let person = try Operator()
        let bridge = try person.start([camera])
        try bridge.waitForDelivered(3)
        let verified = try person.run("verify", "--manifest", person.folder.file("m.json"))
        #expect(verified.code == 0, "\(verified.errors)")
        #expect(verified.lines == ["Wedding: 3 frames: 3 delivered, 0 on the way, 0 filtered, 0 missing"])
        let other = try person.run("verify", "--event", "Party")
        #expect(other.code == 66 && other.errors.contains("works for the event 'Wedding'"), "\(other.errors)")
        #expect(try person.run("captures").lines.count == 3)
        let address = camera.address
        let refused = try person.run("camera", "ls", address)
        #expect(refused.code == 75)
        #expect(refused.errors.contains("holds the camera at \(address)"), "\(refused.errors)")
        #expect(camera.daemon.stop() == 0)
        try bridge.wait(for: "no connection")
        let off = try person.run("verify")
        #expect(off.code == 69 && off.errors.contains(address), "\(off.errors)")
        bridge.end()
    }

    @Test("a manifest is checked by our program and by OpenSSL, and one changed byte is refused")
    func manifest() throws {
        let (person, camera) = try delivered()
        defer { withExtendedLifetime(camera) {} }
        let file = person.folder.file("m.json")
        let made = try person.run("verify", "--manifest", file)
        #expect(made.code == 0, "\(made.errors)")
        let stranger = try Operator()
        let checked = try stranger.run("verify", "--check", file)
        #expect(checked.code == 0 && checked.text.contains("3 frames: 3 delivered"), "\(checked.errors)")
        #expect(stranger.folder.contents().isEmpty, "it needs nothing but the file")

        // Any signer is believed, unless one is named: python3 reads it out of the file.
        let signer = try #require(Tool("python3")).run(
            ["-c", "import json,sys; print(json.load(open(sys.argv[1]))['publicKey'])", file]
        ).lines[0]
        #expect(try stranger.run("verify", "--check", file, "--key", signer.uppercased()).code == 0)
        let other = String(signer.reversed())
        let refusal = try stranger.run("verify", "--check", file, "--key", other)
        #expect(refusal.code == 65 && refusal.output.isEmpty, "\(refusal.text)")
        #expect(refusal.errors.contains("is signed by \(signer), and not by \(other)"), "\(refusal.errors)")
        #expect(try stranger.run("verify", "--check", file, "--key", "4711").code == 64)
        #expect(try stranger.run("verify", "--key", signer).code == 64)

        let bytes = try readFile(file)
        try CommandTests.expectJSON(
            try #require(Tool("python3")).run(
                ["-c", "import json,sys; print(json.dumps(json.load(open(sys.argv[1]))))", file]))
        for position in [1, bytes.count / 2, bytes.count - 20] {
            var changed = bytes
            changed[position] = changed[position] == 0x61 ? 0x62 : 0x61
            try person.folder.write(changed, to: "changed")
            let refused = try stranger.run("verify", "--check", person.folder.file("changed"))
            #expect(refused.code == 65 && refused.output.isEmpty, "\(position): \(refused.text)")
            #expect(refused.errors.contains(person.folder.file("changed")), "\(refused.errors)")
        }
    }

    @Test("OpenSSL verifies a manifest's second line", .enabled(if: Tool.isThere("openssl")))
    func openSSL() throws {
        let (person, camera) = try delivered(1)
        defer { withExtendedLifetime(camera) {} }
        let file = person.folder.file("m.json")
        #expect(try person.run("verify", "--manifest", file).code == 0)
        // The fixed beginning of an Ed25519 public key in DER (RFC 8410).
        let script = """
            cd "$(dirname "$0")"
            hex() { python3 -c 'import sys; sys.stdout.buffer.write(bytes.fromhex(sys.argv[1]))' "$1"; }
            value() { sed -n 3p "$0" | sed "s/.*\\"$1\\":\\"\\([0-9a-f]*\\)\\".*/\\1/"; }
            hex "302a300506032b6570032100$(value publicKey)" >key.der
            hex "$(value signature)" >signature
            sed -n 2p "$0" | head -c -1 >line
            openssl pkeyutl -verify -rawin -pubin -keyform DER -inkey key.der -sigfile signature -in line
            """
        let judged = try #require(Tool("bash")).run(["-c", script, file])
        #expect(judged.code == 0, "\(judged.text)\(judged.errors)")
        #expect(judged.text.contains("Signature Verified Successfully"), "\(judged.text)")
    }

    @Test("store check says whether every staged photo has its file, and which has not")
    func storeCheck() throws {
        let (person, camera) = try delivered()
        defer { withExtendedLifetime(camera) {} }
        let well = try person.run("store", "check")
        #expect(well.code == 0 && well.text.contains("the ledger is in order"), "\(well.text)")
        let files = person.folder.contents().filter { $0.hasPrefix("home/spool/") }
        let cut = try #require(files.first)
        let path = person.folder.file(cut)
        #expect(chmod(path, 0o600) == 0 && truncate(path, 100) == 0)
        let short = try person.run("store", "check", "--json")
        #expect(short.code == 65 && short.text.contains("has 100 bytes and had 30000"), "\(short.text)")
        try CommandTests.expectJSON(short)
        // Delivered everywhere, so its file may go; not so one that is still to be delivered.
        #expect(unlink(path) == 0)
        #expect(try person.run("store", "check").code == 0)
        let lone = try Camsim("--photos", "1", "--photo-size", "30000")
        let other = try Operator()
        let alone = [
            "run", "--event", "E", "--camera", lone.address, "--once", "--since", "all", "--idle", "0s",
        ]
        #expect(try other.run(alone).code == 0)
        let only = try #require(other.folder.contents().first { $0.hasPrefix("home/spool/") })
        #expect(unlink(other.folder.file(only)) == 0)
        let gone = try other.run("store", "check")
        #expect(gone.code == 65 && gone.text.contains(only), "\(gone.text)")
        #expect(gone.errors.contains("Start the bridge once"), "\(gone.errors)")
        let mended = try other.run(alone)
        #expect(mended.code == 0 && mended.text.contains("1 vanished"), "\(mended.text)")
        #expect(try other.run("store", "check").code == 0)
    }

    @Test("a backup that is made while the bridge works is whole, and replaces nothing")
    func backup() throws {
        let camera = try Camsim(
            "--photos", "5", "--photo-size", "30000", "--shoot", "20", "--every", "20")
        let person = try Operator()
        let bridge = try person.start([camera])
        try bridge.waitForDelivered(3)
        let file = person.folder.file("backup.sqlite")
        let made = try person.run("store", "backup", file)
        #expect(made.code == 0 && made.text.hasPrefix(file), "\(made.errors)")
        let judge = try #require(Tool("sqlite3"))
        let integrity = try judge.run([file, "PRAGMA integrity_check; SELECT count(*) >= 3 FROM captures"])
        #expect(integrity.lines == ["ok", "1"], "\(integrity.text)\(integrity.errors)")
        let again = try person.run("store", "backup", file)
        #expect(again.code == 64 && again.errors.contains("is there already"), "\(again.errors)")
        try bridge.waitForDelivered(25)
        bridge.end()
        try person.expectEverything(of: [camera])

        let exported = try person.run("store", "export")
        #expect(exported.code == 0, "\(exported.errors)")
        try CommandTests.expectJSON(exported)
        #expect(exported.lines.filter { $0.hasPrefix(#"{"table":"captures""#) }.count == 25)
        #expect(exported.lines.filter { $0.hasPrefix(#"{"table":"upload_jobs""#) }.count == 25)
        #expect(exported.lines.filter { $0.hasPrefix(#"{"table":"windows""#) }.count == 1)
        let nobody = try Operator().run("store", "export")
        #expect(nobody.code == 66 && nobody.errors.contains("no bridge has run in this home"))
    }

    @Test("an export holds no signed address, of jobs in every state")
    func exportWithoutSignatures() throws {
        let person = try Operator()
        person.folder.makeFolder("home")
        #expect(chmod(person.home, 0o700) == 0)
        // The stored ledger of this version has jobs that hold a gallery's place.
        let stored = try readFile("Fixtures/ledger/version-8.sqlite")
        try person.folder.write(stored, to: "home/tetherline.sqlite")
        let judge = try #require(Tool("sqlite3"))
        let signed = try judge.run([
            "\(person.home)/tetherline.sqlite",
            "SELECT DISTINCT json_extract(note, '$.url') FROM upload_jobs WHERE json_extract(note, '$.url') <> ''",
        ]).lines
        try #require(!signed.isEmpty)
        let exported = try person.run("store", "export")
        #expect(exported.code == 0, "\(exported.errors)")
        for url in signed { #expect(!exported.text.contains(url), "\(url)") }
        #expect(exported.text.contains("uploadId"), "what is no secret is there")
    }

    @Test("of two bodies that have one address in common, the one that does not answer is named")
    func oneAddress() throws {
        let (person, first) = try delivered(2)
        let address = first.address
        #expect(first.daemon.stop() == 0)
        let second = try Camsim(
            Daemon(
                Built.camsim,
                [
                    "--listen", address, "--photos", "1", "--photo-size", "30000", "--serial", "2",
                    "--seed", "2",
                ]))
        #expect(second.address == address)
        // Addresses are given out anew: nothing of a camera that was never met here is taken unasked.
        let refused = try person.runOnce([second], "--retry", "1s")
        #expect(refused.code == 69, "\(refused.text)")
        #expect(refused.errors.contains("another camera answers at \(address)"), "\(refused.errors)")
        #expect(try person.arrived().count == 2)
        #expect(try person.runOnce([second], "--new-body").code == 0)
        let verified = try person.run("verify")
        #expect(verified.code == 69, "\(verified.text)")
        #expect(verified.errors.contains("(0001)") && verified.errors.contains("has not been looked at"))
        #expect(verified.text.contains("3 frames: 3 delivered"), "\(verified.text)")
    }
}
