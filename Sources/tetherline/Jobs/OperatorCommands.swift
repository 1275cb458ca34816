import Arguments
import Basics
import Bridge
import Posix
import Store

/// `retry`, `cancel`, `pause` and `resume`: what an operator does with jobs.
enum OperatorCommands {
    private static let homeSpec = OptionSpec(
        "home", "DIR", "The bridge's home. [$TETHERLINE_HOME, or ~/.local/state/tetherline]")
    private static let jobLimit = 100_000

    static let specs: [CommandSpec] = [retrySpec, cancelSpec, pauseSpec, resumeSpec]

    private static let retrySpec: CommandSpec = {
        var spec = CommandSpec("retry", "Begins deliveries again that failed for good.")
        spec.discussion = [
            "Job numbers are those of 'tetherline jobs'. While a bridge runs it does it; otherwise the next run will."
        ]
        spec.positionals = [PositionalSpec("JOB", .any, "A job's number.")]
        spec.options = [
            .flag("failed", "All of an event that failed, but not what was cancelled."),
            OptionSpec("event", "EVENT", "With --failed: which event. [the latest]"), homeSpec,
        ]
        spec.examples = ["tetherline retry --failed", "tetherline retry 17 18"]
        return spec
    }()

    private static let cancelSpec: CommandSpec = {
        var spec = CommandSpec("cancel", "Takes deliveries back: the photo need not arrive there.")
        spec.discussion = [
            "'tetherline retry JOB' takes that back again, as long as the file is in the spool."
        ]
        spec.positionals = [PositionalSpec("JOB", .any, "A job's number, as 'tetherline jobs' shows it.")]
        spec.options = [homeSpec]
        spec.examples = ["tetherline cancel 17"]
        return spec
    }()

    private static let pauseSpec: CommandSpec = {
        var spec = CommandSpec(
            "pause", "Stops delivering until 'resume'; what is under way ends in peace, cameras go on.")
        spec.options = [homeSpec]
        spec.examples = ["tetherline pause"]
        return spec
    }()

    private static let resumeSpec: CommandSpec = {
        var spec = CommandSpec("resume", "Goes on delivering after 'pause'.")
        spec.options = [homeSpec]
        spec.examples = ["tetherline resume"]
        return spec
    }()

    static func run(_ invocation: Invocation, on reactor: Reactor) async throws -> ExitCode {
        let home = Home(invocation.value("home"))
        switch invocation.path.first {
        case "retry": return try await retry(invocation, home, on: reactor)
        case "cancel": return try await cancel(invocation, home, on: reactor)
        default: return try await pause(invocation.path.first == "pause", home, on: reactor)
        }
    }

    private static func jobs(_ invocation: Invocation) throws(UsageError) -> [JobID] {
        var jobs: [JobID] = []
        for text in invocation.positionals {
            guard let number = Int64(text), number > 0 else {
                throw UsageError("'\(text)' is no job's number; 'tetherline jobs' shows them.")
            }
            jobs.append(JobID(number))
        }
        guard jobs.count <= jobLimit else { throw UsageError("At most \(jobLimit) jobs at a time.") }
        return jobs
    }

    private static func retry(
        _ invocation: Invocation, _ home: Home, on reactor: Reactor
    ) async throws -> ExitCode {
        var wanted = try jobs(invocation)
        if invocation.has("failed") {
            guard wanted.isEmpty else { throw UsageError("Either job numbers, or --failed.") }
            wanted = try failed(invocation.value("event"), in: home)
            guard !wanted.isEmpty else {
                printOutput("nothing has failed")
                return .success
            }
        } else if wanted.isEmpty {
            throw UsageError("Say which jobs, or --failed for all that failed.")
        }
        let retried = try await begin(again: wanted, home, on: reactor)
        return report(
            wanted, retried, "begun again", "it did not fail, or its file is not in the spool any more")
    }

    /// What failed of an event for good, but for what was cancelled.
    static func failed(_ event: String?, in home: Home) throws -> [JobID] {
        let reader = try home.reader()
        let event = try reader.chosenEvent(event)
        var failed: [JobID] = []
        try reader.jobs(of: event?.id, group: .failed) { entry in
            if !entry.isCancelled { failed.append(entry.id) }
        }
        return failed
    }

    /// Gives those that it was possible with.
    static func begin(again jobs: [JobID], _ home: Home, on reactor: Reactor) async throws -> [JobID] {
        try await change("retry", jobs, home, on: reactor) { try await $0.retry(jobs) }
    }

    private static func cancel(
        _ invocation: Invocation, _ home: Home, on reactor: Reactor
    ) async throws -> ExitCode {
        let wanted = try jobs(invocation)
        guard !wanted.isEmpty else {
            throw UsageError("Say which jobs; 'tetherline jobs' shows their numbers.")
        }
        let cancelled = try await change("cancel", wanted, home, on: reactor) { ledger in
            // No bridge runs, so a job that is claimed was left by a crash.
            _ = try await ledger.rescueJobs()
            return try await ledger.cancelUnclaimed(wanted).cancelled
        }
        return report(wanted, cancelled, "cancelled", "there is no such job, or it has arrived")
    }

    private static func change(
        _ command: String, _ jobs: [JobID], _ home: Home, on reactor: Reactor,
        alone: (Ledger) async throws -> [JobID]
    ) async throws -> [JobID] {
        let answer = try await CommandRouter.perform(
            [
                (key: "command", value: .string(command)),
                (key: "jobs", value: .array(jobs.map { .integer($0.number) })),
            ], in: home, on: reactor
        ) { ledger in
            ["jobs": .array(try await alone(ledger).map { .integer($0.number) })]
        }
        return (answer["jobs"]?.array ?? []).compactMap { $0.integer.map { JobID($0) } }
    }

    private static func report(_ wanted: [JobID], _ done: [JobID], _ word: String, _ otherwise: String)
        -> ExitCode
    {
        printOutput("\(done.count) \(done.count == 1 ? "delivery" : "deliveries") \(word)")
        let others = Set(wanted).subtracting(done).sorted()
        if others.isEmpty { return .success }
        printError(
            "tetherline: not \(word): \(others.map(\.description).joined(separator: ", ")): \(otherwise); "
                + "'tetherline jobs' says how each stands.")
        return .failure
    }

    private static func pause(_ isPaused: Bool, _ home: Home, on reactor: Reactor) async throws -> ExitCode {
        try await set(paused: isPaused, home, on: reactor)
        printOutput(isPaused ? "paused: nothing more is sent until 'tetherline resume'" : "it goes on")
        return .success
    }

    static func set(paused isPaused: Bool, _ home: Home, on reactor: Reactor) async throws {
        _ = try await CommandRouter.perform(
            [(key: "command", value: .string(isPaused ? "pause" : "resume"))], in: home, on: reactor
        ) { ledger in
            try await ledger.pause(isPaused)
            return ["paused": .bool(isPaused)]
        }
    }
}
