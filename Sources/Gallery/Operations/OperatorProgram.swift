package import Basics
package import Posix

/// Why something of the operator's did not do what it was asked.
package struct OperatorProblem: Error, Equatable, Sendable, CustomStringConvertible {
    package let description: String
    /// It was refused, and would be again within the hour.
    package let isRefusal: Bool

    package init(description: String, isRefusal: Bool = false) {
        self.description = description
        self.isRefusal = isRefusal
    }
}

/// A program of the operator's, called with arguments, never through a shell, until it ends with 0.
package struct OperatorCommand: Sendable {
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

    package func run(_ arguments: [String]) async throws(OperatorProblem) {
        var child = ChildProcess(program, arguments, environment: environment)
        child.within = Self.within
        child.errors = .last(Self.complaints)
        let ending: ChildProcess.Exit
        do throws(SystemError) {
            ending = try await child.run(on: reactor)
        } catch {
            throw OperatorProblem(description: "\(error)")
        }
        if let problem = ending.problem(within: Self.within, owner: "the gallery") {
            throw OperatorProblem(description: "\(program) \(problem)")
        }
    }
}

/// A program in the network that is told by POST and answers 2xx when it is done.
package struct OperatorWebhook: Sendable {
    /// As messages call it: "the purge URL".
    private let name: String
    private let url: String
    /// The value of the header, where it wants one. It is in no message.
    private let authorization: String?
    private let http: any HTTPTransport

    /// More than this is no answer.
    private static let answerLimit = 64 << 10
    /// An answer that comes slower than this is none, either: so a try ends before two minutes are over, whatever is answered.
    private static let slowest: UInt64 = 1 << 10

    package init(_ name: String, _ url: String, authorization: String?, http: any HTTPTransport) {
        self.name = name
        self.url = url
        self.authorization = authorization
        self.http = http
    }

    package func post(_ body: JSONValue) async throws(OperatorProblem) {
        let headers =
            [HTTPHeader("Content-Type", "application/json")]
            + (authorization.map { [HTTPHeader("Authorization", $0)] } ?? [])
        var limits = HTTPLimits()
        limits.minimumRate = Self.slowest
        let answer: HTTPResponse
        do throws(HTTPFailure) {
            answer = try await http.send(
                HTTPRequest(
                    "POST", url, headers: headers, body: .bytes(Array(body.compact.utf8)),
                    answerLimit: Self.answerLimit, limits: limits))
        } catch {
            throw OperatorProblem(description: "\(name) cannot be asked: \(error)")
        }
        guard (200..<300).contains(answer.status) else {
            throw OperatorProblem(description: "\(name) answered \(answer.status)")
        }
    }
}
