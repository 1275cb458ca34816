import Basics
import CCurl
import Posix

/// What the transfers of one path share.
final class PathShare {
    var bucket: TokenBucket?
}

/// Holds transfers back that are faster than they may be, and lets them go on in the order in which they were held.
/// Used by one thread.
final class Throttle {
    /// So often a transfer is woken at most: less at a time is smoother and costs more.
    private static let piecesPerSecond: UInt64 = 20
    private static let largestPiece: UInt64 = 256 << 10

    private var shares: [String: PathShare] = [:]
    private var held: [Run] = []
    private(set) var nextRelease: Duration?

    func share(of path: String) -> PathShare {
        if let known = shares[path] { return known }
        let share = PathShare()
        shares[path] = share
        return share
    }

    /// Nothing for any rate.
    func setRate(_ bytesPerSecond: UInt64?, of path: String, at now: Duration) {
        let share = share(of: path)
        guard let rate = bytesPerSecond, rate > 0 else {
            share.bucket = nil
            nextRelease = now
            return
        }
        if share.bucket == nil { share.bucket = TokenBucket(bytesPerSecond: rate, at: now) }
        share.bucket?.setRate(rate, at: now)
        nextRelease = now
    }

    /// How many of so many bytes it may read now; with none it is held.
    func allow(_ count: UInt64, to run: Run) -> UInt64 {
        if run.credit == 0 {
            let isBehindOthers = held.contains { $0.share === run.share && $0.share?.bucket != nil }
            let now = MonotonicClock.now
            if isBehindOthers || !grant(to: run, at: now) {
                run.isPaused = true
                held.append(run)
                nextRelease = min(nextRelease ?? .seconds(Int64.max / 4), moment(for: run))
                return 0
            }
        }
        let allowed = min(count, run.credit)
        run.credit -= allowed
        return allowed
    }

    /// Resumes the transfers that may go on.
    func release(at now: Duration) {
        guard let due = nextRelease, due <= now else { return }
        nextRelease = nil
        var waiting: Set<ObjectIdentifier> = []
        var free: [Run] = []
        held = held.filter { run in
            let share = run.share.map(ObjectIdentifier.init)
            if let share, waiting.contains(share), run.share?.bucket != nil { return true }
            if !run.isLimited || grant(to: run, at: now) {
                free.append(run)
                return false
            }
            if let share { waiting.insert(share) }
            let moment = moment(for: run)
            nextRelease = min(nextRelease ?? moment, moment)
            return true
        }
        for run in free {
            run.isPaused = false
            curl_easy_pause(run.easy.pointer, CURLPAUSE_CONT)
        }
    }

    func forget(_ run: Run) {
        guard run.isPaused else { return }
        held.removeAll { $0 === run }
        // Others may have waited behind it.
        nextRelease = held.isEmpty ? nil : .zero
    }

    /// Takes the next piece out of every bucket, or out of none.
    private func grant(to run: Run, at now: Duration) -> Bool {
        let piece = piece(for: run)
        let ofPath = run.share?.bucket?.available(at: now) ?? piece
        let ofItself = run.ownBucket?.available(at: now) ?? piece
        guard min(ofPath, ofItself) >= piece else { return false }
        run.share?.bucket?.take(piece)
        run.ownBucket?.take(piece)
        run.credit = piece
        return true
    }

    private func piece(for run: Run) -> UInt64 {
        [run.share?.bucket, run.ownBucket].compactMap { $0 }.reduce(run.source.remaining) { least, bucket in
            let piece = min(Self.largestPiece, bucket.bytesPerSecond / Self.piecesPerSecond)
            return min(least, max(TokenBucket.smallestBurst, piece))
        }
    }

    private func moment(for run: Run) -> Duration {
        let piece = piece(for: run)
        let moments = [run.share?.bucket, run.ownBucket].compactMap { $0?.moment(of: piece) }
        return moments.max() ?? .zero
    }
}
