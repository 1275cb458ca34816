import Basics
import Bridge
import Posix
import Store

/// How a home's bridge is, whether one runs or not: the one that runs says it, or its ledger does.
struct BridgeStatusSource: Sendable {
    let home: Home
    /// Nothing for the one of the bridge that runs, or the latest.
    var event: String?
    /// Which one where no bridge runs and none was asked for.
    var eventAtRest: String?

    /// A bridge answers in a few milliseconds. One that does not is stopped or stuck, and its ledger can be read all the same.
    static let patience = Duration.milliseconds(700)

    /// The bridge that runs is asked first: what it answers needs no ledger. Nothing where there is no event yet.
    func status(on reactor: Reactor) async throws -> JSONValue? {
        let request: [(key: String, value: JSONValue)] = [(key: "command", value: "status")]
        var isSilent = false
        do {
            if let live = try await CommandRouter.ask(
                request, in: home, on: reactor, timeout: Self.patience), isAsked(for: live["event"])
            {
                return live
            }
        } catch let error as SystemError where error.isTooLate {
            isSilent = true
        }
        return try StatusAtRest(home: home, event: event, eventAtRest: eventAtRest, isSilent: isSilent)
            .status()?.json
    }

    private func isAsked(for running: JSONValue?) -> Bool {
        guard let event else { return true }
        return running?["id"]?.string == event || running?["name"]?.string == event
    }
}
