import PTP
import TestSupport
import Testing

/// What is odd and whole costs a line, and not the connection.
extension InitiatorTests {
    /// The machine's answers to bytes that come on a channel.
    func feed(_ bytes: [UInt8], _ channel: Channel, to machine: inout Initiator) throws -> [Initiator.Action]
    {
        var decoder = PacketDecoder()
        decoder.append(bytes)
        var actions: [Initiator.Action] = []
        while let output = try decoder.next() {
            switch output {
            case .packet(let packet): actions += machine.handle(.received(packet, channel), at: .zero)
            case .odd(let packet): actions += machine.handle(.odd(packet, channel), at: .zero)
            case .payload(let bytes): actions += machine.handle(.collected(Array(bytes)), at: .zero)
            }
        }
        return actions
    }

    @Test("odd packets on either channel are remarks, and the call under way gets its answer")
    func oddPackets() throws {
        var machine = open()
        _ = machine.handle(.call(Call(.getNumObjects)), at: .zero)
        for channel in Channel.allCases {
            let actions = try feed(hex("0C 00 00 00 63 00 00 00 01 02 03 04"), channel, to: &machine)
            guard case .remark(let sentence)? = actions.first, actions.count == 1 else {
                Issue.record("\(actions)")
                continue
            }
            #expect(sentence.contains("on the \(channel.rawValue) connection"))
            #expect(sentence.contains("type 99") && sentence.contains("0C 00 00 00 63 00 00 00 01 02 03 04"))
        }
        #expect(machine.handle(response(.ok, 1), at: .zero) == [.finish(Reply(code: .ok))])
    }

    @Test("an event of 214 bytes is a remark and a notice")
    func oddNotice() throws {
        var machine = open()
        let bytes = hex("D6 00 00 00 08 00 00 00 02 40 FF FF FF FF 09 00 00 00")
        let actions = try feed(
            bytes + [UInt8](repeating: 0, count: 214 - bytes.count), .event, to: &machine)
        #expect(actions.count == 2)
        #expect(
            actions.last == .notice(EventPacket(code: .objectAdded, parameters: [9, 0, 0, 0, 0])))
    }

    @Test("twenty remarks, then one that there are more, then none")
    func manyRemarks() throws {
        var machine = open()
        var sentences: [String] = []
        for _ in 0..<100 {
            for case .remark(let sentence) in try feed(hex("08 00 00 00 63 00 00 00"), .event, to: &machine) {
                sentences.append(sentence)
            }
        }
        #expect(sentences.count == 21)
        #expect(sentences.last?.contains("not told of any more") == true)
        #expect(machine.handle(.oddAnswer("one more"), at: .zero).isEmpty)
    }

    @Test("a response too short for its transaction answers the call under way")
    func shortResponse() throws {
        var machine = open()
        _ = machine.handle(.call(Call(.getNumObjects)), at: .zero)
        let actions = try feed(hex("0A 00 00 00 07 00 00 00 19 20"), .command, to: &machine)
        #expect(actions.last == .finish(Reply(code: .deviceBusy)))
        #expect(machine.isReadyForCall)
    }

    @Test("but not when an earlier call is still owed its answer: it may be that one's")
    func shortResponseAfterSilence() throws {
        var machine = open()
        _ = machine.handle(.call(Call(.getNumObjects)), at: .zero)
        _ = machine.handle(.timePassed, at: .seconds(30))
        _ = machine.handle(.call(Call(.getNumObjects)), at: .seconds(30))
        let actions = try feed(hex("0A 00 00 00 07 00 00 00 01 20"), .command, to: &machine)
        #expect(actions.count == 1, "a remark, and nothing else: \(actions)")
        #expect(machine.handle(response(.ok, 2), at: .seconds(31)) == [.finish(Reply(code: .ok))])
    }

    @Test("a total of 32 bits in Start Data, and End Data without a transaction, are no obstacle")
    func shortData() throws {
        var machine = open()
        _ = machine.handle(.call(Call(.getStorageIDs, data: .incoming(limit: 64))), at: .zero)
        _ = try feed(
            hex("10 00 00 00 09 00 00 00 01 00 00 00 04 00 00 00")
                + hex("10 00 00 00 0A 00 00 00 01 00 00 00 00 00 00 00") + hex("08 00 00 00 0C 00 00 00"),
            .command, to: &machine)
        #expect(
            machine.handle(response(.ok, 1), at: .zero)
                == [.finish(Reply(code: .ok, data: [0, 0, 0, 0], received: 4, announced: 4))])
    }

    @Test("an odd packet on the event connection shows that the camera is there")
    func oddSignOfLife() throws {
        var machine = open { $0.probeInterval = .seconds(15) }
        _ = machine.handle(.timePassed, at: .seconds(15))
        _ = try feed(hex("0C 00 00 00 08 00 00 00 02 40 FF FF"), .event, to: &machine)
        #expect(machine.handle(.timePassed, at: .seconds(26)) == [.send(.probeRequest, .event)])
    }
}
