import PTP
import TestSupport
import Testing

/// Packets that bring nothing.
extension InitiatorTests {
    /// How many of a packet the machine puts up with, all within `span`, and what it says then. At most twice the limit
    /// is tried.
    func endured(
        _ happening: Initiator.Happening, within span: Duration = .zero, _ machine: inout Initiator
    ) -> (count: Int, ending: Ending?) {
        let most = 2 * machine.timeouts.uselessPackets
        for count in 0..<most {
            let now = span * count / most
            for case .closeLinks(let ending) in machine.handle(happening, at: now) { return (count, ending) }
        }
        return (most, nil)
    }

    static let useless: [(Packet, Channel)] = [
        (.event(EventPacket(code: .objectAdded, parameters: [1])), .event),
        (.event(EventPacket(code: .objectAdded, parameters: [1])), .command),
        (.probeRequest, .event), (.probeRequest, .command), (.probeResponse, .event),
        (.cancel(.first), .event),
    ]

    @Test("a burst of packets that bring nothing is borne, and twice as many are not", arguments: useless)
    func floods(packet: Packet, channel: Channel) {
        var machine = open()
        let limit = machine.timeouts.uselessPackets
        let (count, ending) = endured(.received(packet, channel), &machine)
        #expect(count == limit)
        #expect(ending == .misbehaved(.flood(packets: limit + 1, within: .zero), channel))
        #expect(ending?.isFlood == true)
        #expect(machine.nextDeadline == nil)
    }

    @Test("what is odd and passed over counts as well")
    func oddFlood() throws {
        var machine = open()
        var decoder = PacketDecoder()
        decoder.append(hex("08 00 00 00 63 00 00 00"))
        guard case .odd(let odd)? = try decoder.next() else {
            Issue.record("not odd")
            return
        }
        #expect(endured(.odd(odd, .event), &machine).ending?.isFlood == true)
    }

    @Test("data packets without payload, or with a few bytes each, are a flood in the middle of a call")
    func emptyData() {
        for length in [0, 1, 511] as [UInt32] {
            var machine = open()
            _ = machine.handle(.call(Call(.getObject, [5], data: .streamed(limit: 1 << 40))), at: .zero)
            _ = machine.handle(startData(1, .max), at: .zero)
            let (count, ending) = endured(data(1, length, isLast: false), &machine)
            #expect(count == machine.timeouts.uselessPackets)
            #expect(ending?.isFlood == true)
        }
        // A sector and more is payload.
        var machine = open()
        _ = machine.handle(.call(Call(.getObject, [5], data: .streamed(limit: 1 << 40))), at: .zero)
        _ = machine.handle(startData(1, .max), at: .zero)
        #expect(endured(data(1, 512, isLast: false), &machine).ending == nil)
    }

    @Test("a flood is one before the connection stands, too")
    func floodInHandshake() {
        let notice = Packet.event(EventPacket(code: .objectAdded, parameters: [1]))
        var waiting = machine()
        _ = waiting.handle(.start, at: .zero)
        _ = waiting.handle(.linkOpened(.command), at: .zero)
        #expect(endured(.received(.probeRequest, .command), &waiting).ending?.isFlood == true)

        for channel in Channel.allCases {
            var machine = machine()
            _ = machine.handle(.start, at: .zero)
            _ = machine.handle(.linkOpened(.command), at: .zero)
            _ = machine.handle(.received(.initCommandAck(ack), .command), at: .zero)
            _ = machine.handle(.linkOpened(.event), at: .zero)
            #expect(endured(.received(notice, channel), &machine).ending?.isFlood == true)
        }
    }

    @Test("what leaks out may go on for ever, and what was borne once is borne again later")
    func trickle() {
        var machine = open()
        let notice = Initiator.Happening.received(.event(EventPacket(code: .objectAdded)), .event)
        let perSecond = machine.timeouts.uselessPacketsPerSecond
        for second in 1...200 {
            for _ in 0..<perSecond {
                #expect(machine.handle(notice, at: .seconds(second)).count == 1)
            }
        }
        let later = Duration.seconds(300)
        for _ in 0..<machine.timeouts.uselessPackets {
            #expect(machine.handle(notice, at: later).count == 1)
        }
        #expect(
            machine.handle(notice, at: later).last
                == .closeLinks(
                    .misbehaved(.flood(packets: machine.timeouts.uselessPackets + 1, within: .zero), .event)))
    }

    @Test("the sentence says how many a second")
    func floodSentence() {
        var machine = open()
        // One and a half times the limit a second.
        let (_, ending) = endured(
            .received(.probeRequest, .event), within: .milliseconds(1333), &machine)
        #expect(ending?.description.contains("packets a second and nothing of use") == true)
        let rate = Int(
            "\(ending?.description ?? "")".split(separator: "sends ").last?.prefix { $0.isNumber } ?? "")
        #expect((430_000...470_000).contains(rate ?? 0), "\(String(describing: ending))")
    }

    @Test("our own questions' answers are no flood, however many we ask")
    func answers() {
        var machine = open()
        let limit = machine.timeouts.uselessPackets
        for number in 1...UInt32(limit) {
            _ = machine.handle(.call(Call(.getObjectInfo, [1], data: .incoming(limit: 64))), at: .zero)
            _ = machine.handle(startData(number, 4), at: .zero)
            _ = machine.handle(data(number, 4, isLast: true), at: .zero)
            _ = machine.handle(.collected([1, 2, 3, 4]), at: .zero)
            #expect(machine.handle(response(.ok, number), at: .zero).count == 1)
        }
    }
}
