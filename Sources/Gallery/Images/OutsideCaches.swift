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

/// The operator's program, with the addresses as its arguments, never through a shell.
package struct PurgeCommand: OutsideCaches {
    private let program: String
    private let environment: [String: String]
    private let reactor: Reactor

    package static let within = Duration.seconds(30)
    /// What is kept of its complaints, for their last line.
    private static let complaints = 4096

    package init(_ program: String, environment: [String: String], on reactor: Reactor) {
        self.program = program
        self.environment = environment
        self.reactor = reactor
    }

    package func forget(_ urls: [String]) async throws(PurgeProblem) {
        var child = ChildProcess(program, urls, environment: environment)
        child.within = Self.within
        child.errors = .last(Self.complaints)
        let ending: ChildProcess.Exit
        do throws(SystemError) {
            ending = try await child.run(on: reactor)
        } catch {
            throw PurgeProblem(description: "\(error)")
        }
        if let problem = Self.problem(ending) {
            throw PurgeProblem(description: "\(program) \(problem)")
        }
    }

    private static func problem(_ ending: ChildProcess.Exit) -> String? {
        let what: String
        switch (ending.stop, ending.cause) {
        case (nil, .exit(0)): return nil
        case (.timeout, _): what = "was ended because it took longer than \(within)"
        case (.cancelled, _): what = "was ended because the gallery ends"
        case (nil, .exit(let code)): what = "ended with exit code \(code)"
        case (nil, .signal(let number)): what = "was ended by signal \(number)"
        case (nil, .none): what = "cannot be ended"
        }
        let lines = String(decoding: ending.errors, as: UTF8.self).split { $0.isNewline }
        guard let last = lines.last(where: { !$0.allSatisfy(\.isWhitespace) }) else { return what }
        return "\(what): \(last)"
    }
}

/// A program in the network that is told by `POST {"urls": ["https://…"]}` and answers 2xx when it is done.
package struct PurgeWebhook: OutsideCaches {
    private let url: String
    /// The value of the header, where it wants one. It is in no message.
    private let authorization: String?
    private let http: any HTTPTransport

    /// More than this is no answer.
    private static let answerLimit = 64 << 10

    package init(_ url: String, authorization: String?, http: any HTTPTransport) {
        self.url = url
        self.authorization = authorization
        self.http = http
    }

    package func forget(_ urls: [String]) async throws(PurgeProblem) {
        let body: JSONValue = ["urls": .array(urls.map(JSONValue.string))]
        let headers =
            [HTTPHeader("Content-Type", "application/json")]
            + (authorization.map { [HTTPHeader("Authorization", $0)] } ?? [])
        let answer: HTTPResponse
        do throws(HTTPFailure) {
            answer = try await http.send(
                HTTPRequest(
                    "POST", url, headers: headers, body: .bytes(Array(body.compact.utf8)),
                    answerLimit: Self.answerLimit))
        } catch {
            throw PurgeProblem(description: "the purge URL cannot be asked: \(error)")
        }
        guard (200..<300).contains(answer.status) else {
            throw PurgeProblem(description: "the purge URL answered \(answer.status)")
        }
    }
}
