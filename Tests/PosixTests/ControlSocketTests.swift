import Glibc
import Posix
import TestSupport
import Testing

@Suite struct ControlSocketTests {
    let folder: TemporaryFolder
    let reactor: Reactor
    let path: String

    init() throws {
        folder = try TemporaryFolder()
        reactor = try Reactor(name: "test")
        path = folder.file("control")
    }

    /// Longer than anything here takes.
    static let patience = Duration.seconds(60)

    typealias Answer = @Sendable (String, _ reply: ControlListener.Reply) async -> Void

    /// Serves as long as the body runs.
    func serving(
        _ answer: @escaping Answer, limits: ControlListener.Limits = ControlListener.Limits(),
        _ body: () async throws -> Void
    ) async throws {
        let listener = try ControlListener(path: path, limits: limits)
        let service = Task(executorPreference: reactor) { [reactor] in
            await listener.serve(on: reactor, answer)
        }
        let outcome: Result<Void, any Error>
        do {
            try await body()
            outcome = .success(())
        } catch {
            outcome = .failure(error)
        }
        service.cancel()
        await service.value
        listener.close()
        try outcome.get()
    }

    private func ask(_ line: String, timeout: Duration = patience) async throws -> [String] {
        let lines = Shared<[String]>([])
        try await ControlClient.ask(path: path, line, on: reactor, timeout: timeout) { line in
            lines.change { $0.append(line) }
        }
        return lines.value
    }

    func expect(_ line: String, gives answer: [String]) async throws {
        #expect(try await ask(line) == answer)
    }

    static let echo: Answer = { line, reply in
        do {
            for part in line.split(separator: " ") { try await reply(String(part)) }
        } catch {
            Issue.record(error)
        }
    }

    @Test("a command gets the lines of its answer, and only the owner may connect")
    func answering() async throws {
        try await serving(Self.echo) {
            try await expect("one two three", gives: ["one", "two", "three"])
            try await expect("", gives: [])
            var facts = stat()
            stat(path, &facts)
            #expect(facts.st_mode & 0o777 == 0o600)
        }
        #expect(folder.contents().isEmpty)
        await #expect(throws: ControlClient.NobodyListens.self) { _ = try await ask("one") }
    }

    @Test("no process listens at a socket that was left behind, and a new listener replaces it")
    func leftBehind() async throws {
        do { _ = try ControlListener(path: path) }
        #expect(folder.contents() == ["control"])
        await #expect(throws: ControlClient.NobodyListens.self) { _ = try await ask("one") }
        try await serving(Self.echo) { try await expect("one", gives: ["one"]) }
    }

    @Test(
        "a listener whose service has ended listens no more, and its second close removes no other's socket")
    func ended() async throws {
        let listener = try ControlListener(path: path)
        let service = Task { [reactor] in await listener.serve(on: reactor, Self.echo) }
        try await expect("one", gives: ["one"])
        service.cancel()
        await service.value
        await #expect(throws: ControlClient.NobodyListens.self) { _ = try await ask("one") }
        listener.close()
        let next = try ControlListener(path: path)
        listener.close()
        #expect(folder.contents() == ["control"])
        next.close()
    }

    @Test("a file that is no socket stays where it is")
    func otherFile() throws {
        try folder.write("precious", to: "control")
        let error = #expect(throws: SystemError.self) { try ControlListener(path: path) }
        #expect(error?.number == EADDRINUSE)
        #expect(try readFile(path) == Array("precious".utf8))
    }

    @Test("a path that is too long says by how much and what to do")
    func longPath() throws {
        let room = ControlListener.longestPath - folder.path.utf8.count - 1
        try ControlListener(path: folder.file(String(repeating: "x", count: room))).close()
        let error = #expect(throws: SystemError.self) {
            try ControlListener(path: folder.file(String(repeating: "x", count: room + 1)))
        }
        #expect(error?.number == ENAMETOOLONG)
        #expect(error?.description.contains("108 bytes, more than 107,") == true)
        #expect(error?.description.contains("Choose a folder with a shorter path.") == true)
    }

    @Test("eight are served at once, and the others after them")
    func manyClients() async throws {
        let present = Shared((now: 0, most: 0, waiting: [Signal]()))
        try await serving { line, reply in
            let signal = Signal()
            let waiting = present.change { present in
                present.now += 1
                present.most = max(present.most, present.now)
                present.waiting.append(signal)
                return present.waiting.count >= ControlListener.mostConnections ? present.waiting : []
            }
            for signal in waiting { signal.fire() }
            await signal.wait()
            await Self.echo(line, reply)
            present.change { $0.now -= 1 }
        } _: {
            try await withThrowingTaskGroup(of: Void.self) { group in
                for number in 0..<30 {
                    group.addTask { try await expect("\(number)", gives: ["\(number)"]) }
                }
                try await group.waitForAll()
            }
        }
        #expect(present.value.most == ControlListener.mostConnections)
    }

    @Test("a client that sends no whole line is told so when its time is up, and others are served meanwhile")
    func slowClient() async throws {
        var limits = ControlListener.Limits()
        limits.lineLimit = .milliseconds(100)
        try await serving(Self.echo, limits: limits) {
            let slow = try RawClient(path, reactor)
            slow.send("stat")
            try await expect("one", gives: ["one"])
            #expect(await slow.rest() == "{\"error\":\"no command has come within 0.1 seconds\"}\n")
        }
    }

    @Test("a line of the longest length is taken, and a longer one is refused at both ends")
    func longLine() async throws {
        let line = String(repeating: "x", count: ControlListener.longestRequest)
        try await serving(Self.echo) {
            try await expect(line, gives: [line])
            let error = await #expect(throws: SystemError.self) { _ = try await ask(line + "x") }
            #expect(error?.number == EMSGSIZE)
            for end in ["x", "x\n"] {
                let client = try RawClient(path, reactor)
                client.send(line + end)
                #expect(await client.rest() == "{\"error\":\"a command has at most 65536 bytes\"}\n")
            }
            try await expect("one", gives: ["one"])
        }
    }

    @Test("a command without its newline is not carried out")
    func cutOff() async throws {
        try await serving(Self.echo) {
            let client = try RawClient(path, reactor)
            client.send("one")
            shutdown(client.descriptor, Int32(SHUT_WR))
            #expect(await client.rest() == "{\"error\":\"a command ends with a newline\"}\n")
            let whole = try RawClient(path, reactor)
            whole.send("one two\n")
            shutdown(whole.descriptor, Int32(SHUT_WR))
            #expect(await whole.rest() == "one\ntwo\n")
        }
    }

    @Test(
        "another user is turned away, even where the file lets him in",
        .enabled(
            if: geteuid() == 0 && Tool.isThere("setpriv") && Tool.isThere("perl"),
            "only root can run as another user, by setpriv"))
    func otherUser() async throws {
        let tool = try #require(Tool("setpriv"))
        let client = """
            use IO::Socket::UNIX; $SIG{PIPE} = "IGNORE"; my $s = IO::Socket::UNIX->new(Peer => $ARGV[0]) or die "$!";
            print $s "one\\n"; $s->flush; print <$s>;
            """
        try await serving(Self.echo) {
            chmod(folder.path, 0o755)
            let words = ["--clear-groups", "perl", "-e", client, path]
            #expect(try tool.run(words).text == "one\n")
            chmod(path, 0o666)
            let other = try tool.run(["--reuid=65534"] + words)
            #expect(other.text == "{\"error\":\"not allowed\"}\n", "\(other.errors)")
        }
    }

    @Test("the longest line of an answer comes whole, and a longer one is refused")
    func longAnswer() async throws {
        let answer: Answer = { line, reply in
            do {
                try await reply(String(repeating: "x", count: ControlListener.longestAnswerLine))
                try await reply("then")
                try await reply(String(repeating: "x", count: ControlListener.longestAnswerLine + 1))
            } catch let error as SystemError {
                #expect(error.number == EMSGSIZE)
            } catch {
                Issue.record(error)
            }
        }
        // Beside other programs it may take the client long to take so much.
        var limits = ControlListener.Limits()
        limits.sendLimit = .seconds(60 * Cases.minutesOfHang)
        try await serving(answer, limits: limits) {
            let lines = try await ask("much")
            #expect(lines.map(\.utf8.count) == [ControlListener.longestAnswerLine, 4])
        }
    }

    @Test("ending the service ends the answers")
    func endingService() async throws {
        let listener = try ControlListener(path: path)
        let hasBegun = Signal()
        let service = Task { [reactor] in
            await listener.serve(on: reactor) { line, reply in
                hasBegun.fire()
                do {
                    try await reactor.sleep(until: reactor.now + .seconds(100_000))
                    Issue.record("the answer was not cancelled")
                } catch {
                    #expect(Task.isCancelled)
                }
            }
        }
        let question = Task { try await ask("one") }
        await hasBegun.wait()
        service.cancel()
        await service.value
        #expect(try await question.value == [])
    }
}
