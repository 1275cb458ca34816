import Glibc
import TestSupport
import Testing

/// What camsim says of itself, and that nothing it is made to do takes it away from those who run it.
@Suite struct CamsimModelTests {
    func camsim(_ arguments: String...) throws -> Tool.Output {
        try #require(Tool(Built.camsim)).run(arguments)
    }

    /// What is known of such bodies, word by word.
    static let sentences = [
        ("canon-r6", "later only that GUID is let in"),
        ("canon-80d", "R6 and 80D still deliver pictures"),
        ("canon-m50", "screen goes black"),
        ("canon-m50", "please GetEvent"),
        ("nikon-d7200", "others push nothing"),
        ("nikon-z6", "write property ApplicationMode 0xD1F0 (u8) = 1"),
        ("nikon-z6ii", "ChangeApplicationMode 0x9435(1)"),
        ("nikon-z8", "pairing ops present in DeviceInfo"),
        ("sony-a7m3", "Events unreliable before ~2019 bodies"),
        ("sony-a7m4", "mode: 0 remote, 1 content transfer"),
        ("sony-rx100m7", "really omits the version"),
    ]

    @Test(
        "each model is described in a line with what is known of it, and an unknown one is answered with the nearest"
    )
    func models() throws {
        let listed = try camsim("--list-models")
        #expect(listed.code == 0 && listed.lines.contains { $0.hasPrefix("generic  ") }, "\(listed.text)")
        let quoted = listed.lines.filter { $0.split(separator: "\"").count > 1 }
        #expect(quoted.count == listed.lines.count - 1, "all but the one without a maker: \(listed.text)")
        for (name, sentence) in Self.sentences {
            let line = listed.lines.first { $0.hasPrefix("\(name) ") }
            #expect(line?.contains("\"\(sentence)\"") == true, "\(name): \(line ?? "is not listed")")
        }
        let unknown = try camsim("--model", "genric")
        #expect(unknown.code == 64)
        #expect(unknown.errors.contains("did you mean 'generic'?"), "\(unknown.errors)")
        let both = try camsim("--model", "generic", "--replay", "x.pcap")
        #expect(both.code == 64, "\(both.errors)")
    }

    @Test("a model is what it is by default")
    func chosen() throws {
        let camera = try Camsim("--model", "generic", "--serial", "77")
        let info = try Operator().run("camera", "info", camera.address)
        #expect(info.code == 0 && info.text.contains("77"), "\(info.text)\(info.errors)")
    }

    @Test(
        "what a camera took is written down at its end as sha256sum reads it, those of a burst in the middle too"
    )
    func manifest() throws {
        let folder = try TemporaryFolder()
        let camera = try Camsim(
            "--photos", "1", "--photo-size", "3000k", "--shoot", "2", "--every", "10", "--burst", "3@5ms",
            "--manifest", folder.file("manifest"))
        let person = try Operator()
        let bridge = try person.start([camera])
        try bridge.waitForDelivered(6)
        bridge.end()
        #expect(camera.daemon.stop() == 0)
        let checked = try #require(Tool("sha256sum")).run(
            ["--check", "--strict", folder.file("manifest")], in: person.out)
        #expect(checked.code == 0 && checked.lines.count == 6, "\(checked.text)\(checked.errors)")
        let wrong = try camsim("--burst", "3@5ms")
        #expect(wrong.code == 64 && wrong.errors.contains("--shoot"), "\(wrong.errors)")
        let odd = try camsim("--shoot", "1", "--burst", "3")
        #expect(odd.code == 64 && odd.errors.contains("30@100ms"), "\(odd.errors)")
    }

    @Test("the faults are listed by what they are about, with what may be set")
    func faults() throws {
        let listed = try camsim("--faults", "help")
        #expect(listed.code == 0)
        #expect(
            listed.lines.contains("# Connecting")
                && listed.lines.contains(
                    "out-of-step kind=wrong-transaction|no-start|start-twice|unknown-packet")
        )
    }

    @Test(
        "what is said without end starves no other link, whether the client reads it or not",
        arguments: [
            ("events", "event"), ("objects", "event"), ("probes", "event"), ("data", "event"),
            ("data", "command"),
            ("events", "command"), ("probes", "command"),
        ], [true, false])
    func floods(flood: (kind: String, channel: String), isRead: Bool) async throws {
        let camera = try InteropTests.camsim(faults: "flood kind=\(flood.kind) channel=\(flood.channel)")
        let (command, event) = try HostileClient.connected(port: camera.port)
        let reading = Task { () -> Int in
            var count = 0
            while isRead {
                let more = (flood.channel == "event" ? event : command).hear().count
                guard more > 0 else { break }
                count += more
            }
            return count
        }
        // Another link is heard and answered: with its end, because it makes no sense.
        for _ in 0..<20 {
            let stranger = try HostileClient(port: camera.port)
            #expect(stranger.say(Wire.u32(7) + Wire.u32(1)))
            #expect(stranger.hear().isEmpty)
        }
        #expect(try #require(try camera.daemon.peakBytes()) < HostileClientTests.mostMemory)
        #expect(camera.daemon.stop() == 0)
        #expect(await reading.value > (isRead ? 10_000 : -1))
        withExtendedLifetime((command, event)) {}
    }
}

/// Holds a descriptor that never changes.
extension HostileClient: @unchecked Sendable {}
