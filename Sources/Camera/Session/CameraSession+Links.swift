import Link
import PTP
import Posix

extension CameraSession {
    /// Datasets and headers come through this; photos only with their first bytes.
    private static let scratchSize = 16 << 10

    /// Takes the next packet's header along when the end of a payload is read, and little else.
    private static let spillSize = 256

    /// Opens a link each time the machine asks for it, and reads it until it ends.
    func serve(_ channel: Channel) async {
        let line = line(channel)
        while true {
            await line.door.wait()
            if line.isOver || Task.isCancelled { return }
            let link: any ByteLink
            do throws(LinkError) {
                link = try await links.open(channel)
            } catch {
                switch error {
                case .refused(_, let port):
                    feed(.linkRefused(channel, port: port, reason: "\(error)"))
                // Asking again does not give this process another descriptor.
                case .system: feed(.linkImpossible(channel, reason: "\(error)"))
                case .denied: feed(.linkDenied(channel, reason: "\(error)"))
                default: feed(.linkLost(channel, reason: "\(error)"))
                }
                continue
            }
            guard !line.isOver else {
                link.close(.orderly)
                return
            }
            line.link = link
            feed(.linkOpened(channel))
            await read(link, channel)
        }
    }

    private func lost(_ link: any ByteLink, _ channel: Channel, _ error: LinkError) {
        if case .stalled = error { hasLinkTimedOut = true }
        lost(link, channel, "\(error)")
    }

    /// Told once for each link, whether reading or writing noticed it first.
    private func lost(
        _ link: any ByteLink, _ channel: Channel, _ reason: String, unread: [UInt8] = []
    ) {
        let line = line(channel)
        guard line.link === link else { return }
        line.link = nil
        link.close(.orderly)
        feed(.linkLost(channel, reason: reason, unread: unread))
    }

    func sendPosted(on channel: Channel) async {
        let line = line(channel)
        while let batch = await line.outbox.next() {
            // What was posted for a link that is gone by now is of no use to the next one.
            guard let link = line.link else { continue }
            do throws(LinkError) {
                try await link.send(batch.map { .bytes($0) })
            } catch {
                lost(link, channel, error)
            }
        }
    }

    private func read(_ link: any ByteLink, _ channel: Channel) async {
        var decoder = PacketDecoder()
        var turn = ReadingTurn()
        let scratch = Buffer(capacity: Self.scratchSize)
        let spill = Buffer(capacity: Self.spillSize)
        do {
            while ending == nil {
                if channel == .command, machine.payloadDestination == .stream, decoder.payloadRemaining > 0 {
                    turn.took(bytes: try await streamPayload(from: link, &decoder, spill))
                } else {
                    let count = try await link.receive(into: scratch)
                    guard count > 0 else {
                        return lost(link, channel, "the camera closed it", unread: Array(decoder.unread))
                    }
                    decoder.append(scratch.memory[..<count])
                    turn.took(bytes: count)
                }
                try await decode(&decoder, channel, &turn)
                if turn.isOver { await giveWay(&turn) }
            }
        } catch let error as Malformed {
            feed(.malformed(error, channel))
        } catch let error as LinkError {
            lost(link, channel, error)
        } catch {
            lost(link, channel, "\(error)")
        }
    }

    /// Everything that has been received is decoded and acted upon before more is read.
    private func decode(
        _ decoder: inout PacketDecoder, _ channel: Channel, _ turn: inout ReadingTurn
    ) async throws(Malformed) {
        while ending == nil, let output = try decoder.next() {
            turn.tookPacket()
            if turn.isOver { await giveWay(&turn) }
            switch output {
            case .packet(let packet):
                feed(.received(packet, channel))
            case .odd(let packet):
                feed(.odd(packet, channel))
            case .payload(let bytes):
                await deliver(bytes)
            }
        }
    }

    private func deliver(_ bytes: ArraySlice<UInt8>) async {
        switch machine.payloadDestination {
        case .collect:
            feed(.collected(Array(bytes)))
        case .discard:
            feed(.payloadMoved(bytes.count))
        case .stream:
            var rest = bytes
            while !rest.isEmpty, let (buffer, range) = await roomInIntake() {
                let count = min(range.count, rest.count)
                UnsafeMutableRawBufferPointer(rebasing: buffer.memory[range]).copyBytes(
                    from: rest.prefix(count))
                rest = rest.dropFirst(count)
                tookIn(count)
            }
        }
    }

    /// Moves what is left of the current packet's payload from the link to where it belongs, without
    /// passing through anything else.
    private func streamPayload(
        from link: any ByteLink, _ decoder: inout PacketDecoder, _ spill: Buffer
    ) async throws -> Int {
        guard let (buffer, range) = await roomInIntake() else { return 0 }
        let wanted = min(range.count, decoder.payloadRemaining)
        // Only the end of a payload is followed by something we can use.
        let isEnd = wanted == decoder.payloadRemaining
        let count = try await link.receive(
            into: buffer, range.prefix(wanted), spill: isEnd ? spill : nil)
        guard count > 0 else { throw LinkError.reset(peer: link.peer) }
        let taken = min(count, wanted)
        decoder.payloadTaken(taken)
        tookIn(taken)
        if count > wanted { decoder.append(spill.memory[..<(count - wanted)]) }
        return count
    }

    /// A link that always has something to read never makes its reader wait: without this the reader would have the
    /// thread for itself, and signals, the other link, deadlines and requests for the status would not.
    private func giveWay(_ turn: inout ReadingTurn) async {
        turn = ReadingTurn()
        // Behind everything that waits for this thread now. `Task.yield` would go by way of another one.
        await withCheckedContinuation { continuation in
            Task(executorPreference: executor) { continuation.resume() }
        }
    }

    private func tookIn(_ count: Int) {
        intake?.advance(count)
        feed(.payloadMoved(count))
    }

    /// Room for the next bytes of the photo. Nothing when they are not wanted any more; then the call is
    /// taken back, and what still comes is thrown away.
    private func roomInIntake() async -> (buffer: Buffer, range: Range<Int>)? {
        guard let intake else { return nil }
        if !intake.isDecided {
            feed(.consumerBusy)
            await intake.waitForRoom()
            feed(.consumerReady)
        }
        let room = intake.room()
        if room == nil { feed(.cancelCall) }
        return room
    }
}

/// How much a link's reader has taken in since others had their turn.
private struct ReadingTurn {
    /// Some tenths of a millisecond of work.
    private static let mostPackets = 256
    /// As long as this takes to be copied; a photo loses nothing by a pause of microseconds after each.
    private static let mostBytes = 1 << 20

    private var packets = 0
    private var bytes = 0

    mutating func tookPacket() { packets += 1 }
    mutating func took(bytes count: Int) { bytes += count }

    var isOver: Bool { packets >= Self.mostPackets || bytes >= Self.mostBytes }
}
