import Arguments
import Bridge
import Camera
import Digest
import Posix
import Store
import Synchronization
import Transfer

/// `tetherline verify`: whether every frame on the cards has arrived.
struct VerifyCommand {
    static let spec: CommandSpec = {
        var spec = CommandSpec("verify", "Holds the cameras' cards against the ledger and the receipts.")
        spec.discussion = [
            "Every frame of the event is delivered, on its way, filtered by a rule, or missing and named; what was shot before "
                + "the event began is counted. While a bridge runs in this "
                + "home it is asked, because a camera has one slot.",
            "Exit code: 0 every frame is delivered or filtered, 1 some are missing, 69 a camera cannot be reached, "
                + "76 a camera's card cannot be listed in its present mode, 75 some are still on their way.",
        ]
        spec.options =
            [
                OptionSpec("event", "EVENT", "Which event, by id or name. [the newest]"),
                OptionSpec(
                    "camera", "HOST[:PORT]", mayRepeat: true,
                    "Look at the camera here. [where the event's cameras were last]"),
                OptionSpec("manifest", "FILE", "Write all of it as signed JSON."),
                OptionSpec("check", "FILE", "Check a manifest's signature instead; needs nothing else."),
                .flag("json", "Print JSON, one value a line."),
            ] + ConnectionOptions.clientSpecs
        spec.exclusive = [["check", "manifest"], ["check", "event"], ["check", "camera"]]
        spec.examples = [
            "tetherline verify --event Wedding --manifest wedding.json",
            "tetherline verify --check wedding.json",
        ]
        return spec
    }()

    private let home: Home
    private let event: String?
    private let cameras: [HostPort]
    private let manifest: String?
    private let check: String?
    private let isJSON: Bool
    private let invocation: Invocation

    /// Listing a full card takes minutes.
    private static let patience = Duration.seconds(600)

    init(_ invocation: Invocation) throws {
        self.invocation = invocation
        home = Home(invocation.value("home"))
        event = invocation.value("event")
        cameras = try invocation.all("camera").map { try HostPort($0, defaultPort: TCPLinks.usualPort) }
        manifest = invocation.value("manifest")
        check = invocation.value("check")
        isJSON = invocation.has("json")
    }

    func run(on reactor: Reactor) async throws -> ExitCode {
        if let check { return try checkManifest(check) }
        let result: VerificationResult
        if let answer = try await askBridge(on: reactor) {
            result = answer
        } else {
            result = try await look(on: reactor)
        }
        if let manifest { try write(result, to: manifest) }
        show(result)
        return result.exitCode
    }

    private func checkManifest(_ path: String) throws -> ExitCode {
        let checked = try Manifest.check(path: path)
        let frames = checked.body["frames"]?.array ?? []
        let counts = Self.counts(frames)
        printOutput(
            "\(path): signed by \(checked.publicKey), unchanged since \(checked.body["made"]?.string ?? "?")")
        printOutput("\(Visible(checked.body["name"]?.string ?? "?")): \(counts)")
        return .success
    }

    /// What was shot before the event began is counted, and is none of its frames.
    private static func counts(_ frames: [JSONValue]) -> String {
        func count(_ word: String) -> Int { frames.count { $0["verdict"]?.string == word } }
        let words = ["delivered", "onItsWay", "filtered", "missing"].map { "\(count($0)) \($0)" }
        let older = count("older")
        return "\(frames.count - older) frames: \(words.joined(separator: ", "))"
            + (older > 0 ? "; \(older) older than the event" : "")
    }

    // MARK: Looking

    /// Nothing when no bridge runs here.
    private func askBridge(on reactor: Reactor) async throws -> VerificationResult? {
        let collected = Collected()
        let request = JSONValue.object(
            [(key: "command", value: .string("verify"))]
                + (event.map { [(key: "event", value: .string($0))] } ?? []))
        do {
            try await ControlClient.ask(
                path: home.controlSocket, request.compact, on: reactor, timeout: Self.patience
            ) { line in try collected.add(line) }
        } catch is ControlClient.NobodyListens {
            return nil
        }
        let result = collected.result
        guard result.event != nil else {
            throw NothingThere(description: "the bridge ended before it had answered; ask again.")
        }
        return result
    }

    private func look(on reactor: Reactor) async throws -> VerificationResult {
        // A bridge that starts meanwhile would fight over the camera's slot.
        let lock = try home.lock()
        defer { withExtendedLifetime(lock) {} }
        let reader = try home.reader()
        let event = try self.event.map { try reader.requireEvent($0) } ?? reader.events().last
        guard let event else { throw NothingThere(description: "there is no event in this home yet.") }
        let client = try ConnectionOptions.Client(invocation, Settings.read(from: home))
        var hosts = cameras
        if hosts.isEmpty {
            hosts = try reader.cameras(of: event.id).map {
                try HostPort($0.address, defaultPort: TCPLinks.usualPort)
            }
        }
        // Bodies that are their own access point have one address in common; only one of them answers.
        var seen: Set<String> = []
        hosts.removeAll { !seen.insert("\($0)").inserted }
        let known = try Verification.known(to: reader, event)
        var surveys: [CardSurvey] = []
        for host in hosts { surveys.append(try await survey(host, client, reader, reactor)) }
        let verification = try Verification.compare(surveys, with: reader, event: event, known: known)
        var result = VerificationResult()
        for line in VerificationText.lines(verification, event) { try result.add(line) }
        return result
    }

    private func survey(
        _ host: HostPort, _ client: ConnectionOptions.Client, _ reader: LedgerReader, _ reactor: Reactor
    ) async throws -> CardSurvey {
        do {
            return try await client.connector(to: host, on: reactor).looking(
                knowing: try reader.body(at: "\(host)"), onStep: { _ in },
                { camera, wish in try await CardSurvey.of(camera, wish) })
        } catch let failure as CameraFailure {
            if failure.trouble == .cancelled { throw failure }
            return .notReachable(address: "\(host)", "\(failure)")
        }
    }

    // MARK: Showing

    private func write(_ result: VerificationResult, to path: String) throws {
        let text = Manifest.text(result, key: try home.signingKey(), at: Calendar().wallNow)
        let parts = path.split(separator: "/", omittingEmptySubsequences: false)
        guard let name = parts.last, !name.isEmpty else {
            throw UsageError("--manifest names a file, not '\(path)'.")
        }
        let folder = parts.count == 1 ? "." : parts.dropLast().joined(separator: "/") + "/"
        try writeAtomically(Array(text.utf8), to: String(name), in: Directory(path: folder), mode: 0o666)
    }

    private func line(_ verdict: String, _ frame: JSONValue, _ why: String?) -> String {
        let what = "\(frame["camera"]?.string ?? "-")  \(frame["path"]?.string ?? "")"
        return Visible("\(verdict)  \(what)  \(why ?? "")").description
    }

    private func show(_ result: VerificationResult) {
        if isJSON {
            for line in result.frames + result.notVerifiable + result.notReachable {
                printOutput(line.compact)
            }
            if result.count("older") > 0 { printOutput(VerificationText.sum(result).compact) }
        } else {
            let told = result.frames.filter { !["delivered", "older"].contains($0["verdict"]?.string) }
            for frame in told {
                printOutput(line(frame["verdict"]?.string ?? "", frame, frame["reason"]?.string))
            }
            for frame in result.doubtful {
                printOutput(line("doubtful", frame, VerificationText.sentence(frame["doubts"])))
            }
        }
        for line in result.notVerifiable {
            printError(
                "tetherline: \(Visible("\(line["notVerifiable"]?.string ?? "") is not verifiable: \(line["reason"]?.string ?? "")"))"
            )
        }
        for line in result.notReachable {
            printError(
                "tetherline: \(Visible("\(line["notReachable"]?.string ?? "") cannot be looked at: \(line["reason"]?.string ?? "")"))"
            )
        }
        if !isJSON {
            printOutput(
                "\(Visible(result.event?["name"]?.string ?? "")): \(Self.counts(result.frames))"
            )
        }
        if let manifest {
            do {
                printError(
                    "\(manifest): signed with the public key \(Hexadecimal.text(try home.signingKey().publicKey))"
                )
            } catch {
                printError("tetherline: \(error)")
            }
        }
    }
}

/// Lines as they come, from the reactor's thread.
private final class Collected: Sendable {
    private let state = Mutex(VerificationResult())

    var result: VerificationResult { state.withLock { $0 } }

    func add(_ line: String) throws {
        var limits = JSON5.Limits()
        limits.bytes = 16 << 20
        let value = try JSON5.parse(line, limits: limits)
        try state.withLock { try $0.add(value) }
    }
}
