import Arguments
import Basics
import Bridge
import Camera
import Digest
import Posix
import Store
import Transfer

/// `tetherline verify`: whether every frame on the cards has arrived.
struct VerifyCommand {
    static let spec: CommandSpec = {
        var spec = CommandSpec("verify", "Holds the cameras' cards against the ledger and the receipts.")
        spec.discussion = [
            "Every frame of the event is delivered, on its way, filtered by a rule, or missing and named; what was shot before "
                + "the event began is counted. Looked at are the cameras that were met for the event and those that its last run "
                + "was given, whether they were ever there or not. While a bridge runs in this home it is asked, because a "
                + "camera has one slot.",
            "With --read-back each destination is asked for the photos that it has acknowledged, and nothing is sent. What is gone or "
                + "altered there is missing; what a gallery's host has hidden or deleted is withdrawn by the host, and not missing.",
            "Exit code: 0 every frame is delivered, filtered or withdrawn, 1 some are missing, 69 a camera or a destination cannot be "
                + "reached or no camera is known, 76 a camera's card cannot be listed in its present mode, 75 some are still on their "
                + "way.",
        ]
        spec.options =
            [
                OptionSpec(
                    "event", "EVENT",
                    "Which event, by id or name. [the one that is open, or the latest]"),
                OptionSpec(
                    "camera", "HOST[:PORT]", mayRepeat: true,
                    "Look at the camera here. [where the event's cameras were, or should have been]"),
                OptionSpec("manifest", "FILE", "Write all of it as signed JSON."),
                OptionSpec("check", "FILE", "Check a manifest's signature instead; needs nothing else."),
                OptionSpec(
                    "key", "KEY",
                    "With --check: it has to be signed with this public key, as 'verify --manifest' says it. Without, any "
                        + "signer is shown and believed."),
                .flag("json", "Print JSON, one value a line."),
            ] + ReadBackRequest.specs + ConnectionOptions.clientSpecs
        spec.exclusive = [
            ["check", "manifest"], ["check", "event"], ["check", "camera"], ["check", "read-back"],
        ]
        spec.examples = [
            "tetherline verify --event Wedding --manifest wedding.json",
            "tetherline verify --read-back --sample 200",
            "tetherline verify --check wedding.json --key 9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08",
        ]
        return spec
    }()

    private let home: Home
    private let event: String?
    private let cameras: [HostPort]
    private let manifest: String?
    private let check: String?
    /// Who has to have signed what is checked.
    private let signer: String?
    private let isJSON: Bool
    private let readBack: ReadBackRequest?
    private let invocation: Invocation

    /// Listing a full card takes minutes.
    private static let timeout = Duration.seconds(600)

    init(_ invocation: Invocation) throws {
        self.invocation = invocation
        home = Home(invocation.value("home"))
        event = invocation.value("event")
        cameras = try invocation.all("camera").map { try HostPort($0, defaultPort: TCPLinks.usualPort) }
        manifest = invocation.value("manifest")
        check = invocation.value("check")
        signer = try Self.signer(invocation)
        isJSON = invocation.has("json")
        readBack = try ReadBackRequest(invocation)
    }

    func run(on reactor: Reactor) async throws -> ExitCode {
        if let check { return try checkManifest(check) }
        let report = VerificationReport(
            isJSON: isJSON, keepsFrames: manifest != nil, readBack: try await readBack?.ask(on: reactor))
        if try await !askBridge(report, on: reactor) { try await look(report, on: reactor) }
        if let manifest { try write(report.sum, to: manifest) }
        report.end()
        if let manifest {
            printError(
                "\(manifest): signed with the public key \(Hexadecimal.text(try home.signingKey().publicKey))"
            )
        }
        return report.sum.exitCode
    }

    private static func signer(_ invocation: Invocation) throws(UsageError) -> String? {
        guard let text = invocation.value("key") else { return nil }
        guard invocation.value("check") != nil else { throw UsageError("--key is about --check FILE.") }
        let key = text.lowercased().filter { !$0.isWhitespace }
        guard Hexadecimal.bytes(key)?.count == 32 else {
            throw UsageError(
                "--key is a public key of 64 hexadecimal digits, as 'tetherline verify --manifest' says it.")
        }
        return key
    }

    private func checkManifest(_ path: String) throws -> ExitCode {
        let checked = try Manifest.check(path: path)
        if let signer, checked.publicKey.lowercased() != signer {
            throw Manifest.Untrue(
                description:
                    "\(path) is signed by \(checked.publicKey), and not by \(signer): it is whole, and it is another's."
            )
        }
        let frames = checked.body["frames"]?.array ?? []
        let counts = VerificationReport.counts { word in frames.count { $0["verdict"]?.string == word } }
        printOutput(
            "\(path): signed by \(checked.publicKey), unchanged since \(checked.body["made"]?.string ?? "?")")
        printOutput("\(Visible(checked.body["name"]?.string ?? "?")): \(counts)")
        return .success
    }

    // MARK: Looking

    /// False when no bridge runs here.
    private func askBridge(_ report: VerificationReport, on reactor: Reactor) async throws -> Bool {
        let request: [(key: String, value: JSONValue)] =
            [(key: "command", value: .string("verify"))]
            + (event.map { [(key: "event", value: .string($0))] } ?? [])
        return try await BridgeAnswer.ask(request, in: home, on: reactor, timeout: Self.timeout) {
            report.add($0)
        }
    }

    private func look(_ report: VerificationReport, on reactor: Reactor) async throws {
        // A bridge that starts meanwhile would fight over the camera's slot.
        let lock = try home.lock()
        defer { withExtendedLifetime(lock) {} }
        let reader = try home.reader()
        let event = try reader.requireChosenEvent(self.event)
        let client = try ConnectionOptions.Client(invocation, in: home)
        var verification = try Verification(of: event, in: reader)
        for host in try hosts(of: event, in: reader) {
            try verification.look(at: try await survey(host, client, reader, reactor))
            try await verification.tell { report.add($0) }
        }
        try await verification.tellRest(of: event) { report.add($0) }
    }

    /// Where to look: what the operator says, else where the event's cameras were last, and where the last run was told to
    /// look for one, whether it was ever there or not.
    private func hosts(of event: BridgeEvent, in reader: LedgerReader) throws -> [HostPort] {
        guard cameras.isEmpty else { return cameras }
        let places = try reader.cameras(of: event.id).map(\.address) + reader.cameraPlaces(of: event.id)
        // Bodies that are their own access point have one address in common; only one of them answers.
        var seen: Set<String> = []
        return try places.filter { seen.insert($0).inserted }.map {
            try HostPort($0, defaultPort: TCPLinks.usualPort)
        }
    }

    private func survey(
        _ host: HostPort, _ client: ConnectionOptions.Client, _ reader: LedgerReader, _ reactor: Reactor
    ) async throws -> CardSurvey {
        do {
            return try await client.connector(to: host, on: reactor).looking(
                knowing: try reader.body(at: "\(host)"), recalling: home.memory(of: host), onStep: { _ in },
                { camera, wish in try await CardSurvey.of(camera, wish) })
        } catch let failure as CameraFailure {
            if failure.trouble == .cancelled { throw failure }
            return .notReachable(address: "\(host)", "\(failure)")
        }
    }

    // MARK: The manifest

    private func write(_ sum: VerificationReport.Sum, to path: String) throws {
        let text = Manifest.text(sum, key: try home.signingKey(), at: SystemWallTime().wallNow)
        let parts = path.split(separator: "/", omittingEmptySubsequences: false)
        guard let name = parts.last, !name.isEmpty else {
            throw UsageError("--manifest names a file, not '\(path)'.")
        }
        let folder = parts.count == 1 ? "." : parts.dropLast().joined(separator: "/") + "/"
        try writeAtomically(text, to: String(name), in: Directory(path: folder), mode: 0o666)
    }
}
