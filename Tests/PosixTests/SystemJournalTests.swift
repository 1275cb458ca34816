import Glibc
import Posix
import TestSupport
import Testing

@Suite struct SystemJournalTests {
    let socket: NotifySocket
    /// In place of standard error.
    let file: TemporaryFolder

    init() throws {
        socket = try NotifySocket()
        file = try TemporaryFolder()
        try file.write("", to: "stderr")
    }

    private func journal(_ stream: String?) throws -> (SystemJournal?, Int32) {
        let descriptor = open(file.file("stderr"), O_WRONLY | O_CLOEXEC)
        var facts = stat()
        #expect(fstat(descriptor, &facts) == 0)
        let said = stream?.replacing("here", with: "\(facts.st_dev):\(facts.st_ino)")
        let journal = try SystemJournal(
            "tetherline", environment: { $0 == "JOURNAL_STREAM" ? said : nil }, path: socket.path,
            standing: descriptor)
        return (journal, descriptor)
    }

    @Test("a program whose errors the journal reads enters its lines there itself, and no other program does")
    func whereItIs() throws {
        for (stream, isThere) in [("here", true), ("1:2", false), ("", false), (nil, false)] {
            let (journal, descriptor) = try journal(stream)
            #expect((journal != nil) == isThere, "\(stream ?? "nothing")")
            close(descriptor)
        }
    }

    /// As systemd's "Native Journal Protocol" writes entries: fields as `NAME=value`, and one with a line's end as its name, its
    /// length in 64 bits from the smallest byte on, and the value.
    @Test(
        "an entry is as the journal's protocol has it, and a name that the journal does not know is left out")
    func entry() async throws {
        let (journal, descriptor) = try journal("here")
        defer { close(descriptor) }
        let printer = LinePrinter(executor: ThreadExecutor(name: "print"))
        var entry = SystemJournalEntry("it is lost", priority: .warning)
        entry.add("isFinal", "true", of: "TETHERLINE")
        entry.add("camera", "Z 8\n=x", of: "TETHERLINE")
        for name in ["", "a b", "a=b", "größe", String(repeating: "x", count: 65)] {
            entry.add(name, "1", of: "TETHERLINE")
        }
        printer.enter(entry, in: try #require(journal))
        let expected =
            Array(
                "MESSAGE=it is lost\nPRIORITY=4\nSYSLOG_IDENTIFIER=tetherline\nTETHERLINE_IS_FINAL=true\n"
                    .utf8)
            + Array("TETHERLINE_CAMERA\n".utf8) + [6, 0, 0, 0, 0, 0, 0, 0] + Array("Z 8\n=x\n".utf8)
        #expect(socket.receive() == expected)
    }

    @Test("an entry stays below what a datagram holds, whatever it is given")
    func bounded() {
        var entry = SystemJournalEntry(String(repeating: "ä", count: 1 << 20), priority: .information)
        for number in 0..<1000 {
            entry.add("x\(number)", String(repeating: "ä", count: 1 << 16), of: "TETHERLINE")
        }
        // The smallest that a kernel gives a socket by itself is 212,992 bytes.
        #expect(entry.bytes(for: "tetherline").count < 200_000)
    }
}
