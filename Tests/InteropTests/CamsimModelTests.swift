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
}
