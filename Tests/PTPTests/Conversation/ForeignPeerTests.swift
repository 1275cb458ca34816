import PTP
import TestSupport
import Testing

/// What answers instead of a camera.
extension InitiatorTests {
    /// What a machine that has said who it is makes of the first bytes, and, when those are no packet, of the end.
    func introduced(_ first: [UInt8]) throws -> [Initiator.Action] {
        var machine = machine()
        _ = machine.handle(.start, at: .zero)
        _ = machine.handle(.linkOpened(.command), at: .zero)
        var decoder = PacketDecoder()
        decoder.append(first)
        do throws(Malformed) {
            while let output = try decoder.next() {
                switch output {
                case .packet(let packet):
                    let actions = machine.handle(.received(packet, .command), at: .zero)
                    if !actions.isEmpty { return actions }
                case .odd(let packet):
                    let actions = machine.handle(.odd(packet, .command), at: .zero)
                    if !actions.isEmpty { return actions }
                case .payload: return []
                }
            }
        } catch {
            return machine.handle(.malformed(error, .command), at: .zero)
        }
        return machine.handle(
            .linkLost(.command, reason: "closed", unread: Array(decoder.unread)), at: .zero)
    }

    static let foreigners: [([UInt8], ForeignPeer)] = [
        (Array("HTTP/1.1 400 Bad Request\r\n\r\n".utf8), .http),
        (Array("SSH-2.0-OpenSSH_9.2\r\n".utf8), .ssh),
        (hex("15 03 01 00 02 02 28"), .tls), (hex("15 03 03 00 02 01 00"), .tls),
        (hex("16 03 03 00 40 02 00 00 3C"), .tls),
        // A response of PTP over USB, as a Fujifilm frames it: OK to transaction 1.
        (hex("0C 00 00 00 03 00 01 20 01 00 00 00"), .fujifilmPhone),
        (hex("10 00 00 00 04 00 01 C0 00 00 00 00 01 00 00 00"), .fujifilmPhone),
        (hex("0C 00 00 00 05 00 00 00 19 20 00 00"), .fujifilmPhone),
        (hex("0C 00 00 00 05 00 00 00 1D 20 00 00"), .fujifilmPhone),
    ]

    @Test("what answers instead of a camera is called by its name", arguments: foreigners)
    func toldByName(bytes: [UInt8], peer: ForeignPeer) throws {
        #expect(try introduced(bytes) == [.closeLinks(.foreign(peer))])
    }

    @Test("what is not known is what it was: bytes that make no sense, a packet to pass over, a lost link")
    func unknownForeigners() throws {
        guard case .closeLinks(.malformed)? = try introduced(Array("220 ftp ready\r\n".utf8)).first else {
            Issue.record("not malformed")
            return
        }
        guard case .remark? = try introduced(hex("0C 00 00 00 63 00 00 00 01 20 00 00")).first else {
            Issue.record("not passed over")
            return
        }
        #expect(
            try introduced(hex("0C 00 00")) == [.closeLinks(.linkLost(.command, reason: "closed"))])
        #expect(
            try introduced(hex("0C 00 00 00 05 00 00 00 02 00 00 00"))
                == [.closeLinks(.refused(.busy, .command))])
    }

    @Test("later on, the same bytes are an error of a camera")
    func foreignLater() throws {
        var machine = open()
        var decoder = PacketDecoder()
        decoder.append(Array("HTTP/1.1 400".utf8))
        let error = #expect(throws: Malformed.self) { try decoder.next() }
        let bytes = try #require(error)
        #expect(
            machine.handle(.malformed(bytes, .command), at: .zero)
                == [.closeLinks(.malformed(bytes, .command))])
        #expect(bytes.firstBytes == Array("HTTP/1.1".utf8))
    }

    @Test("a port where nothing listens is told apart, and the event link is tried again all the same")
    func portClosed() {
        var machine = machine()
        _ = machine.handle(.start, at: .zero)
        let refused = Initiator.Happening.linkRefused(.command, port: 15740, reason: "refused")
        var other = machine
        #expect(machine.handle(refused, at: .zero) == [.closeLinks(.nothingListens(port: 15740))])
        _ = other.handle(.linkOpened(.command), at: .zero)
        _ = other.handle(.received(.initCommandAck(ack), .command), at: .zero)
        #expect(other.handle(.linkRefused(.event, port: 15740, reason: "refused"), at: .zero).isEmpty)
        #expect(other.nextDeadline == .milliseconds(100))
    }

    @Test("a link that cannot even be tried here is not tried again, and once all is over it is nothing")
    func impossible() {
        for (channel, isLetIn) in [(Channel.command, false), (.event, true)] {
            var machine = machine()
            _ = machine.handle(.start, at: .zero)
            if isLetIn {
                _ = machine.handle(.linkOpened(.command), at: .zero)
                _ = machine.handle(.received(.initCommandAck(ack), .command), at: .zero)
            }
            let impossible = Initiator.Happening.linkImpossible(channel, reason: "Too many open files")
            #expect(
                machine.handle(impossible, at: .zero)
                    == [.closeLinks(.unreachable(channel, reason: "Too many open files"))])
            #expect(machine.handle(impossible, at: .zero).isEmpty)
        }
    }

    @Test(
        "what stands before the camera and wants another key ends the connection with that, in either state")
    func denied() {
        for isStarted in [false, true] {
            var machine = machine()
            if isStarted { _ = machine.handle(.start, at: .zero) }
            let actions = machine.handle(.linkDenied(.command, reason: "its key is another"), at: .zero)
            #expect(
                actions == (isStarted ? [.closeLinks(.notAdmitted(reason: "its key is another"))] : []))
        }
    }
}
