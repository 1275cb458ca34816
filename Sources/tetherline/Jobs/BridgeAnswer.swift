import Basics
import Posix
import Store

/// A long answer of the bridge that runs in a home: lines, and one that says that these are all.
enum BridgeAnswer {
    /// The last line. A bridge that ends in the middle of an answer does not send it.
    static let end: JSONValue = ["end": .bool(true)]

    /// Gives every line but the last to `each`. False where no bridge runs. A refusal is thrown as a sentence.
    static func ask(
        _ request: [(key: String, value: JSONValue)], in home: Home, on reactor: Reactor, timeout: Duration,
        _ each: @Sendable (JSONValue) throws -> Void
    ) async throws -> Bool {
        let lines = Mailbox<Bool>()
        do {
            try await ControlClient.ask(
                path: home.controlSocket, JSONValue.object(request).compact, on: reactor, timeout: timeout
            ) { text in
                let line = try parse(text)
                if line == end { lines.post(true) } else { try each(line) }
            }
        } catch is ControlClient.NobodyListens {
            return false
        } catch let error as SystemError where error.isHangUp {
            throw BridgeEnded()
        }
        guard !lines.takeAll().isEmpty else { throw BridgeEnded() }
        return true
    }

    private static func parse(_ text: String) throws -> JSONValue {
        var limits = JSON5.Limits()
        limits.bytes = ControlListener.longestAnswerLine
        let line = try JSON5.parse(text, limits: limits)
        guard let reason = line["error"]?.string else { return line }
        if line["nothingThere"]?.bool == true { throw NothingThere(description: reason) }
        throw CommandRouter.Refused(description: reason)
    }

    /// What `ask` throws again at the other end.
    static func refusal(_ error: any Error) -> JSONValue {
        ["error": .string("\(error)"), "nothingThere": .bool(error is NothingThere)]
    }
}

/// The bridge that was asked has ended meanwhile.
struct BridgeEnded: Error, CustomStringConvertible {
    var description: String { "the bridge ended before it had answered; ask again." }
}
