import Arguments
import Basics
import Bridge
import Console
import Posix
import Store
import Transfer

/// Ends `run --once`: when everything is delivered and nothing new comes, or when nothing has moved for too long.
struct OnceWatch {
    struct Watched: Sendable {
        let cameras: TetheredCameras
        let ledger: Ledger
        let event: BridgeEvent
        let board: StatusBoard
        let time: any TimeSource
        let deliveries: Deliveries
        /// Cameras are looked for: that none is here yet is no end.
        let isSearching: Bool
        let idle: Duration
        let retry: Duration
    }

    private let watched: Watched
    private static let interval = Duration.milliseconds(100)
    /// How long cameras take to be found that are there.
    private static let searchTime = Duration.seconds(5)
    /// Rung when everything that was open may be done: the operator waits for the end of this.
    private let signal = Signal()

    init(_ watched: Watched) {
        self.watched = watched
    }

    func end() async throws -> ExitCode {
        var lastMark: [UInt64] = []
        var movedAt = watched.time.now
        let earliest = watched.isSearching ? movedAt + Self.searchTime : movedAt
        while true {
            let now = watched.time.now
            let progress = await watched.board.progress
            var mark = watched.deliveries.moved + [UInt64(progress)]
            for camera in watched.cameras.all { mark.append(await camera.progress) }
            if mark != lastMark {
                lastMark = mark
                movedAt = now
            }
            let counts = try await watched.ledger.counts(of: watched.event)
            if let since = await idleSince(), counts.deliveriesUnderWay == 0 {
                if now - max(since, movedAt, earliest) >= watched.idle {
                    for camera in watched.cameras.all { await camera.finishDeleting() }
                    return await isWell(counts) ? .success : .failure
                }
            } else if now - movedAt >= watched.retry {
                return await giveUp(counts)
            }
            if counts.underWay > 0 {
                await watched.board.ring(signal, atProgress: progress + counts.underWay)
            }
            await signal.wait(until: now + Self.interval, of: watched.time)
            try Task.checkCancellation()
        }
    }

    /// Since when every camera has had nothing to do; nothing while one has, or is not connected.
    private func idleSince() async -> Duration? {
        var latest = Duration.zero
        let cameras = watched.cameras.all
        if cameras.isEmpty, watched.isSearching { return nil }
        for camera in cameras {
            guard let since = await camera.idleSince else { return nil }
            latest = max(latest, since)
        }
        return latest
    }

    private func isWell(_ counts: LedgerReader.Counts) async -> Bool {
        await watched.board.troubles == 0 && counts.jobs[.failedPermanent, default: 0] == 0
    }

    /// Switched off, or out of range, when there was nothing left to fetch: there is no need to wait for it.
    private func isAllHereWithoutThem() async -> Bool {
        for camera in watched.cameras.all where await camera.idleSince == nil {
            guard await camera.leftNothing else { return false }
        }
        return true
    }

    private func giveUp(_ counts: LedgerReader.Counts) async -> ExitCode {
        if watched.cameras.all.isEmpty, watched.isSearching {
            printError(
                "tetherline: no camera of this home has announced itself; 'tetherline camera discover' shows which are there, and "
                    + "'tetherline camera known' which are the home's.")
            return .unavailable
        }
        if counts.underWay == 0, await isWell(counts), await isAllHereWithoutThem() {
            for camera in watched.cameras.all where await camera.lostSince != nil {
                printError("tetherline: \(camera.place) is away; everything that it had shown is delivered")
            }
            return .success
        }
        var isCameraMissing = false
        for camera in watched.cameras.all where await camera.lostSince != nil {
            isCameraMissing = true
            let reason = await camera.lastLoss?.reason ?? "it has not answered yet."
            printError("tetherline: \(camera.place) has been away for too long: \(Visible(reason))")
        }
        for camera in watched.cameras.all {
            for reference in await camera.notDescribedYet {
                let event = TransferEvent.givenUp(
                    nil, path: "object \(reference)", "the camera did not describe it in time")
                watched.board.tell(.camera(CameraNews(place: camera.place, camera: nil, event)))
            }
        }
        printError(
            "tetherline: nothing has moved for \(Human.clock(watched.retry)); \(counts.underWay) photos and deliveries "
                + "are still open. Run the same command again to go on.")
        return isCameraMissing ? .unavailable : .tryAgain
    }
}

extension LedgerReader.Counts {
    fileprivate var deliveriesUnderWay: Int {
        jobs.filter { $0.key != .completed && $0.key != .failedPermanent }.values.reduce(0, +)
    }
}
