import Arguments
import Basics
import Posix
import Store

/// What one check has found out, and what helps where something is wrong.
struct Finding: Equatable, Sendable {
    enum Outcome: String, Equatable, Sendable, CaseIterable {
        case ok
        /// It cannot be known from here, and nothing speaks against it.
        case notChecked
        /// Photos flow, and may not do so for long.
        case warning
        /// Photos do not flow before this is mended.
        case failed
    }

    /// Which check it is from.
    var name = ""
    let outcome: Outcome
    let sentence: String
    var cure: String?
    /// How a program ends whose worst finding this is.
    var code = ExitCode.success

    static func ok(_ sentence: String) -> Finding { Finding(outcome: .ok, sentence: sentence) }

    static func notChecked(_ sentence: String, cure: String? = nil) -> Finding {
        Finding(outcome: .notChecked, sentence: sentence, cure: cure)
    }

    static func warning(_ sentence: String, cure: String) -> Finding {
        Finding(outcome: .warning, sentence: sentence, cure: cure, code: .failure)
    }

    static func failed(_ sentence: String, cure: String, _ code: ExitCode) -> Finding {
        Finding(outcome: .failed, sentence: sentence, cure: cure, code: code)
    }

    var json: JSONValue {
        [
            "check": .string(name), "outcome": .string(outcome.rawValue), "sentence": .string(sentence),
            "cure": .optional(cure, JSONValue.string),
        ]
    }

    /// Of a failure the first one's own code; of warnings 1.
    static func exitCode(of findings: [Finding]) -> ExitCode {
        let worst = findings.first { $0.outcome == .failed } ?? findings.first { $0.outcome == .warning }
        return worst?.code ?? .success
    }
}

/// Something that has to be right before photos flow.
protocol HealthCheck: Sendable {
    /// One word, for people and programs.
    var name: String { get }
    /// After this it is said that no answer came, whatever the check still waits for.
    var limit: Duration { get }
    /// Leaves the home as it was. What it throws is a finding as well.
    func findings(of subject: CheckedHome) async throws -> [Finding]
}

extension HealthCheck {
    var limit: Duration { .seconds(10) }
}

/// What is looked at.
struct CheckedHome: Sendable {
    let home: Home
    let reactor: Reactor
    /// Cameras that the operator names on the command line.
    var cameras: [HostPort] = []
    /// The process that held the home when all this began; nothing where none did.
    var holder: FileLock.Failure?
    /// What a look would make or write there, its owner could not change afterwards.
    let isAnothers: Bool

    init(_ home: Home, cameras: [HostPort], on reactor: Reactor) throws {
        self.home = home
        self.cameras = cameras
        self.reactor = reactor
        isAnothers = try Self.owner(of: home).map { $0 != Program.user } ?? false
        guard !isAnothers, try reader() != nil else { return }
        do throws(FileLock.Failure) {
            // Only for the moment of asking.
            withExtendedLifetime(try FileLock(path: home.lockFile)) {}
        } catch {
            holder = error
        }
    }

    private static func owner(of home: Home) throws(SystemError) -> UInt32? {
        do throws(SystemError) {
            return try Directory(path: home.path).facts().owner
        } catch {
            guard error.kind == .missing else { throw error }
            return nil
        }
    }

    /// Nothing where no bridge has run in this home.
    func reader() throws -> LedgerReader? {
        do {
            return try home.reader()
        } catch is NothingThere {
            return nil
        }
    }
}

extension HealthCheck {
    /// Its findings under its name, after its limit at the latest. What hangs in the kernel holds only its own thread, which
    /// ends with the program.
    func result(of subject: CheckedHome) async throws -> [Finding] {
        let reactor = subject.reactor
        let thread = ThreadExecutor(name: name)
        defer { thread.shutDown() }
        let answers = Mailbox<[Finding]>()
        let isDone = Signal()
        let task = Task(executorPreference: thread) {
            answers.post(await guarded(subject))
            isDone.fire()
        }
        await isDone.wait(until: reactor.now + limit, of: reactor)
        task.cancel()
        try Task.checkCancellation()
        let findings =
            answers.takeAll().first ?? [
                .failed(
                    "it was not found out within \(Human.span(limit)).",
                    cure: "Something hangs there: look at that disk, server or network itself.", .unavailable)
            ]
        return findings.map { finding in
            var finding = finding
            finding.name = name
            return finding
        }
    }

    private func guarded(_ subject: CheckedHome) async -> [Finding] {
        do {
            return try await findings(of: subject)
        } catch is Settings.Unusable {
            return [.notChecked("it was not looked at, because the settings cannot be used.")]
        } catch {
            let code = (error as? SystemError)?.exitCode ?? .failure
            return [.failed("it cannot be looked at: \(error)", cure: "Mend that, and run it again.", code)]
        }
    }
}
