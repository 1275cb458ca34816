import PTP
import TestSupport

extension BackToBack {
    static let commandLink = 1
    static let eventLink = 2

    /// Nothing real takes longer than this; a run that does is stuck.
    static let longestRun: Duration = .seconds(3600)
    static let mostHappenings = 200_000

    /// Runs until both sides are done. Says what is wrong when they never are.
    mutating func run() -> String? {
        agenda.plan(.start, at: .zero)
        while let happening = nextHappening() {
            happenings += 1
            if now > Self.longestRun || happenings > Self.mostHappenings {
                return "stuck at \(now) after \(happenings) happenings: \(initiator.state)"
            }
            act(on: happening)
        }
        if ending == nil { return "nothing more happens and the connection is not over: \(initiator.state)" }
        if responder.nextDeadline != nil { return "the responder still waits: \(responder)" }
        return nil
    }

    /// The next thing planned, or a machine's deadline when that comes first.
    private mutating func nextHappening() -> Happening? {
        let deadline = [ending == nil ? initiator.nextDeadline : nil, responder.nextDeadline]
            .compactMap { $0 }.min()
        if let deadline, agenda.nextTime.map({ deadline < $0 }) ?? true {
            now = max(now, deadline)
            return .look
        }
        if let time = agenda.nextTime { now = max(now, time) }
        return agenda.next()
    }

    private mutating func act(on happening: Happening) {
        switch happening {
        case .start:
            perform(initiator.handle(.start, at: now))
        case .linkOpened(let channel):
            perform(
                responder.handle(.accepted(channel == .command ? Self.commandLink : Self.eventLink), at: now))
            perform(initiator.handle(.linkOpened(channel), at: now))
        case .arrived(let bytes, let channel, let end):
            arrived(bytes, channel, end)
        case .broke(let channel, .initiator):
            perform(initiator.handle(.linkLost(channel, reason: "cut"), at: now))
        case .broke(let channel, .responder):
            perform(
                responder.handle(.linkLost(channel == .command ? Self.commandLink : Self.eventLink), at: now))
        case .answered(let answer):
            perform(responder.handle(.answered(answer), at: now))
        case .sendNextPacket(let id):
            sendNextPacket(id)
        case .nextStep:
            nextStep()
        case .cancelCall(let step):
            guard outcomes.count - 1 == step else { return }
            outcomes[step].wasCancelled = true
            perform(initiator.handle(.cancelCall, at: now))
        case .look:
            perform(initiator.handle(.timePassed, at: now))
            perform(responder.handle(.timePassed, at: now))
        }
    }

    private mutating func arrived(_ bytes: [UInt8], _ channel: Channel, _ end: Pipe.End) {
        guard let index = pipes.firstIndex(where: { $0.channel == channel && $0.to == end }) else { return }
        pipes[index].decoder.append(bytes)
        do throws(Malformed) {
            while let output = try pipes[index].decoder.next() {
                switch (end, output) {
                case (.initiator, .packet(let packet)):
                    perform(initiator.handle(.received(packet, channel), at: now))
                case (_, .odd(let packet)):
                    ending = .malformed(packet.refusal, channel)
                    return
                case (.initiator, .payload(let payload)):
                    switch initiator.payloadDestination {
                    case .collect:
                        perform(initiator.handle(.collected(Array(payload)), at: now))
                    case .stream:
                        outcomes[outcomes.count - 1].bytes += payload
                        perform(initiator.handle(.payloadMoved(payload.count), at: now))
                    case .discard:
                        perform(initiator.handle(.payloadMoved(payload.count), at: now))
                    }
                case (.responder, .packet(let packet)):
                    perform(responder.handle(.received(packet, link(channel)), at: now))
                case (.responder, .payload(let payload)):
                    perform(responder.handle(.collected(Array(payload), link(channel)), at: now))
                }
            }
        } catch {
            ending = .malformed(error, channel)
        }
    }

    private func link(_ channel: Channel) -> Responder.LinkID {
        channel == .command ? Self.commandLink : Self.eventLink
    }

    mutating func carry(_ bytes: [UInt8], _ channel: Channel, to end: Pipe.End) {
        guard let index = pipes.firstIndex(where: { $0.channel == channel && $0.to == end }) else { return }
        var bytes = bytes
        if case .cut(channel, let limit) = fault {
            let before = pipes.filter { $0.channel == channel }.map(\.carried).reduce(0, +)
            if before + bytes.count > limit {
                bytes = Array(bytes.prefix(max(0, limit - before)))
                for end in [Pipe.End.initiator, .responder] {
                    let delay = Duration.milliseconds(Int.random(in: 0...200, using: &random))
                    agenda.plan(.broke(channel, end), at: now + delay)
                }
            }
        }
        for piece in pipes[index].send(bytes, at: now, &random) {
            agenda.plan(.arrived(piece.bytes, channel, end), at: piece.at)
        }
    }
}
