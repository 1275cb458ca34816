import Arguments
import Basics
import Bridge
import Digest
import HTTPClient
import Posix
import Store
import Upload

/// `destination test`: whether photos would arrive, found out with a small file that is taken away again.
struct DestinationTest {
    /// What is tried.
    enum Subject: Sendable {
        /// As it was written: a password is in it where the operator has said it here.
        case direct(DestinationAddress, written: String)
        case gallery(GalleryPlace)

        init(_ known: KnownDestination, of event: BridgeEvent) throws {
            self =
                switch known.kind {
                case .direct: .direct(try DestinationAddress(known.url), written: known.url)
                case .gallery: .gallery(try GalleryPlace(url: known.url, ledgerEvent: event.id))
                }
        }

        var url: String {
            switch self {
            case .direct(let address, _): address.url
            case .gallery(let place): place.url
            }
        }
    }

    let home: Home
    let isJSON: Bool

    /// Of one that is tried there is nothing to remember.
    private struct NoNotes: JobNotes {
        func note(_ text: String?, of job: JobID) async throws {}
    }

    /// What came of each, in their order.
    func outcomes(of places: [Subject], on reactor: Reactor) async throws -> [(Subject, DeliveryOutcome)] {
        let threads = Threads()
        defer { threads.shutDown() }
        let uplink = try Uplink(try Settings.read(from: home), on: reactor)
        var outcomes: [(Subject, DeliveryOutcome)] = []
        for place in places {
            outcomes.append((place, await outcome(of: place, uplink, threads, on: reactor)))
        }
        await uplink.shutDown()
        return outcomes
    }

    func run(_ places: [Subject], on reactor: Reactor) async throws -> ExitCode {
        let threads = Threads()
        defer { threads.shutDown() }
        _ = try home.make()
        let uplink = try Uplink(try Settings.read(from: home), on: reactor)
        var code = ExitCode.success
        for place in places {
            let begun = reactor.now
            let outcome = await outcome(of: place, uplink, threads, on: reactor)
            show(place, outcome, took: reactor.now - begun)
            if code == .success { code = Self.exitCode(of: outcome) }
        }
        await uplink.shutDown()
        return code
    }

    private func outcome(
        of place: Subject, _ uplink: Uplink, _ threads: Threads, on reactor: Reactor
    ) async -> DeliveryOutcome {
        do {
            switch place {
            case .direct(_, let url):
                return try await test(
                    DestinationAddress(DestinationAddress.withoutTemplate(url)), uplink, threads, on: reactor)
            case .gallery(let place): return try await test(place, uplink, threads, on: reactor)
            }
        } catch {
            return .held(.settings, "\(error)")
        }
    }

    // MARK: Places that take files

    private func test(
        _ address: DestinationAddress, _ uplink: Uplink, _ threads: Threads, on reactor: Reactor
    ) async throws -> DeliveryOutcome {
        var random = Randomness(SystemRandomSource())
        let name = "tetherline-test-\(String(random.next(), radix: 16)).txt"
        let bytes = Array(
            "Tetherline tries whether photos would arrive here. This file may be removed.\n".utf8)
        // Where the spool is: a hard link leads nowhere else.
        let folder = try home.make()
        try writeAtomically(bytes, to: name, in: folder)
        let destination = DirectDestinations(
            spool: home.path, uplink: uplink, notes: NoNotes(), time: reactor, threads: threads
        ).make(DestinationID(1), address, Tally())
        let outcome = await destination.test(Self.job(name, bytes))
        try folder.remove(name)
        return outcome
    }

    private static func job(_ name: String, _ bytes: [UInt8]) -> Job {
        let now = SystemWallTime().wallNow
        return Job(
            id: JobID(1), capture: CaptureID(1), destination: DestinationID(1), kind: .direct,
            state: .uploading, lane: .first, key: Randomness.uuid(from: SystemRandomSource()), attempts: 0,
            due: now,
            photo: StagedPhoto(file: name, size: UInt64(bytes.count), sha256: "\(SHA256.of(bytes))"),
            facts: NameTemplate.Facts(
                event: "", date: "", time: "", camera: "", serial: "", sequence: 1, name: name))
    }

    // MARK: Galleries

    private func test(
        _ place: GalleryPlace, _ uplink: Uplink, _ threads: Threads, on reactor: Reactor
    ) async throws -> DeliveryOutcome {
        // Where a bridge runs it is the one that renews the log-in.
        let account = GalleryAccount(
            api: GalleryAPI(place.address, http: uplink.client, wall: SystemWallTime()),
            file: CredentialsFile(folder: home.path), time: reactor, executor: threads.make("account"),
            mayRefresh: false)
        let events = try await account.perform { token throws(GalleryError) in
            try await account.api.events(token)
        }
        guard events.contains(where: { $0.id == place.event }) else {
            return .held(
                .settings,
                "\(place.address) has no event \(place.event) for this account; 'tetherline events list' names those that it has"
            )
        }
        return .delivered(Receipt(.photo(""), size: 0, sha256: ""))
    }

    // MARK: Showing

    private func show(_ place: Subject, _ outcome: DeliveryOutcome, took span: Duration) {
        let problem = Self.problem(outcome)
        if isJSON {
            printOutput(
                JSONValue.object([
                    (key: "url", value: .string(place.url)), (key: "works", value: .bool(problem == nil)),
                    (key: "problem", value: .optional(problem, JSONValue.string)),
                    (key: "milliseconds", value: .integer(span.wholeMilliseconds)),
                ]).compact)
        } else if let problem {
            printError("tetherline: \(Visible("\(place.url): \(problem)"))")
        } else {
            let how =
                if case .gallery = place {
                    "you are logged in, and the event is there"
                } else {
                    "a small file was written, read back and removed"
                }
            printOutput("\(Visible(place.url)) works: \(how), in \(span.wholeMilliseconds) ms")
        }
    }

    /// With what helps, where the problem itself does not say it.
    static func problem(_ outcome: DeliveryOutcome) -> String? {
        switch outcome {
        case .delivered: nil
        case .notThere(let text), .cut(let text):
            "\(text). Look at the address for a typing error, and whether this machine has a network that leads there; 'tetherline "
                + "destination replace' corrects an address."
        case .destinationFailed(let text, _):
            "\(text). Mend that there, or correct the address with 'tetherline destination replace'."
        case .held(_, let text), .retryable(let text, _), .permanent(let text): text
        case .cancelled: "it was interrupted"
        case .presigned, .sent, .placeRefused, .intentForgotten, .goesOn, .eventExpired:
            "it answers as nothing does that takes files"
        }
    }

    static func exitCode(of outcome: DeliveryOutcome) -> ExitCode {
        switch outcome {
        case .delivered: .success
        case .notThere, .cut, .destinationFailed: .unavailable
        case .held: .configuration
        case .cancelled: .interrupted
        default: .failure
        }
    }
}
