import Glibc
import Posix
import TestSupport
import Testing

/// What a client makes of a program that does not do its part.
@Suite struct ControlClientTests {
    let folder: TemporaryFolder
    let reactor: Reactor
    let path: String

    init() throws {
        folder = try TemporaryFolder()
        reactor = try Reactor(name: "test")
        path = folder.file("control")
    }

    private func ask(timeout: Duration = .seconds(60)) async throws -> [String] {
        let lines = Shared<[String]>([])
        try await ControlClient.ask(path: path, "status", on: reactor, timeout: timeout) { line in
            lines.change { $0.append(line) }
        }
        return lines.value
    }

    @Test("a program that never answers costs the timeout and no more")
    func silent() async throws {
        let listener = try RawListener(path, backlog: 8)
        let error = await #expect(throws: SystemError.self) { _ = try await ask(timeout: .milliseconds(60)) }
        #expect(error?.number == ETIMEDOUT)
        withExtendedLifetime(listener) {}
    }

    @Test("a program whose queue is full costs the timeout and no more")
    func fullQueue() async throws {
        let listener = try RawListener(path, backlog: 0)
        let first = try RawClient(path, reactor)
        let error = await #expect(throws: SystemError.self) { _ = try await ask(timeout: .milliseconds(60)) }
        #expect(error?.call == "connecting" && error?.number == ETIMEDOUT)
        withExtendedLifetime((listener, first)) {}
    }

    @Test("a program that ends before it has taken the command is as good as none")
    func endsEarly() async throws {
        let listener = try RawListener(path, backlog: 8)
        let question = Task { try await ask() }
        #expect(await reactor.waitReadable(listener.descriptor, until: nil) == .ready)
        listener.end()
        await #expect(throws: ControlClient.NobodyListens.self) { _ = try await question.value }
    }

    @Test("a reason that is given without reading the command arrives")
    func turnedAway() async throws {
        let listener = try RawListener(path, backlog: 8)
        let question = Task { try await ask() }
        #expect(await reactor.waitReadable(listener.descriptor, until: nil) == .ready)
        do {
            let client = try RawClient(accepting: listener.descriptor, reactor)
            client.send("no\n")
        }
        #expect(try await question.value == ["no"])
    }

    @Test("an answer that ends in the middle of a line is an error")
    func cutOff() async throws {
        let listener = try RawListener(path, backlog: 8)
        let question = Task { try await ask() }
        #expect(await reactor.waitReadable(listener.descriptor, until: nil) == .ready)
        do {
            let client = try RawClient(accepting: listener.descriptor, reactor)
            #expect(await client.receive() == "status\n")
            client.send("whole\nhal")
        }
        await #expect(throws: SystemError.self) { _ = try await question.value }
    }

    @Test("a cancelled question ends at once")
    func cancelled() async throws {
        let listener = try RawListener(path, backlog: 8)
        let question = Task { try await ask() }
        #expect(await reactor.waitReadable(listener.descriptor, until: nil) == .ready)
        question.cancel()
        await #expect(throws: CancellationError.self) { _ = try await question.value }
    }

    @Test("an error of the closure that takes the lines ends the request")
    func refusedLine() async throws {
        let listener = try RawListener(path, backlog: 8)
        let question = Task {
            try await ControlClient.ask(path: path, "status", on: reactor, timeout: .seconds(60)) { _ in
                throw FileProblem(path: "standard output", number: EPIPE)
            }
        }
        #expect(await reactor.waitReadable(listener.descriptor, until: nil) == .ready)
        let client = try RawClient(accepting: listener.descriptor, reactor)
        client.send("one\n")
        await #expect(throws: FileProblem.self) { try await question.value }
    }
}
