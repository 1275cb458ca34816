package import Basics
package import Posix

/// Caches between the gallery and its guests, as the operator reaches them.
package protocol OutsideCaches: Sendable {
    /// Returns when they have forgotten what they hold of these addresses.
    func forget(_ urls: [String]) async throws(PurgeProblem)
}

/// Why they have not.
package struct PurgeProblem: Error, Equatable, Sendable, CustomStringConvertible {
    package let description: String
}

/// The operator's program, with the addresses as its arguments.
package struct PurgeCommand: OutsideCaches {
    private let command: OperatorCommand

    package init(_ program: String, environment: [String: String], on reactor: Reactor) {
        command = OperatorCommand(program, environment: environment, on: reactor)
    }

    package func forget(_ urls: [String]) async throws(PurgeProblem) {
        do throws(OperatorProblem) {
            try await command.run(urls)
        } catch {
            throw PurgeProblem(description: error.description)
        }
    }
}

/// A program in the network that is told by `POST {"urls": ["https://…"]}`.
package struct PurgeWebhook: OutsideCaches {
    private let webhook: OperatorWebhook

    package init(_ url: String, authorization: String?, http: any HTTPTransport) {
        webhook = OperatorWebhook("the purge URL", url, authorization: authorization, http: http)
    }

    package func forget(_ urls: [String]) async throws(PurgeProblem) {
        do throws(OperatorProblem) {
            try await webhook.post(["urls": .array(urls.map(JSONValue.string))])
        } catch {
            throw PurgeProblem(description: error.description)
        }
    }
}
