import Basics
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
        guard isOnNetwork else {
            // The network says for it that there is no camera.
            accepted.close(.reset)
            return
        }
        var link = accepted
        if let bytes = faults.take(.splitWrites)?.number("bytes") {
            var plan = FaultPlan()
            plan.sending.longestMove = Int(bytes)
            link = FaultyLink(accepted, plan, time: time)
        }
        let line = newLink { GuestLine(id: $0, link: link, framing: personality.framing()) }
        defer {
            lines[line.id] = nil
            floods[line.id] = nil
        }
        // Its system takes the connection in; a camera that hangs does not.
        await pulse.pass()
        guard lines[line.id] != nil else { return }
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
            // A sender that is paused or waits for a slow client has no client left to send to.
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
        let scratch = Buffer(capacity: Self.scratchSize)
        do {
            while true {
                let count = try await line.link.receive(into: scratch)
                await pulse.pass()
                if line.isDeaf {
                    // Out of range the camera does not hear the client hang up either.
                    if count == 0 { return await line.hearing.pass() }
                    continue
                }
                guard count > 0 else { return }
                line.append(UnsafeRawBufferPointer(rebasing: scratch.memory[..<count]))
                while let output = try line.next() {
                    if try await take(output, line) { return }
                }
            }
        } catch let error as Malformed {
            log("\(line.link.peer): \(error)")
            feed(.malformed(error, line.id))
        } catch {
            if (error as? LinkError) != .closedHere { log("\(error)") }
        }
    }

    /// True when the link was ended because of it.
    private func take(_ output: PacketDecoder.Output, _ line: GuestLine) async throws -> Bool {
        switch output {
        case .packet(.initEventRequest) where faults.take(.refuseEventLink) != nil:
            line.end(.reset)
            return true
        case .packet(.operationRequest(let request)):
            await probed.pass()
            guard lines[line.id] != nil else { return true }
            if line.id == machine.commandLink { prepare(for: request) }
            await pulse.pass()
            feed(.received(.operationRequest(request), line.id))
        case .packet(let packet):
            if case .probeRequest = packet { probed.open() }
            feed(.received(packet, line.id))
        case .odd(let packet):
            if packet.isPassedOver { throw packet.refusal }
        case .payload(let bytes):
            feed(.collected(Array(bytes), line.id))
        }
        return false
    }

    // MARK: Writing

    private func write(_ line: GuestLine) async {
        let buffer = Buffer(capacity: Self.sendSize)
        do {
            while let batch = await line.outbox.next() {
                var packets: [Piece] = []
                for item in batch {
                    if case .packet(let bytes) = item {
                        packets.append(.bytes(bytes))
                        continue
                    }
                    try await sendUnlessDeaf(packets, line)
                    packets = []
                    switch item {
                    case .packet:
                        break
                    case .data(let job, let transaction):
                        try await send(job, transaction, line, buffer)
                    case .mishap(let mishap):
                        _ = try await suffer(mishap, line)
                    case .mark:
                        line.drained.fire()
                    case .close:
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

    func sendUnlessDeaf(_ pieces: [Piece], _ line: GuestLine) async throws(LinkError) {
        await pulse.pass()
        if !line.isDeaf, !pieces.isEmpty { try await line.link.send(pieces) }
    }
}
