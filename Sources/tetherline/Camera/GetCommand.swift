import Arguments
import Bridge
import Camera
import PTP
import Posix

/// `camera get`: fetches files, and goes on with them after whatever went wrong.
struct GetCommand {
    private let options: ConnectionOptions
    private let handles: [ObjectHandle]
    private let destination: String
    private let retryLimit: Duration
    private let largest: UInt64
    private let fetchOptions: Downloads.Options
    private let showsStats: Bool

    /// The first pause before a lost camera is tried again, doubled each time up to the last.
    private static let pauses: ClosedRange<Duration> = .seconds(1) ... .seconds(10)

    init(_ options: ConnectionOptions, _ invocation: Invocation) throws {
        self.options = options
        let wanted = invocation.positionals.dropFirst()
        if wanted.isEmpty != invocation.has("all") {
            throw UsageError("Say which files: their handles as 'tetherline camera ls' shows them, or --all.")
        }
        var handles: [ObjectHandle] = []
        for text in wanted { handles.append(try CameraCommands.handle(text)) }
        self.handles = handles
        destination = invocation.value("to") ?? "."
        retryLimit = try invocation.duration("retry", in: .zero...(.seconds(86_400))) ?? .seconds(60)
        largest = try invocation.size("limit", in: 1...1 << 50) ?? 64 << 30
        showsStats = invocation.has("stats")
        let part = try invocation.size("part", in: 1...UInt64(UInt32.max) - 1)
        fetchOptions = Downloads.Options(
            part: part.map { UInt32($0) }, hashes: !invocation.has("no-hash"),
            isDurable: !invocation.has("no-sync"))
    }

    func run(on reactor: Reactor) async throws -> ExitCode {
        let report = GetReport(isJSON: options.isJSON, time: reactor)
        let workers = PhotoWorkers.start()
        let files = ThreadExecutor(name: "files")
        defer {
            workers.shutDown()
            files.shutDown()
        }
        let downloads = Downloads(
            to: try Directory.make(path: destination), fetchOptions, wanted: handles, workers: workers,
            shelf: FileShelf(executor: files), report: report)
        do {
            try await fetchWithReconnects(downloads, report, reactor)
        } catch {
            report.end()
            throw error
        }
        report.end()
        if showsStats {
            let (memory, seconds) = ResourceUse.now
            printError("peak memory \(Human.bytes(UInt64(memory))), processor time \(seconds) s")
        }
        return report.failures == 0 ? .success : .failure
    }

    /// Connects, fetches, and, when the camera is lost, connects again until nothing new has come for the limit.
    private func fetchWithReconnects(
        _ downloads: Downloads, _ report: GetReport, _ reactor: Reactor
    ) async throws {
        var giveUpAt: Duration?
        var pause = Self.pauses.lowerBound
        while true {
            let before = (bytes: report.bytes, connections: report.connections)
            do {
                let session = options.session(on: reactor) { $0.largestObject = largest }
                return try await session.run { try await downloads.fetchAll(with: $0) }
            } catch let error as CameraError {
                // The first connection has to work: retrying a wrong address helps nobody. Later on, whoever answers
                // wrongly may only be what is at that address while the camera is out of range.
                guard case .ended(let ending) = error.problem, report.connections > 0,
                    ending.mayPass || (report.connections == before.connections && !ending.isMeant)
                else { throw error }
                if report.bytes > before.bytes || giveUpAt == nil {
                    giveUpAt = reactor.now + retryLimit
                    pause = Self.pauses.lowerBound
                }
                guard let giveUpAt, reactor.now + pause < giveUpAt else { throw error }
                report.say("\(error.problem); trying again in \(Human.clock(pause))")
                try await reactor.sleep(until: reactor.now + pause)
                pause = min(pause * 2, Self.pauses.upperBound)
            }
        }
    }
}

extension Ending {
    /// Somebody decided it, here or on the camera.
    fileprivate var isMeant: Bool {
        switch self {
        case .closed, .cancelled, .refused(.rejectedInitiator, _): true
        default: false
        }
    }

    /// Whether the same camera may be there again in a moment.
    fileprivate var mayPass: Bool {
        switch self {
        case .linkLost, .silent, .stalled, .tooSlow, .unreachable, .nothingListens, .refused(.busy, _): true
        case .closed, .cancelled, .refused, .notConfirmed, .sessionRefused, .foreign, .malformed, .misbehaved:
            false
        }
    }
}
