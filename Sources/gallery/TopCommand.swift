import Arguments
import Basics
import Gallery
import HTTPClient
import Posix

/// `gallery top`: what the nodes are at, from their own numbers.
struct TopCommand {
    static let spec: CommandSpec = {
        var spec = CommandSpec("top", "Shows what each node does, again every two seconds until Ctrl-C.")
        spec.discussion = [
            "It reads /metrics of the nodes themselves, not through the balancer, which would answer for any of them. A node on "
                + "another machine needs --metrics-from with this one's address."
        ]
        spec.options = [.flag("once", "Look for two seconds, and end.")]
        spec.positionals = [
            PositionalSpec("URL", .any, "A node's own address, such as http://10.0.0.11:8080.")
        ]
        spec.examples = ["gallery top http://10.0.0.11:8080 http://10.0.0.12:8080"]
        return spec
    }()

    private static let pause = Duration.seconds(2)
    private static let mostBytes = 4 << 20

    private let addresses: [String]
    private let isOnce: Bool

    init(_ invocation: Invocation) throws {
        addresses = try invocation.positionals.map(ServeCommand.publicURL)
        guard !addresses.isEmpty else {
            throw UsageError("Say the address of each node, such as http://10.0.0.11:8080.")
        }
        isOnce = invocation.has("once")
    }

    func run(on reactor: Reactor) async throws {
        let client = try CurlClient()
        var before = await look(client)
        var start = reactor.now
        repeat {
            try await reactor.sleep(until: reactor.now + Self.pause)
            let now = await look(client)
            let seconds = (reactor.now - start) / Duration.seconds(1)
            start = reactor.now
            var rows = [NodeActivity.header]
            var reasons: [String] = []
            for (address, result) in zip(addresses, now) {
                switch result {
                case .success(let reading):
                    let last = before[rows.count - 1]
                    if case .success(let old) = last {
                        rows.append(
                            NodeActivity(reading, since: old, seconds: seconds, address: address).cells)
                    } else {
                        rows.append(NodeActivity(reading, since: reading, seconds: 0, address: address).cells)
                    }
                case .failure(let failure):
                    rows.append(NodeActivity(silent: address).cells)
                    reasons.append("\(address) \(failure.reason)")
                }
            }
            before = now
            let clears = Terminal.isTerminal(1) && !isOnce
            printOutput(
                (clears ? "\u{1B}[H\u{1B}[J" : "") + (Human.table(rows) + reasons).joined(separator: "\n"))
        } while !isOnce
    }

    private struct Silence: Error {
        let reason: String
    }

    private static func reason(_ status: Int) -> String {
        status == 403
            ? "answers 403: start it with --metrics-from and this machine's address" : "answers \(status)"
    }

    private func look(_ client: CurlClient) async -> [Result<MetricsReading, Silence>] {
        var results: [Result<MetricsReading, Silence>] = []
        for address in addresses {
            var request = HTTPRequest("GET", "\(address)/metrics")
            request.answerLimit = Self.mostBytes
            request.limits.noProgress = .seconds(3)
            do throws(HTTPFailure) {
                let answer = try await client.send(request)
                results.append(
                    answer.status == 200
                        ? .success(MetricsReading(String(decoding: answer.body, as: UTF8.self)))
                        : .failure(Silence(reason: Self.reason(answer.status))))
            } catch {
                results.append(.failure(Silence(reason: "does not answer: \(error)")))
            }
        }
        return results
    }
}
