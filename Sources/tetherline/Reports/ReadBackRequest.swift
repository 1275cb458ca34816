import Arguments
import Basics
import Posix
import Store
import Synchronization
import Upload

/// `verify --read-back`: asks the bridge that runs in this home, or the destinations themselves where none runs.
struct ReadBackRequest {
    let home: Home
    let event: String?
    let sample: Int?

    /// The longest that nothing may be found out: one large video over a thin line.
    private static let timeout = Duration.seconds(3600)

    static let specs = [
        OptionSpec.flag(
            "read-back",
            "Ask each destination, too, for what it has: size and SHA-256, read where it must be."),
        OptionSpec("sample", "N", "With --read-back: only so many photos of each destination, by chance."),
    ]

    /// Nothing where it was not asked for.
    init?(_ invocation: Invocation) throws {
        sample = try invocation.size("sample", in: ReadBack.sizes).map { Int($0) }
        guard invocation.has("read-back") else {
            guard sample == nil else { throw UsageError("--sample is about --read-back.") }
            return nil
        }
        home = Home(invocation.value("home"))
        event = invocation.value("event")
    }

    func ask(on reactor: Reactor) async throws -> ReadBackFindings {
        let findings = Mutex(ReadBackFindings())
        let request: [(key: String, value: JSONValue)] =
            [(key: "command", value: .string("readBack"))]
            + (event.map { [(key: "event", value: .string($0))] } ?? [])
            + (sample.map { [(key: "sample", value: .integer(Int64($0)))] } ?? [])
        let isAnswered = try await BridgeAnswer.ask(request, in: home, on: reactor, timeout: Self.timeout) {
            line in
            findings.withLock { $0.add(line) }
        }
        return isAnswered ? findings.withLock { $0 } : try await look(on: reactor)
    }

    private func look(on reactor: Reactor) async throws -> ReadBackFindings {
        try await StandaloneSession.open(event, in: home, on: reactor).lend { session in
            var findings = ReadBackFindings()
            let readBack = ReadBack(
                reader: try home.reader(), destinations: session.destinations, former: session.former,
                sample: sample, random: SystemRandomSource())
            try await readBack.run { findings.add($0) }
            return findings
        }
    }
}
