import PTP
import TestSupport
import Testing

/// Which number a session gets.
extension InitiatorTests {
    /// A machine that has just asked to open a session, and what it asked.
    func opening(
        connectionNumber: UInt32 = 7, _ change: (inout Peculiarities) -> Void = { _ in }
    ) -> (machine: Initiator, asked: Initiator.Action?) {
        var machine = machine(change)
        _ = machine.handle(.start, at: .zero)
        _ = machine.handle(.linkOpened(.command), at: .zero)
        let ack = InitCommandAck(connectionNumber: connectionNumber, guid: .zero, name: "")
        _ = machine.handle(.received(.initCommandAck(ack), .command), at: .zero)
        _ = machine.handle(.linkOpened(.event), at: .zero)
        let asked = machine.handle(.received(.initEventAck, .event), at: .zero).last
        return (machine, asked)
    }

    func response(_ code: ResponseCode, _ parameters: [UInt32]) -> Initiator.Happening {
        .received(
            .operationResponse(
                OperationResponse(code: code, transaction: .outsideSession, parameters: parameters)), .command
        )
    }

    @Test("Session_Already_Open counts as open, with the number that the camera says, if it says one")
    func sessionAlreadyOpen() {
        for (parameters, number) in [([], 1), ([0x51], 0x51), ([0, 0, 0, 0, 0], 1)] as [([UInt32], UInt32)] {
            var (machine, _) = opening()
            #expect(machine.handle(response(.sessionAlreadyOpen, parameters), at: .zero) == [.sessionOpened])
            #expect(machine.sessionNumber == number)
        }
    }

    @Test(
        "a session that is refused for its number is tried with others, ten in all, and never with 0",
        arguments: [ResponseCode.invalidTransactionID, .invalidParameter])
    func sessionNumbers(refusal: ResponseCode) {
        for (first, rest) in [
            (1, [2, 3, 4, 5, 6, 7, 8, 9, 10]), (0, [2, 3, 4, 5, 6, 7, 8, 9, 10]),
            (4, [1, 2, 3, 5, 6, 7, 8, 9, 10]), (0xFFFF_FFFF, [1, 2, 3, 4, 5, 6, 7, 8, 9]),
        ] as [(UInt32, [UInt32])] {
            var (machine, asked) = opening { $0.sessionNumber = .fixed(first) }
            #expect(asked == .send(request(.openSession, 0, [max(1, first)]), .command))
            #expect(machine.sessionNumber == nil)
            for number in rest {
                #expect(
                    machine.handle(response(refusal, 0), at: .zero)
                        == [.send(request(.openSession, 0, [number]), .command)])
            }
            #expect(
                machine.handle(response(refusal, 0), at: .zero) == [.closeLinks(.sessionRefused(refusal))])
        }
    }

    @Test("the number that worked is known, whatever the response's parameters say")
    func numberThatWorked() {
        var (machine, _) = opening()
        _ = machine.handle(response(.invalidParameter, 0), at: .zero)
        _ = machine.handle(response(.invalidTransactionID, 0), at: .zero)
        #expect(machine.handle(response(.ok, [0, 0, 0, 0, 0]), at: .zero) == [.sessionOpened])
        #expect(machine.sessionNumber == 3)
    }

    @Test("what is not said of a number is not answered with another", arguments: [0x2019, 0x2002, 0x200F])
    func otherRefusals(code: UInt16) {
        let refusal = ResponseCode(rawValue: code)
        var (machine, _) = opening()
        #expect(machine.handle(response(refusal, 0), at: .zero) == [.closeLinks(.sessionRefused(refusal))])
    }

    @Test("a Nikon J5's connection number 0 becomes session 1, any other becomes the session")
    func sessionFromConnectionNumber() {
        for (number, session) in [(UInt32(0), UInt32(1)), (7, 7)] {
            let (_, asked) = opening(connectionNumber: number) { $0.sessionNumber = .connectionNumberOrOne }
            #expect(asked == .send(request(.openSession, 0, [session]), .command))
        }
    }
}
