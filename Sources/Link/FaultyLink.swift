public import Basics
import Posix
import Synchronization

/// What goes wrong with a link, and after how many bytes. Pure; the same plan gives the same faults.
public struct FaultPlan: Equatable, Sendable {
    public enum Fault: Equatable, Sendable {
        /// The link ends as if the peer had finished.
        case end
        case reset
        /// Nothing moves for so long, then it goes on.
        case pause(Duration)
        /// Nothing moves any more and neither end gets an error: a camera carried out of range.
        case silence
    }

    public struct Direction: Equatable, Sendable {
        /// Faults by the number of bytes that get through before, in order.
        public var faults: [(after: Int, fault: Fault)] = []
        /// No call moves more than this, whatever is there.
        public var longestMove = Int.max

        public init() {}

        public static func == (left: Self, right: Self) -> Bool {
            left.longestMove == right.longestMove
                && left.faults.elementsEqual(right.faults) { $0.after == $1.after && $0.fault == $1.fault }
        }
    }

    public var receiving = Direction()
    public var sending = Direction()

    public init() {}
}

/// A link on which things go wrong by plan.
public final class FaultyLink: ByteLink {
    /// What may be done next in one direction.
    private enum Step {
        case move(atMost: Int)
        case fault(FaultPlan.Fault)
    }

    private struct Progress {
        var moved = 0
        var isSilent = false
        var plan: FaultPlan.Direction

        /// Moves end where the next fault begins, so that it comes exactly there.
        mutating func next() -> Step {
            if isSilent { return .fault(.silence) }
            guard let (after, fault) = plan.faults.first else { return .move(atMost: plan.longestMove) }
            guard moved >= after else { return .move(atMost: min(plan.longestMove, after - moved)) }
            plan.faults.removeFirst()
            isSilent = fault == .silence
            return .fault(fault)
        }
    }

    private let inner: any ByteLink
    private let time: any TimeSource
    private let receiving: Mutex<Progress>
    private let sending: Mutex<Progress>
    private let isClosed = Mutex(false)
    private let closing = Signal()

    public var peer: String { inner.peer }

    public init(_ inner: any ByteLink, _ plan: FaultPlan, time: any TimeSource) {
        self.inner = inner
        self.time = time
        receiving = Mutex(Progress(plan: plan.receiving))
        sending = Mutex(Progress(plan: plan.sending))
    }

    public func receive(into buffer: Buffer, _ range: Range<Int>, spill: Buffer?) async throws(LinkError)
        -> Int
    {
        while true {
            switch receiving.withLock({ $0.next() }) {
            case .move(let limit):
                // With a limit the spill would slip past it.
                let isFree = limit == .max
                let place = isFree ? range : range.prefixRange(limit)
                let count = try await inner.receive(into: buffer, place, spill: isFree ? spill : nil)
                receiving.withLock { $0.moved += count }
                return count
            case .fault(.end):
                inner.close(.orderly)
                return 0
            case .fault(.silence):
                while !isClosed.withLock({ $0 }), !Task.isCancelled { await closing.waitUnlessCancelled() }
                throw Task.isCancelled ? .cancelled : .closedHere
            case .fault(let fault):
                try await suffer(fault)
            }
        }
    }

    public func send(_ pieces: [Piece]) async throws(LinkError) {
        for piece in pieces {
            var sent = 0
            while sent < piece.count {
                switch sending.withLock({ $0.next() }) {
                case .move(let limit):
                    let count = min(limit, piece.count - sent)
                    try await inner.send([piece.part(sent..<sent + count)])
                    sending.withLock { $0.moved += count }
                    sent += count
                case .fault(.silence):
                    // Into the void, as into a network that takes everything and delivers nothing.
                    return
                case .fault(let fault):
                    try await suffer(fault)
                }
            }
        }
    }

    private func suffer(_ fault: FaultPlan.Fault) async throws(LinkError) {
        switch fault {
        case .end:
            inner.close(.orderly)
            throw .reset(peer: peer)
        case .reset:
            inner.close(.reset)
            throw .reset(peer: peer)
        case .pause(let duration):
            do {
                try await time.sleep(until: time.now + duration)
            } catch {
                throw .cancelled
            }
        case .silence:
            preconditionFailure("each direction is silent in its own way")
        }
    }

    public func close(_ manner: LinkClosing) {
        isClosed.withLock { $0 = true }
        inner.close(manner)
        closing.fire()
    }
}

extension Range<Int> {
    /// The first `count` of it, or all.
    public func prefixRange(_ count: Int) -> Range<Int> {
        lowerBound..<(count < self.count ? lowerBound + count : upperBound)
    }
}

extension Piece {
    func part(_ range: Range<Int>) -> Piece {
        switch self {
        case .bytes(let bytes): .bytes(Array(bytes[range]))
        case .buffer(let buffer, let whole):
            .buffer(buffer, (whole.lowerBound + range.lowerBound)..<(whole.lowerBound + range.upperBound))
        }
    }
}
