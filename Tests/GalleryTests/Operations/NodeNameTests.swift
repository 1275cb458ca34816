import TestSupport
import Testing

@testable import Gallery

/// What a node is called, and how that stands in its metrics.
@Suite(.timeLimit(.minutes(Cases.minutesOfHang))) struct NodeNameTests {
    @Test("a name is a word that needs no quotes anywhere, and what a machine is called is made one")
    func names() {
        let longest = String(repeating: "x", count: 64)
        for name in ["a", "node-1.example.org:8080", "A_b", longest] { #expect(NodeName.isName(name)) }
        for name in ["", "a\"b", "a b", "a\nb", "a\\b", "knötchen", "a{b}", longest + "x"] {
            #expect(!NodeName.isName(name), "\(name)")
        }
        #expect(NodeName.of(machine: "db.example.org", port: 80) == "db.example.org:80")
        #expect(NodeName.of(machine: "this machine", port: 8080) == "this-machine:8080")
        for machine in ["", "a\"b", "kn\u{F6}tchen", String(repeating: "m", count: 255)] {
            let name = NodeName.of(machine: machine, port: 65_535)
            #expect(NodeName.isName(name) && name.hasSuffix(":65535"), "\(name)")
        }
    }

    @Test("whatever a node is called, each line of its metrics is one")
    func labels() {
        let text = NodeMetrics.labelled("# HELP a A.\na 1\nb{c=\"d\"} 2\n", node: "x\"y\\z\n")
        #expect(
            text == """
                # HELP a A.
                a{node="x\\"y\\\\z\\n"} 1
                b{node="x\\"y\\\\z\\n",c="d"} 2

                """)
    }

    @Test("the program refuses another name and says which it takes")
    func refused() throws {
        let folder = try TemporaryFolder()
        let said = try #require(Tool(Built.gallery)).run(
            ["serve", "--listen", "127.0.0.1:0", "--data", folder.file("data"), "--node", "a\"b"])
        #expect(said.code == 64 && said.errors.contains("--node needs 1 to 64"), "\(said.errors)")
    }
}
