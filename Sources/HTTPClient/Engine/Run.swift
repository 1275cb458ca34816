import Basics
import CCurl
import Posix

/// One transfer while it runs. Only its thread touches it, and libcurl calls it back there.
final class Run {
    let ticket: QueuedOrder
    let easy: EasyHandle
    let pool: ConnectionPool
    var lists: [HeaderList] = []
    /// What the transfers of its path may use together, and what it may use itself.
    let share: PathShare?
    var ownBucket: TokenBucket?
    /// Bytes that the buckets have given and that it has not read yet.
    var credit: UInt64 = 0
    var isPaused = false
    private(set) var source: BodySource
    private(set) var answer: Answer
    private(set) var isConnected = false
    private var diskError: DiskError?
    private var hostKey: HostKeyProblem?
    private var watch: ProgressWatch
    private var wasHeld = false
    private var acknowledged: UInt64 = 0
    private var sent: UInt64 = 0
    private unowned let holder: Throttle

    init(
        _ ticket: QueuedOrder, _ easy: EasyHandle, _ pool: ConnectionPool, _ throttle: Throttle,
        at now: Duration
    ) throws(DiskError) {
        let order = ticket.order
        self.ticket = ticket
        self.easy = easy
        self.pool = pool
        holder = throttle
        share = order.path.map(throttle.share)
        let rate = order.limits.maximumRate
        ownBucket = rate > 0 ? TokenBucket(bytesPerSecond: rate, at: now) : nil
        source = try BodySource(order.body)
        answer = Answer(order.sink)
        watch = ProgressWatch(
            noProgress: order.limits.noProgress, minimumRate: order.limits.minimumRate, at: now)
    }

    var isLimited: Bool { ownBucket != nil || share?.bucket != nil }

    // MARK: What libcurl asks

    func read(into memory: UnsafeMutableRawBufferPointer) -> Int {
        var count = Int(min(UInt64(memory.count), source.remaining))
        if count > 0, isLimited {
            count = Int(holder.allow(UInt64(count), to: self))
            if count == 0 {
                wasHeld = true
                return Int(CURL_READFUNC_PAUSE)
            }
        }
        do throws(DiskError) {
            try source.read(into: UnsafeMutableRawBufferPointer(rebasing: memory[..<count]))
            return count
        } catch {
            diskError = error
            return Int(CURL_READFUNC_ABORT)
        }
    }

    func seek(to position: Int) -> Bool { source.seek(to: Int64(position)) }
    func takeHeader(_ line: UnsafeRawBufferPointer) -> Bool { answer.takeHeader(line) }
    func takeBody(_ bytes: UnsafeRawBufferPointer) -> Bool { answer.takeBody(bytes) }
    func connected() { isConnected = true }
    func keyDiffers(_ problem: HostKeyProblem) { hostKey = problem }

    // MARK: What the thread asks, now and then

    func look(at now: Duration) -> ProgressWatch.Verdict? {
        let uploaded = UInt64(clamping: tl_get_large(easy.pointer, CURLINFO_SIZE_UPLOAD_T))
        let downloaded = UInt64(clamping: tl_get_large(easy.pointer, CURLINFO_SIZE_DOWNLOAD_T))
        // Until there is a connection the limit for connecting holds.
        let isHeld = wasHeld || isPaused || !isConnected
        wasHeld = isPaused
        let headers = UInt64(clamping: tl_get_number(easy.pointer, CURLINFO_HEADER_SIZE))
        let waiting = unacknowledged()
        // What only lies in the kernel has not left: full buffers would make a link look fast.
        tellSent(max(uploaded, waiting) - waiting)
        let moved = uploaded + downloaded + headers
        let isMoving = uploaded < source.count || waiting > 0 || downloaded > 0
        // Nor is it progress: on a slow uplink megabytes lie there for half a minute.
        acknowledged = max(moved, waiting) - waiting
        return watch.look(
            ProgressWatch.Sight(moved: acknowledged, isMoving: isMoving, isHeld: isHeld), at: now)
    }

    private func unacknowledged() -> UInt64 {
        guard isConnected, source.count > 0 else { return 0 }
        let socket = tl_get_socket(easy.pointer)
        return socket < 0 ? 0 : UInt64(max(0, tl_unacknowledged(socket)))
    }

    private func tellSent(_ uploaded: UInt64) {
        // Less than before: libcurl sends it again on another connection.
        if uploaded > sent { ticket.order.onSent?(uploaded - sent) }
        sent = uploaded
    }

    /// What is known at the end. The handle may be used again afterwards.
    func ending(_ cause: TransferResult.Cause) -> TransferResult {
        let uploaded = UInt64(clamping: tl_get_large(easy.pointer, CURLINFO_SIZE_UPLOAD_T))
        // A server that answers in order has read it all.
        if case .finished = cause { tellSent(uploaded) }
        return TransferResult(
            cause: refined(cause), status: answer.status, headers: answer.headers, body: answer.body,
            isConnected: isConnected,
            bodyWasSent: isConnected && uploaded >= source.count
                && tl_get_number(easy.pointer, CURLINFO_REQUEST_SIZE) > 0,
            isReused: tl_get_number(easy.pointer, CURLINFO_NUM_CONNECTS) == 0,
            certificateProblem: tl_get_number(easy.pointer, CURLINFO_SSL_VERIFYRESULT),
            systemError: Int32(truncatingIfNeeded: tl_get_number(easy.pointer, CURLINFO_OS_ERRNO)),
            hostKey: hostKey,
            size: Int64(tl_get_large(easy.pointer, CURLINFO_CONTENT_LENGTH_DOWNLOAD_T)))
    }

    /// libcurl only knows that a callback did not go on; the callback knows why.
    private func refined(_ cause: TransferResult.Cause) -> TransferResult.Cause {
        guard case .failed = cause else { return cause }
        if let diskError { return .body(diskError) }
        switch answer.fault {
        case .tooLong(let limit): return .answerTooLong(limit)
        case .headersTooLong: return .headersTooLong
        case .refused: return .refused
        case nil: return cause
        }
    }
}
