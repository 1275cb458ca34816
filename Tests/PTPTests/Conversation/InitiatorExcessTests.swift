import PTP
import TestSupport
import Testing

/// More data than was asked for.
extension InitiatorTests {
    @Test(
        "a part that is longer than asked for fails its call, no byte beyond it is handed on, and the next call works"
    )
    func tooMuchData() {
        var machine = open()
        let call = Call(.getPartialObject, [5, 0, 100], data: .streamed(limit: 100))
        _ = machine.handle(.call(call), at: .zero)
        _ = machine.handle(startData(1, 100), at: .zero)
        #expect(machine.handle(data(1, 60, isLast: false), at: .zero).isEmpty)
        #expect(machine.payloadDestination == .stream)
        #expect(machine.handle(data(1, 60, isLast: false), at: .zero).isEmpty)
        #expect(machine.payloadDestination == .discard)
        // Bytes that are discarded come all the same: the camera is not slow.
        for second in 1...100 {
            #expect(machine.handle(.payloadMoved(2000), at: .seconds(second)).isEmpty)
            #expect(machine.handle(.timePassed, at: .seconds(second)).isEmpty)
        }
        _ = machine.handle(data(1, 1, isLast: true), at: .seconds(100))
        #expect(machine.payloadDestination == .discard)
        #expect(
            machine.handle(response(.ok, 1), at: .seconds(100))
                == [.fail(.tooMuchData(.getPartialObject, limit: 100))])
        #expect(
            machine.handle(.call(call), at: .seconds(100)) == [
                .send(request(.getPartialObject, 2, [5, 0, 100]), .command)
            ])
    }

    @Test("a dataset that is too long is thrown away, whatever the response says")
    func tooLongDataset() {
        var machine = open()
        _ = machine.handle(.call(Call(.getObjectInfo, [5], data: .incoming(limit: 100))), at: .zero)
        _ = machine.handle(startData(1, 300), at: .zero)
        _ = machine.handle(data(1, 100, isLast: false), at: .zero)
        #expect(machine.payloadDestination == .collect)
        _ = machine.handle(.collected([UInt8](repeating: 1, count: 100)), at: .zero)
        _ = machine.handle(data(1, 200, isLast: true), at: .zero)
        #expect(machine.payloadDestination == .discard)
        #expect(
            machine.handle(response(.generalError, 1), at: .zero)
                == [.fail(.tooMuchData(.getObjectInfo, limit: 100))])
        #expect(machine.isReadyForCall)
    }

    @Test(
        "so much more than asked for that its end is not waited for ends the connection",
        arguments: [Call.DataPhase.streamed(limit: 100), .incoming(limit: 100)])
    func endlessData(phase: Call.DataPhase) {
        var machine = open()
        let most = UInt32(100 + machine.timeouts.excessBytes)
        _ = machine.handle(.call(Call(.getObject, [5], data: phase)), at: .zero)
        _ = machine.handle(startData(1, .max), at: .zero)
        #expect(machine.handle(data(1, most, isLast: false), at: .zero).isEmpty)
        let ending = Ending.misbehaved(.tooMuchData(.getObject, limit: 100), .command)
        #expect(
            machine.handle(data(1, 1, isLast: false), at: .zero)
                == [.fail(.connectionEnded(ending)), .closeLinks(ending)])
    }

    @Test("a call that has no limit has none that would overflow")
    func noLimit() {
        var machine = open()
        _ = machine.handle(.call(Call(.getObject, [5], data: .streamed(limit: .max))), at: .zero)
        _ = machine.handle(startData(1, .max), at: .zero)
        #expect(machine.handle(data(1, .max - 12, isLast: false), at: .zero).isEmpty)
        #expect(machine.payloadDestination == .stream)
    }

    @Test("data that was not asked for is not waited for")
    func uninvitedData() {
        var machine = open()
        _ = machine.handle(.call(Call(.deleteObject, [5])), at: .zero)
        _ = machine.handle(startData(1, 1 << 20), at: .zero)
        #expect(machine.handle(data(1, 1 << 20, isLast: false), at: .zero).isEmpty)
        let ending = Ending.misbehaved(.tooMuchData(.deleteObject, limit: 1 << 20), .command)
        #expect(
            machine.handle(data(1, 1, isLast: true), at: .zero)
                == [.fail(.connectionEnded(ending)), .closeLinks(ending)])
    }
}
