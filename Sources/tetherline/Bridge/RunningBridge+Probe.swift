import Basics
import Bridge
import Console
import Posix
import Upload

/// Destinations are looked at when a run begins: a missing key, folder or host key is told then, and not when the first
/// photo waits for it. Nothing is sent.
extension RunningBridge {
    private static let pause = Duration.seconds(30)
    private static let untilWay = Duration.seconds(5)

    /// Until each has been found well, or the run ends.
    func probeDestinations(of time: any TimeSource) async {
        await withDiscardingTaskGroup { group in
            for destination in deliveries.destinations {
                guard let place = destination as? any TestableDestination else { continue }
                group.addTask { await probe(place, of: time) }
            }
        }
    }

    private func probe(_ place: any TestableDestination, of time: any TimeSource) async {
        var said: String?
        while !Task.isCancelled {
            guard let outcome = await place.probe(), let (cause, reason) = outcome.obstacle else {
                // What photos have met meanwhile is another matter.
                if let said, await board.hold(at: place.url)?.reason == said {
                    board.tell(.upload(.released(url: place.url)))
                }
                return
            }
            if cause == nil, isWayClosed(to: place) {
                // The network is why, and that is told by itself.
                if await !slept(Self.untilWay, of: time) { return }
                continue
            }
            let known = await board.hold(at: place.url)
            // A photo that has got there since knows better.
            if known == nil, said == nil || said != reason, !Task.isCancelled {
                board.tell(.upload(.held(url: place.url, cause, reason)))
                said = reason
            }
            if await !slept(Self.pause, of: time) { return }
        }
    }

    /// No network leads there, or it may not be used, or that is not known yet.
    private func isWayClosed(to place: any TestableDestination) -> Bool {
        guard case .network = place.reach else { return false }
        return uplink.way(to: place.id).map { $0.ceiling.slots == 0 || !$0.path.isUp } ?? true
    }

    /// False at the end of the run.
    private func slept(_ span: Duration, of time: any TimeSource) async -> Bool {
        do {
            try await time.sleep(until: time.now + span)
            return true
        } catch {
            return false
        }
    }
}

extension DeliveryOutcome {
    /// What would keep every photo from arriving; nothing where it was the operator who ended it.
    fileprivate var obstacle: (HoldCause?, String)? {
        switch self {
        case .held(let cause, let reason): (cause, reason)
        case .notThere(let reason), .cut(let reason), .destinationFailed(let reason, _),
            .retryable(let reason, _), .permanent(let reason), .placeRefused(let reason):
            (nil, reason)
        case .eventExpired(let reason): (.eventExpired, reason)
        case .delivered, .presigned, .sent, .intentForgotten, .goesOn, .cancelled: nil
        }
    }
}
