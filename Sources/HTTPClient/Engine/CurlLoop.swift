import Basics
import CCurl
import Glibc
import Posix

/// Everything of libcurl's, on the one thread that touches it: orders come in, transfers run side by side, endings go
/// out. The thread is a reactor's, and callers may run there as well.
///
/// Only that thread calls it and touches what it holds.
final class CurlLoop: EventLoopClient, @unchecked Sendable {
    /// How often it is looked whether transfers get somewhere.
    private static let lookInterval = Duration.milliseconds(50)
    /// Handles that are kept for the next transfers.
    private static let mostSpareHandles = 16
    /// Idle connections that are kept.
    private static let mostConnections = 16
    /// With nothing to do at all.
    private static let longestSleep: Int32 = 60_000

    /// Once in a process, before any other call.
    private static let isReady: Bool = curl_global_init(Int(CURL_GLOBAL_DEFAULT)) == CURLE_OK

    private let inbox: Inbox
    /// Made for the first order. A program that asks nothing of any server does without libcurl and the thirty libraries
    /// that it brings, which are 5 MB.
    private lazy var multi = Self.newMulti()
    private var isInUse = false
    private let throttle = Throttle()
    private lazy var pool = ConnectionPool()
    private var runs: [ObjectIdentifier: Run] = [:]
    private var spare: [EasyHandle] = []
    private var nextLook = Duration.zero
    private(set) var isOver = false
    /// Rung when it is over.
    private let end: Signal

    init(_ inbox: Inbox, end: Signal) {
        self.inbox = inbox
        self.end = end
    }

    private static func newMulti() -> UnsafeMutableRawPointer {
        guard isReady, let multi = curl_multi_init() else {
            preconditionFailure("libcurl cannot be initialised")
        }
        tl_multi_number(multi, CURLMOPT_MAXCONNECTS, mostConnections)
        return multi
    }

    func comeOnThread() {
        BrokenPipe.isNoSignalHere()
    }

    func turn() -> Duration? {
        for command in inbox.takeAll() { perform(command) }
        if isOver {
            clearAway()
            return nil
        }
        if isInUse {
            var running: Int32 = 0
            curl_multi_perform(multi, &running)
            collect()
        }
        let now = MonotonicClock.now
        throttle.release(at: now)
        if now >= nextLook { look(at: now) }
        return runs.isEmpty ? nil : min(nextLook, throttle.nextRelease ?? nextLook)
    }

    func poll(_ entries: inout [pollfd], _ milliseconds: Int32) -> Int32 {
        guard isInUse else { return Glibc.poll(&entries, nfds_t(entries.count), milliseconds) }
        var others = entries.map { curl_waitfd(fd: $0.fd, events: $0.events, revents: 0) }
        let longest = milliseconds < 0 ? Self.longestSleep : milliseconds
        curl_multi_poll(multi, &others, UInt32(others.count), longest, nil)
        var ready: Int32 = 0
        for (index, other) in others.enumerated() {
            entries[index].revents = other.revents
            if other.revents != 0 { ready += 1 }
        }
        return ready
    }

    private func clearAway() {
        for run in runs.values { finish(run, .cancelled) }
        for ticket in inbox.close() { ticket.end(TransferResult(cause: .cancelled)) }
        spare = []
        if isInUse {
            // The connections go before what they were made in.
            pool = ConnectionPool()
            curl_multi_cleanup(multi)
        }
        end.fire()
    }

    private func perform(_ command: Inbox.Command) {
        switch command {
        case .begin(let ticket): begin(ticket)
        case .takeBack(let claim):
            if let run = runs[ObjectIdentifier(claim)] { finish(run, .cancelled) }
        case .setRate(let rate, let path): throttle.setRate(rate, of: path, at: MonotonicClock.now)
        case .forgetConnections: if isInUse { pool = ConnectionPool() }
        case .end: isOver = true
        }
    }

    private func begin(_ ticket: QueuedOrder) {
        if ticket.claim.isTakenBack { return ticket.end(TransferResult(cause: .cancelled)) }
        if !isInUse {
            _ = multi
            isInUse = true
        }
        let now = MonotonicClock.now
        let easy = spare.popLast() ?? EasyHandle()
        let run: Run
        do throws(DiskError) {
            run = try Run(ticket, easy, pool, throttle, at: now)
        } catch {
            spare.append(easy)
            return ticket.end(TransferResult(cause: .body(error)))
        }
        easy.listen()
        let code = easy.apply(ticket.order.options, lists: &run.lists)
        guard code == CURLE_OK else {
            return ticket.end(TransferResult(cause: .failed(code, easy.explanation(of: code))))
        }
        Callbacks.install(on: easy, for: run)
        if !ticket.order.isAlone { pool.lend(to: easy) }
        if runs.isEmpty { nextLook = now + Self.lookInterval }
        runs[ObjectIdentifier(ticket.claim)] = run
        curl_multi_add_handle(multi, easy.pointer)
    }

    private func collect() {
        var left: Int32 = 0
        while let message = curl_multi_info_read(multi, &left) {
            var code = CURLE_OK
            guard tl_is_done(message, &code) != 0 else { continue }
            let run = Callbacks.run(tl_get_pointer(message.pointee.easy_handle, CURLINFO_PRIVATE))
            finish(run, code == CURLE_OK ? .finished : .failed(code, run.easy.explanation(of: code)))
        }
    }

    private func finish(_ run: Run, _ cause: TransferResult.Cause) {
        throttle.forget(run)
        // What is known of it is known before it is taken out; the connection is given back, or closed, by that.
        let ending = run.ending(cause)
        curl_multi_remove_handle(multi, run.easy.pointer)
        run.easy.reset()
        runs[ObjectIdentifier(run.ticket.claim)] = nil
        // A handle that failed may keep a part of what it failed at.
        if case .finished = cause, spare.count < Self.mostSpareHandles { spare.append(run.easy) }
        run.ticket.end(ending)
    }

    private func look(at now: Duration) {
        nextLook = now + Self.lookInterval
        for run in Array(runs.values) {
            switch run.look(at: now) {
            case .stalled(let time): finish(run, .stalled(time))
            case .tooSlow(let rate): finish(run, .tooSlow(rate))
            case nil: break
            }
        }
    }
}
