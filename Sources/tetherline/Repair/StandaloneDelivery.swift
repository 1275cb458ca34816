import Arguments
import Basics
import Bridge
import HTTPClient
import Posix
import Store
import Synchronization
import Upload

/// Delivers what was begun again, for a command that works where no bridge runs.
final class StandaloneDelivery: Sendable {
    enum End: Equatable, Sendable {
        /// The bridge that runs delivers them.
        case begun
        case delivered
        /// So many have failed for good.
        case failed(Int)
        /// The destination takes nothing now, and why.
        case waits(String)

        var exitCode: ExitCode {
            switch self {
            case .begun, .delivered: .success
            case .failed: .failure
            case .waits: .tryAgain
            }
        }

        func sentence(_ count: Int, _ url: String) -> String {
            switch self {
            case .begun:
                "\(count) are on their way to \(url) again; 'tetherline status' says how far they are"
            case .delivered: "\(count) delivered to \(url) again"
            case .failed(let failed):
                "\(count - failed) of \(count) delivered to \(url) again; 'tetherline jobs --state failed' says why not all"
            case .waits(let reason): "\(url) takes no photos now: \(reason); the next run goes on"
            }
        }
    }

    private struct State {
        var open: Set<JobID>
        var failed = 0
        var hold: String?
    }

    private let state: Mutex<State>
    private let signal = Signal()

    /// Nothing may move for so long.
    static let timeout = Duration.seconds(60)

    init(_ jobs: [JobID]) {
        state = Mutex(State(open: Set(jobs)))
    }

    @Sendable func note(_ event: UploadEvent) {
        state.withLock { state in
            switch event {
            case .delivered(let job, _, _): state.open.remove(job.id)
            case .failed(let job, _, _, isFinal: true):
                if state.open.remove(job.id) != nil { state.failed += 1 }
            case .held(_, _, let reason): state.hold = reason
            case .released: state.hold = nil
            case .failed, .begun, .slots, .way, .ledgerFailed: break
            }
        }
        signal.fire()
    }

    /// Until all have ended, the destination is held, or nothing has moved for long.
    func end(_ time: any TimeSource, moved: Tally?) async -> End {
        var mark = (open: Int.max, moved: UInt64(0))
        var movedAt = time.now
        while true {
            let state = state.withLock { $0 }
            if state.open.isEmpty { return state.failed == 0 ? .delivered : .failed(state.failed) }
            if let hold = state.hold { return .waits(hold) }
            if Task.isCancelled { return .waits("it was ended") }
            let now = (open: state.open.count, moved: moved?.value ?? 0)
            if now != mark { (mark, movedAt) = (now, time.now) }
            if time.now - movedAt >= Self.timeout { return .waits("nothing has moved for \(Self.timeout)") }
            await signal.wait(until: movedAt + Self.timeout, of: time)
        }
    }
}

extension StandaloneSession {
    func deliver(_ jobs: [JobID], to destination: any Destination) async throws -> StandaloneDelivery.End {
        guard !jobs.isEmpty else { return .delivered }
        guard try await !ledger.isPaused() else {
            return .waits("deliveries are paused; 'tetherline resume' lets them go on")
        }
        let watch = StandaloneDelivery(jobs)
        let executor = uplink.client.executor
        let uploader = Uploader(
            ledger: ledger, destinations: [destination], moved: moved, settings: settings.deliveries,
            executor: executor, time: executor, wall: SystemWallTime(), random: SystemRandomSource(),
            report: { [captions] news in
                captions?.note(news)
                watch.note(news)
            })
        return await withTaskGroup(of: StandaloneDelivery.End?.self) { group in
            group.addTask {
                await uploader.run()
                return nil
            }
            group.addTask { [captions] in
                await captions?.run()
                return nil
            }
            group.addTask { [uplink] in
                await uplink.follow(OneWay(destinations: [destination], uploader: uploader)) { _ in }
                return nil
            }
            let end = await watch.end(executor, moved: moved[destination.id])
            group.cancelAll()
            await group.waitForAll()
            return end
        }
    }
}

private struct OneWay: WayFollower {
    let destinations: [any Destination]
    let uploader: Uploader

    func way(to id: DestinationID, by path: String, ceiling: Int, isUp: Bool) {
        uploader.way(to: id, by: path, ceiling: ceiling, isUp: isUp)
    }
}
