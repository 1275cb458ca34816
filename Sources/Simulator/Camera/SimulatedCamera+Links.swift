import Bridge
import Link
import PTP
import Posix
import Synchronization

extension SimulatedCamera {
    private static let scratchSize = 16 << 10
    /// Data is gathered into this much before it is handed over.
    private static let sendSize = 256 << 10

    /// One link from its first byte to its last.
    func serve(_ accepted: any ByteLink) async {
        var link = accepted
        if let bytes = faults.take(.splitWrites)?.number("bytes") {
            var plan = FaultPlan()
            plan.sending.longestMove = Int(bytes)
            link = FaultyLink(accepted, plan, time: time)
        }
        let line = newLink { GuestLine(id: $0, link: link) }
        defer { lines[line.id] = nil }
        if faults.take(.silentAccept) != nil {
            log("accepted \(link.peer) and say nothing")
            await ignore(line)
            return
        }
        feed(.accepted(line.id))
        await withTaskGroup(of: Void.self) { group in
            group.addTask(executorPreference: executor) { await self.write(line) }
            await read(line)
            feed(.linkLost(line.id))
            line.end(.orderly)
            // A sender that is paused or waits for a slow client has nobody left to send to.
            group.cancelAll()
        }
    }

    private func ignore(_ line: GuestLine) async {
        let scratch = Buffer(capacity: Self.scratchSize)
        do throws(LinkError) {
            while try await line.link.receive(into: scratch) > 0 {}
        } catch {
            log("\(line.link.peer) is gone: \(error)")
        }
        line.end(.orderly)
    }

    // MARK: Reading

    private func read(_ line: GuestLine) async {
        var decoder = PacketDecoder()
        let scratch = Buffer(capacity: Self.scratchSize)
        do {
            while true {
                let count = try await line.link.receive(into: scratch)
                if line.isDeaf {
                    // Out of range nobody hears the client hang up either.
                    if count == 0 { return await waitUntilHeard(line) }
                    continue
                }
                guard count > 0 else { return }
                decoder.append(scratch.memory[..<count])
                while let output = try decoder.next() {
                    switch output {
                    case .packet(.initEventRequest) where faults.take(.refuseEventLink) != nil:
                        line.end(.reset)
                        return
                    case .packet(let packet): feed(.received(packet, line.id))
                    case .odd(let packet): if packet.isPassedOver { throw packet.refusal }
                    case .payload(let bytes): feed(.collected(Array(bytes), line.id))
                    }
                }
            }
        } catch let error as Malformed {
            log("\(line.link.peer): \(error)")
            feed(.malformed(error, line.id))
        } catch {
            if (error as? LinkError) != .closedHere { log("\(error)") }
        }
    }

    private func waitUntilHeard(_ line: GuestLine) async {
        while line.isDeaf, await pause(.milliseconds(20)) {}
    }

    // MARK: Writing

    private func write(_ line: GuestLine) async {
        let buffer = Buffer(capacity: Self.sendSize)
        do {
            while let batch = await line.outbox.next() {
                var packets: [Piece] = []
                for item in batch {
                    switch item {
                    case .packet(let bytes):
                        packets.append(.bytes(bytes))
                    case .data(let job, let transaction):
                        try await sendUnlessDeaf(packets, line)
                        packets = []
                        try await send(job, transaction, line, buffer)
                    case .close:
                        try await sendUnlessDeaf(packets, line)
                        line.end(.orderly)
                        return
                    }
                }
                try await sendUnlessDeaf(packets, line)
            }
        } catch {
            if (error as? LinkError) != .closedHere { log("\(line.link.peer): \(error)") }
            line.end(.reset)
        }
    }

    private func sendUnlessDeaf(_ pieces: [Piece], _ line: GuestLine) async throws(LinkError) {
        if !line.isDeaf, !pieces.isEmpty { try await line.link.send(pieces) }
    }

    /// Start Data, the packets, and, with the last of them, whatever the machine says when all is out: the
    /// response reaches the client with the data instead of a little later.
    private func send(
        _ job: DataJob, _ transaction: TransactionID, _ line: GuestLine, _ buffer: Buffer
    ) async throws {
        var stage = Stage(buffer: buffer)
        let start = StartData(transaction: transaction, totalLength: job.announced)
        stage.add(Packet.startData(start).encoded)
        var position: UInt64 = 0
        var mishap = job.mishap
        let beganAt = time.now
        while true {
            let part = job.packets.next(left: job.length - position)
            let header = PayloadHeader(transaction: transaction, length: UInt32(part.length))
            stage.add((part.isEnd ? Packet.endData(header) : .data(header)).encoded)
            let end = position + UInt64(part.length)
            while position < end {
                if let (after, what) = mishap, position == after {
                    mishap = nil
                    if try await suffer(what, &stage, line) { return }
                }
                if stage.isFull { try await flush(&stage, line, sent: position, since: beganAt) }
                var count = Int(min(UInt64(stage.room), end - position))
                if let (after, _) = mishap { count = Int(min(UInt64(count), after - position)) }
                try job.fill(stage.place(count), at: position)
                position += UInt64(count)
            }
            if part.isEnd { break }
            if job.stop.withLock({ $0 }) {
                try await flush(&stage, line, sent: position, since: beganAt)
                feed(.dataStopped)
                return
            }
        }
        body.delivered()
        feed(.dataSent)
        for item in line.outbox.takeAll() {
            if case .packet(let bytes) = item { stage.add(bytes) } else { line.outbox.post(item) }
        }
        try await flush(&stage, line, sent: position, since: beganAt)
    }

    private func flush(
        _ stage: inout Stage, _ line: GuestLine, sent: UInt64, since beganAt: Duration
    ) async throws {
        try await sendUnlessDeaf(stage.take(), line)
        guard let rate = settings.rate else { return }
        let due = beganAt + .seconds(Double(sent) / Double(rate))
        if due > time.now { try await time.sleep(until: due) }
    }

    /// True when there is nothing left to send.
    private func suffer(_ mishap: DataJob.Mishap, _ stage: inout Stage, _ line: GuestLine) async throws
        -> Bool
    {
        try await sendUnlessDeaf(stage.take(), line)
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
            for line in lines.values { line.end(.orderly) }
            return true
        case .reset:
            log("breaking the connection off")
            for line in lines.values { line.end(.reset) }
            return true
        case .lost(let hold):
            log("out of range for \(hold)")
            let lost = Array(lines.values)
            for line in lost { line.isDeaf = true }
            later { camera in
                guard await camera.pause(hold) else { return }
                for line in lost {
                    line.isDeaf = false
                    line.end(.reset)
                }
            }
            return true
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
