import Glibc
import TestSupport
import Testing

/// The operator's commands, as typed.
@Suite struct CommandTests {
    /// Whether each line is JSON, by an independent parser.
    static func expectJSON(_ outcome: Tool.Output, sourceLocation: SourceLocation = #_sourceLocation) throws {
        let check = try #require(Tool("python3")).run(
            ["-c", "import json,sys\nfor line in sys.stdin: json.loads(line)"], input: outcome.output)
        #expect(check.code == 0, "\(outcome.text)\n\(check.errors)", sourceLocation: sourceLocation)
        #expect(!outcome.output.isEmpty, sourceLocation: sourceLocation)
    }

    static func sum(_ path: String) throws -> String {
        String(try #require(Tool("sha256sum")).run([path]).text.prefix(64))
    }

    @Test("info, ls and thumb say what the card holds")
    func looking() throws {
        let camera = try Camsim(
            "--photos", "3", "--photo-size", "200000", "--serial", "4711", "--name", "Left", "--raw-jpeg",
            "--slots",
            "2")
        let person = try Operator()
        let info = try person.run("camera", "info", camera.address)
        #expect(info.code == 0 && info.errors.isEmpty, "\(info.errors)")
        for word in ["Tetherline Generic", "Left", "4711", "0x00010001", "0x00020001", "GetPartialObject"] {
            #expect(info.text.contains(word), "\(word)")
        }
        let list = try person.run("camera", "ls", camera.address)
        #expect(list.lines.filter { $0.contains(".JPG") && $0.contains("EXIF/JPEG") }.count == 3)
        #expect(list.lines.filter { $0.contains(".DNG") }.count == 3)
        let handle = try #require(list.lines.first { $0.contains("TETH0001.JPG") }).prefix(10)
        let thumb = try person.run("camera", "thumb", camera.address, String(handle))
        #expect(thumb.output.starts(with: [0xFF, 0xD8, 0xFF]) && thumb.output.suffix(2) == [0xFF, 0xD9])
        let toFile = try person.run(
            "camera", "thumb", camera.address, String(handle), "--to", person.folder.file("small.jpg"))
        #expect(toFile.code == 0 && toFile.output.isEmpty)
        #expect(try readFile(person.folder.file("small.jpg")) == thumb.output)
    }

    @Test("every command speaks JSON, a value a line")
    func json() throws {
        let camera = try Camsim(
            "--photos", "2", "--photo-size", "5000", "--shoot", "2", "--every", "1", "--name", "q\"\\\u{7}é")
        let person = try Operator()
        for words in [["info"], ["ls"], ["get", "--all", "--to", person.out]] {
            let outcome = try person.run(["camera", words[0], camera.address, "--json"] + words.dropFirst())
            #expect(outcome.code == 0, "\(outcome.errors)")
            try Self.expectJSON(outcome)
        }
    }

    @Test("get keeps folders, names and dates, and ends with the count of bytes and each file's SHA-256")
    func fetching() throws {
        let camera = try Camsim("--photos", "4", "--photo-size", "300000", "--first", "9998")
        let person = try Operator()
        let outcome = try person.run("camera", "get", camera.address, "--all", "--to", person.out)
        #expect(outcome.code == 0 && outcome.errors.isEmpty, "quiet in a pipe: \(outcome.errors)")
        let files = try person.arrived()
        #expect(
            Set(files.keys) == [
                "DCIM/100TETHR/TETH9998.JPG", "DCIM/100TETHR/TETH9999.JPG", "DCIM/101TETHR/TETH0001.JPG",
                "DCIM/101TETHR/TETH0002.JPG",
            ])
        for path in files.keys {
            let sum = try Self.sum("\(person.out)/\(path)")
            #expect(
                outcome.lines.contains { $0.hasPrefix("\(sum)  300000  ") && $0.hasSuffix(path) }, "\(path)")
        }
        #expect(outcome.lines.last?.hasPrefix("4 files, 1200000 bytes in ") == true)

        let again = try person.run("camera", "get", camera.address, "--all", "--to", person.out)
        #expect(again.lines.filter { $0.hasPrefix("already there") }.count == 4)
        #expect(again.lines.last?.hasPrefix("0 files, 0 bytes in ") == true)
    }

    @Test("a file of that name with other content is left alone, and the photo gets the next name")
    func nameTaken() throws {
        let camera = try Camsim("--photos", "1", "--photo-size", "5000")
        let person = try Operator()
        for folder in ["out", "out/DCIM", "out/DCIM/100TETHR"] { person.folder.makeFolder(folder) }
        try person.folder.write("precious", to: "out/DCIM/100TETHR/TETH0001.JPG")
        let outcome = try person.run("camera", "get", camera.address, "--all", "--to", person.out)
        #expect(outcome.code == 0, "\(outcome.errors)")
        let files = try person.arrived()
        #expect(files["DCIM/100TETHR/TETH0001.JPG"] == Array("precious".utf8))
        #expect(files.count == 2 && files.values.contains { $0.count == 5000 })
    }

    @Test("a file of that name and date that is not whole is left alone, and the photo comes whole")
    func cutFile() throws {
        let camera = try Camsim("--photos", "1", "--photo-size", "5000")
        let person = try Operator()
        let get = ["camera", "get", camera.address, "--all", "--to", person.out]
        #expect(try person.run(get).code == 0)
        let file = "\(person.out)/DCIM/100TETHR/TETH0001.JPG"
        let cut = try #require(Tool("bash")).run([
            "-c", "cp -p $0 $0.whole && truncate -s 100 $0 && touch -r $0.whole $0 && rm $0.whole", file,
        ])
        #expect(cut.code == 0, "\(cut.errors)")
        #expect(try person.run(get).code == 0)
        #expect(try person.arrived().values.map(\.count).sorted() == [100, 5000])
    }

    @Test("the identity is made once, and no other user can read it")
    func identity() throws {
        let camera = try Camsim()
        let person = try Operator()
        #expect(try person.run("camera", "info", camera.address).code == 0)
        let first = try readFile(person.folder.file("home/identity"))
        #expect(try person.run("camera", "info", camera.address).code == 0)
        #expect(try readFile(person.folder.file("home/identity")) == first)
        var facts = stat()
        #expect(stat(person.folder.file("home/identity"), &facts) == 0 && facts.st_mode & 0o777 == 0o600)
        #expect(stat(person.folder.file("home"), &facts) == 0 && facts.st_mode & 0o777 == 0o700)
        try camera.daemon.wait(for: String(decoding: first.prefix(36), as: UTF8.self), times: 2)
    }

    @Test(
        "on a terminal there is a bar, and a picture is not thrown at it",
        .enabled(if: Tool.isThere("script")))
    func terminal() throws {
        let camera = try Camsim("--photos", "2", "--photo-size", "8MiB", "--rate", "20MiB")
        let person = try Operator()
        let script = try #require(Tool("script"))
        let get = try script.run(
            [
                "-qec", "\(Built.tetherline) camera get \(camera.address) --all --to \(person.out)",
                "/dev/null",
            ],
            environment: ["TETHERLINE_HOME": person.folder.file("home")])
        #expect(get.code == 0)
        #expect(get.text.contains("\r\u{1B}[K") && get.text.contains("%"), "\(get.text)")
        let thumb = try script.run(
            ["-qec", "\(Built.tetherline) camera thumb \(camera.address) 0x00010003", "/dev/null"],
            environment: ["TETHERLINE_HOME": person.folder.file("home")])
        #expect(thumb.code == 64 && thumb.text.contains("--to FILE"))
    }

    @Test(
        "what is wrong is said, with what to do, and by the exit code",
        arguments: [
            (["camera", "info", "127.0.0.1:1"], 69, "127.0.0.1:1"),
            (["camera", "info", "no-such-host.invalid"], 69, "no-such-host.invalid"),
            (["camera", "inf", "127.0.0.1"], 64, "info"),
            (["camera", "info"], 64, "HOST"),
            (["camera", "info", "127.0.0.1:99999"], 64, "99999"),
            (["camera", "info", "127.0.0.1", "--jsn"], 64, "--json"),
            (["camera", "info", "127.0.0.1", "--wait", "soon"], 64, "--wait"),
            (["camera", "get", "127.0.0.1"], 64, "--all"),
            (["camera", "get", "127.0.0.1", "zero"], 64, "'zero'"),
            (["camera", "get", "127.0.0.1", "--all", "--to", "/proc/nowhere"], 66, "/proc/nowhere"),
            (["camera", "get", "127.0.0.1", "--all", "--part", "0"], 64, "--part"),
            (["camera", "info", "127.0.0.1", "--guid", "me"], 64, "--guid"),
            (["camera", "info", "127.0.0.1", "--without-photos"], 64, "--record"),
            (["camera", "info", "127.0.0.1", "--record", "/proc/x.pcap"], 73, "/proc/x.pcap"),
            (["camera", "explain", "/proc/self/status"], 65, "/proc/self/status"),
            (["camera", "explain", "nothing.pcap"], 65, "nothing.pcap"),
            (["camera", "info", "127.0.0.1:1", "--interface", "nosuch0"], 69, "nosuch0"),
        ] as [([String], Int32, String)])
    func mistakes(words: [String], code: Int32, sentence: String) throws {
        let outcome = try Operator().run(words)
        #expect(outcome.code == code, "\(outcome.errors)")
        #expect(outcome.errors.contains(sentence), "\(outcome.errors)")
        #expect(outcome.output.isEmpty)
    }

    @Test(
        "camsim's mistakes, too",
        arguments: [
            (["--photos", "many"], 64, "--photos"), (["--packets", "all"], 64, "one-end"),
            (["--card", "/proc/self"], 66, "DCIM"), (["--replay", "/proc/none"], 65, "/proc/none"),
            (["--listen", "example.org:1"], 64, "--listen"), (["--model", "canon9000"], 64, "generic"),
            (["--photo-size", "1"], 64, "--photo-size"),
            (["--card", "/tmp", "--photos", "3"], 64, "--photos"),
            (["--faults", "/proc/none"], 66, "/proc/none"), (["--shutter", "3"], 64, "--shutter"),
            (["--listen", "192.0.2.1:0"], 69, "192.0.2.1"),
            (["--replay", "a", "--shoot", "2"], 64, "--shoot"),
        ] as [([String], Int32, String)])
    func camsimMistakes(words: [String], code: Int32, sentence: String) throws {
        let outcome = try #require(Tool(Built.camsim)).run(words)
        #expect(outcome.code == code, "\(outcome.errors)")
        #expect(outcome.errors.contains(sentence), "\(outcome.errors)")
    }

    @Test("a fault script that cannot be meant names its line and the nearest word")
    func faultScript() throws {
        let folder = try TemporaryFolder()
        try folder.write("# fine\nbusy chance=20\nstal after=1MiB\n", to: "faults")
        let outcome = try #require(Tool(Built.camsim)).run(["--faults", folder.file("faults")])
        #expect(outcome.code == 65, "\(outcome.errors)")
        #expect(outcome.errors.contains("line 3") && outcome.errors.contains("stall"), "\(outcome.errors)")
        let help = try #require(Tool(Built.camsim)).run(["--faults", "help"])
        #expect(help.code == 0 && help.text.contains("stall") && help.text.contains("lost-fin"))
    }
}
