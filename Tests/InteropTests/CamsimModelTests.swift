import Glibc
import TestSupport
import Testing

/// What camsim says of itself, and that nothing it is made to do takes it away from those who run it.
@Suite struct CamsimModelTests {
    func camsim(_ arguments: String...) throws -> Tool.Output {
        try #require(Tool(Built.camsim)).run(arguments)
    }

    @Test("each model is described in a line, and one that there is not is answered with the nearest")
    func models() throws {
        let listed = try camsim("--list-models")
        #expect(listed.code == 0 && listed.lines.contains { $0.hasPrefix("generic  ") }, "\(listed.text)")
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
