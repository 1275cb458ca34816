import Basics
import Link
import PTP
import Posix
import Synchronization

extension SimulatedCamera {
    /// Start Data, the packets, and, with the last of them, whatever the machine says when all is out: the
    /// response reaches the client with the data instead of a little later.
    func send(
        _ job: DataJob, _ transaction: TransactionID, _ line: GuestLine, _ buffer: Buffer
    ) async throws {
        var stage = Stage(buffer: buffer)
        for bytes in job.beginning(transaction, on: line) { stage.add(bytes) }
        let shown = job.shown(transaction)
        var position: UInt64 = 0
        var mishap = job.mishap
        let beganAt = time.now
        while true {
            if let what = Self.due(&mishap, at: position), try await suffer(what, &stage, line) { return }
            let part = job.packets.next(left: job.length - position)
            let header = PayloadHeader(transaction: shown, length: UInt32(part.length))
            stage.add(line.encode(part.isEnd ? .endData(header) : .data(header)))
            let end = position + UInt64(part.length)
            while position < end {
                if let what = Self.due(&mishap, at: position), try await suffer(what, &stage, line) { return }
                if stage.isFull { try await flush(&stage, line, sent: position, since: beganAt) }
                var count = Int(min(UInt64(stage.room), end - position))
                if let (after, _) = mishap { count = Int(min(UInt64(count), after - position)) }
                try job.fill(stage.place(count), at: position)
                position += UInt64(count)
            }
            if part.isEnd { break }
            if let stop = job.stop.withLock({ $0 }) {
                try await flush(&stage, line, sent: position, since: beganAt)
                return stopped(job, stop)
            }
        }
        if let what = Self.due(&mishap, at: position), try await suffer(what, &stage, line) { return }
        // A camera that was switched off meanwhile is another one now.
        guard dataJob === job else { return }
        body.delivered()
        feed(.dataSent)
        var waiting = line.outbox.takeAll()[...]
        while case .packet(let bytes)? = waiting.first {
            stage.add(bytes)
            waiting.removeFirst()
        }
        for item in waiting { line.outbox.post(item) }
        try await flush(&stage, line, sent: position, since: beganAt)
    }

    private func stopped(_ job: DataJob, _ stop: DataJob.Stop) {
        guard dataJob === job else { return }
        switch stop {
        case .asked: feed(.dataStopped)
        case .broken(let code): feed(.dataBroken(code))
        }
    }

    private func flush(
        _ stage: inout Stage, _ line: GuestLine, sent: UInt64, since beganAt: Duration
    ) async throws {
        try await sendUnlessDeaf(stage.take(), line)
        guard let rate = settings.rate else { return }
        let due = beganAt + .seconds(Double(sent) / Double(rate))
        if due > time.now { try await time.sleep(until: due) }
    }

    // MARK: Mishaps

    /// What is to happen here; once.
    private static func due(_ mishap: inout (after: UInt64, what: Mishap)?, at position: UInt64) -> Mishap? {
        guard let (after, what) = mishap, after == position else { return nil }
        mishap = nil
        return what
    }

    private func suffer(_ mishap: Mishap, _ stage: inout Stage, _ line: GuestLine) async throws -> Bool {
        try await sendUnlessDeaf(stage.take(), line)
        return try await suffer(mishap, line)
    }

    /// True when there is nothing left to send.
    func suffer(_ mishap: Mishap, _ line: GuestLine) async throws -> Bool {
        switch mishap {
        case .pause(let duration):
            log("stalling for \(duration)")
            try await time.sleep(until: time.now + duration)
            return false
        case .stall:
            log("stalling")
            // Ended by the client's giving up, which cancels this task.
            try await time.sleep(until: time.now + .seconds(365 * 86_400))
            return true
        case .cut:
            log("cutting the connection")
            for line in standing { line.end(.orderly) }
            return true
        case .reset:
            log("breaking the connection off")
            for line in standing { line.end(.reset) }
            return true
        case .lost(let hold):
            log("out of range for \(hold)")
            let lost = standing
            for line in lost { line.hearing.close() }
            later { camera in
                guard await camera.pause(hold) else { return }
                for line in lost {
                    line.hearing.open()
                    line.end(.reset)
                }
            }
            return true
        case .emptyPackets(let perSecond):
            log("sending empty data packets without end")
            let header = PayloadHeader(transaction: lastTransaction, length: 0)
            try await pour(line.encode(.data(header)), perSecond, line)
            return true
        }
    }

    /// Sends the same again and again for as long as the link stands.
    private func pour(_ packet: [UInt8], _ perSecond: UInt64, _ line: GuestLine) async throws {
        var flow = FramePacer(perSecond: perSecond, since: time.now)
        while lines[line.id] != nil {
            await line.hearing.pass()
            let count = flow.take(at: time.now)
            if count > 0 {
                try await sendUnlessDeaf(
                    [.bytes(Array([[UInt8]](repeating: packet, count: count).joined()))], line)
                // Where the client takes it as fast as it comes, others have their turn all the same.
                await Task.yield()
            } else {
                try await time.sleep(until: flow.nextDue)
            }
        }
    }
}

/// What is gathered for one send: headers as arrays between stretches of one buffer.
private struct Stage {
    private let buffer: Buffer
    private var pieces: [Piece] = []
    private var used = 0
    /// Little at first, so that the client has something to do while more is made.
    private var limit: Int

    private static let firstLimit = 64 << 10

    init(buffer: Buffer) {
        self.buffer = buffer
        limit = min(Self.firstLimit, buffer.capacity)
    }

    var room: Int { limit - used }
    var isFull: Bool { used == limit }

    mutating func add(_ bytes: [UInt8]) {
        pieces.append(.bytes(bytes))
    }

    /// The memory for the next `count` bytes.
    mutating func place(_ count: Int) -> UnsafeMutableRawBufferPointer {
        let range = used..<used + count
        used += count
        pieces.append(.buffer(buffer, range))
        return UnsafeMutableRawBufferPointer(rebasing: buffer.memory[range])
    }

    mutating func take() -> [Piece] {
        defer {
            pieces = []
            used = 0
            limit = min(2 * limit, buffer.capacity)
        }
        return pieces
    }
}
