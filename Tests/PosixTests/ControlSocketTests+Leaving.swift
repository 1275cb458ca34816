import Glibc
import Posix
import TestSupport
import Testing

/// Clients that do not wait for the end of their answer.
extension ControlSocketTests {
    @Test("a client that leaves before its answer does not stop its command, and the reply is an error")
    func leavesEarly() async throws {
        let failure = Shared<SystemError?>(nil)
        let isDone = Signal()
        try await serving { line, reply in
            if line == "other" { return await Self.echo(line, reply) }
            do {
                // The other end is closed by now or will be: what it does not take piles up until it is.
                while true { try await reply(String(repeating: "x", count: 1 << 20)) }
            } catch let error as SystemError {
                #expect(!Task.isCancelled)
                failure.change { $0 = error }
            } catch {
                Issue.record(error)
            }
            isDone.fire()
        } _: {
            do {
                let client = try RawClient(path, reactor)
                client.send("leave\n")
            }
            await isDone.wait()
            try await expect("other", gives: ["other"])
        }
        #expect(failure.value?.number == EPIPE)
    }

    @Test("a client that leaves in the middle cancels the rest of its answer")
    func leavesLate() async throws {
        let isCancelled = Signal()
        try await serving { [reactor] line, reply in
            do {
                try await reply("first")
                try await reactor.sleep(until: reactor.now + .seconds(100_000))
            } catch is CancellationError {
                isCancelled.fire()
            } catch {
                Issue.record(error)
            }
        } _: {
            do {
                let client = try RawClient(path, reactor)
                client.send("watch\n")
                #expect(await client.receive() == "first\n")
            }
            await isCancelled.wait()
        }
    }

    @Test("a client that reads nothing is given up when nothing moves, and others are served meanwhile")
    func stalled() async throws {
        var limits = ControlListener.Limits()
        limits.sendLimit = .milliseconds(100)
        let failure = Shared<SystemError?>(nil)
        let isOver = Signal()
        let answer: Answer = { line, reply in
            if line == "other" { return await Self.echo(line, reply) }
            do {
                try await reply(String(repeating: "x", count: 8 << 20))
            } catch let error as SystemError {
                failure.change { $0 = error }
            } catch {
                Issue.record(error)
            }
            isOver.fire()
        }
        try await serving(answer, limits: limits) {
            let client = try RawClient(path, reactor)
            client.send("much\n")
            try await expect("other", gives: ["other"])
            await isOver.wait()
            #expect(failure.value?.number == ETIMEDOUT)
            let rest = await client.rest()
            #expect(rest.utf8.count < 8 << 20 && !rest.contains("\n"))
        }
    }
}
