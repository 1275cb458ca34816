import Basics
import Posix
import Store

/// How a command changes something: the bridge that runs in this home does it, and where none runs the command does it
/// itself, under the same lock.
enum CommandRouter {
    static let timeout = Duration.seconds(30)

    /// The bridge's answer, or that of `alone`. A refusal is thrown as a sentence. `makesHome`: it may be the first that is
    /// done in this home.
    static func perform(
        _ request: [(key: String, value: JSONValue)], in home: Home, makesHome: Bool = false,
        on reactor: Reactor, alone: (Ledger) async throws -> JSONValue
    ) async throws -> JSONValue {
        if let answer = try await ask(request, in: home, on: reactor) { return answer }
        if !makesHome { _ = try home.reader() }
        let lock = try home.lock()
        if makesHome { try home.makeDatabaseFile() }
        let thread = ThreadExecutor(name: "ledger")
        defer { thread.shutDown() }
        let ledger = try Ledger(
            path: home.database, executor: thread, wall: SystemWallTime(), random: SystemRandomSource())
        let answer = try await alone(ledger)
        try await ledger.end()
        withExtendedLifetime(lock) {}
        return answer
    }

    /// Nothing when no bridge runs.
    static func ask(
        _ request: [(key: String, value: JSONValue)], in home: Home, on reactor: Reactor,
        timeout: Duration = timeout
    ) async throws -> JSONValue? {
        let answer = Mailbox<String>()
        do {
            try await ControlClient.ask(
                path: home.controlSocket, JSONValue.object(request).compact, on: reactor, timeout: timeout
            ) { answer.post($0) }
        } catch is ControlClient.NobodyListens {
            return nil
        }
        guard let line = answer.takeAll().first else {
            throw Refused(description: "the bridge that runs in \(home.path) gave no answer; try again.")
        }
        let value = try JSON5.parse(line)
        if let reason = value["error"]?.string { throw Refused(description: "\(reason)") }
        return value
    }

    /// Whether one runs, also where it says nothing.
    static func isBridgeRunning(in home: Home, on reactor: Reactor) async throws -> Bool {
        do {
            return try await ask(
                [(key: "command", value: "cameras")], in: home, on: reactor, timeout: .milliseconds(500))
                != nil
        } catch let error as SystemError where error.isTooLate {
            return true
        } catch is Refused {
            return true
        }
    }

    struct Refused: Error, CustomStringConvertible {
        let description: String
    }
}
