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

        /// Which folder of a server is meant, where its address leaves that open.
        var folder: String? {
            if case .direct(let address, _) = self { address.folder } else { nil }
        }

        /// Its address, with that.
        var name: String { url + (folder.map { " (\($0))" } ?? "") }
    }

    let home: Home
    let isJSON: Bool

    /// What an operator is told of a place that works.
    static func success(at place: Subject) -> String {
        switch place {
        case .gallery: "you are logged in, and the event is there"
        case .direct:
            "a small file was written" + (place.folder.map { " into \($0)" } ?? "")
                + ", read back and removed"
        }
    }

    /// Of one that is tried there is nothing to remember.
    private struct NoNotes: JobNotes {
        func note(_ text: String?, of job: JobID) async throws {}
    }

    /// What came of each, in their order; all are tried at once.
    func outcomes(of places: [Subject], on reactor: Reactor) async throws -> [(Subject, DeliveryOutcome)] {
        let threads = Threads()
        defer { threads.shutDown() }
        let uplink = try Uplink(try Settings.read(from: home), on: reactor)
        let tries = places.map { place in
            Task(executorPreference: reactor) {
                await outcome(of: place, uplink, threads, mayRefresh: false, on: reactor)
            }
        }
        let outcomes = await withTaskCancellationHandler {
            var outcomes: [(Subject, DeliveryOutcome)] = []
            for (place, task) in zip(places, tries) { outcomes.append((place, await task.value)) }
            return outcomes
        } onCancel: {
            for task in tries { task.cancel() }
        }
        await uplink.shutDown()
        return outcomes
    }

    func run(_ places: [Subject], on reactor: Reactor) async throws -> ExitCode {
        let threads = Threads()
        defer { threads.shutDown() }
        _ = try home.make()
        let lock = try home.lockWhereFree()
        defer { withExtendedLifetime(lock) {} }
        let uplink = try Uplink(try Settings.read(from: home), on: reactor)
        var code = ExitCode.success
        for place in places {
            let begun = reactor.now
            let outcome = await outcome(of: place, uplink, threads, mayRefresh: lock != nil, on: reactor)
            show(place, outcome, took: reactor.now - begun)
            if code == .success { code = Self.exitCode(of: outcome) }
        }
        await uplink.shutDown()
        return code
    }

    private func outcome(
        of place: Subject, _ uplink: Uplink, _ threads: Threads, mayRefresh: Bool, on reactor: Reactor
    ) async -> DeliveryOutcome {
        do {
            switch place {
            case .direct(_, let url):
                return try await test(
                    DestinationAddress(DestinationAddress.withoutTemplate(url)), uplink, threads, on: reactor)
            case .gallery(let place):
                return try await test(place, uplink, threads, mayRefresh: mayRefresh, on: reactor)
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
            spool: home.path, uplink: uplink, notes: NoNotes(), time: reactor, threads: threads,
            disks: try disks(for: address)
        ).make(DestinationID(1), address, Tally())
        let outcome = await destination.test(Self.job(name, bytes))
        try folder.remove(name)
        return outcome
    }

    /// Where a run has seen a disk mounted.
    private func disks(for address: DestinationAddress) throws -> Set<String> {
        guard case .folder(let folder, _) = address else { return [] }
        do {
            let wasMounted = try home.reader().recall(DestinationChange.diskKey(folder.path)) != nil
            return wasMounted ? [folder.path] : []
        } catch is NothingThere {
            return []
        }
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
        _ place: GalleryPlace, _ uplink: Uplink, _ threads: Threads, mayRefresh: Bool, on reactor: Reactor
    ) async throws -> DeliveryOutcome {
        let account = GalleryAccount(
            api: GalleryAPI(place.address, http: uplink.client, wall: SystemWallTime()),
            file: CredentialsFile(folder: home.path), time: reactor, executor: threads.make("account"),
            mayRefresh: mayRefresh)
        if let problem = try await Self.problem(of: place, account) { return .held(.settings, problem) }
        return .delivered(Receipt(.photo(""), size: 0, sha256: ""))
    }

    /// What is wrong with a gallery's event; nothing where it takes photos.
    static func problem(of place: GalleryPlace, _ account: GalleryAccount) async throws(GalleryError)
        -> String?
    {
        let events = try await account.perform { token throws(GalleryError) in
            try await account.api.events(token)
        }
        if events.contains(where: { $0.id == place.event }) { return nil }
        return
            "\(place.address) has no event \(place.event) for this account; 'tetherline events list' names those that it has"
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
                    (key: "folder", value: .optional(place.folder, JSONValue.string)),
                ]).compact)
        } else if let problem {
            printError("tetherline: \(Visible("\(place.name): \(problem)"))")
        } else {
            let how = Visible(Self.success(at: place))
            printOutput("\(Visible(place.url)) works: \(how), in \(span.wholeMilliseconds) ms")
        }
    }

    /// With what helps, where the problem itself does not say it. `isNamed`: the event has the place already, so that a
    /// command corrects it; otherwise it is only typed anew.
    static func problem(_ outcome: DeliveryOutcome, isNamed: Bool = true) -> String? {
        let command = "'tetherline destination replace'"
        return switch outcome {
        case .delivered: nil
        case .notThere(let text), .cut(let text):
            "\(Self.withoutStop(text)). Look at the address for a typing error, and whether this machine has a network that leads there"
                + (isNamed ? "; \(command) corrects an address." : ".")
        case .destinationFailed(let text, _):
            "\(Self.withoutStop(text)). Mend that there, or "
                + (isNamed ? "correct the address with \(command)." : "type another address.")
        case .held(_, let text), .retryable(let text, _), .permanent(let text): text
        case .cancelled: "it was interrupted"
        case .presigned, .sent, .placeRefused, .intentForgotten, .goesOn, .eventExpired:
            "it answers as nothing does that takes files"
        }
    }

    /// What some say as a sentence goes on here.
    private static func withoutStop(_ text: String) -> Substring {
        text.hasSuffix(".") ? text.dropLast() : text[...]
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
